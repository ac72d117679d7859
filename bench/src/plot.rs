//! A picture of how recall grows with the number of memories, from a report.
//!
//! It shows the processor's time, which other work on the machine changes
//! little. Both axes are logarithmic; a line that rises with the slope of one grows
//! as fast as the memory does.

use std::fmt::Write;
use std::path::Path;

use serde_json::Value;

use crate::Result;

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 440.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 180.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 50.0;

/// The sizes, as figures name them and as they are.
const SIZES: [(&str, f64); 4] = [("1k", 3.0), ("10k", 4.0), ("100k", 5.0), ("1m", 6.0)];

/// Name in the report, what of it, name in the picture, colour, dashes.
const LINES: [(&str, &str, &str, &str, &str); 4] = [
    (
        "recall_hybrid",
        "p50",
        "mnemon, half of the answers",
        "#1f6feb",
        "none",
    ),
    (
        "recall_hybrid",
        "p95",
        "mnemon, 95 of 100",
        "#1f6feb",
        "5 4",
    ),
    (
        "plain_sqlite",
        "p50",
        "plain SQLite, half",
        "#c2410c",
        "none",
    ),
    (
        "plain_sqlite",
        "p95",
        "plain SQLite, 95 of 100",
        "#c2410c",
        "5 4",
    ),
];

/// Draws the figures of a report.
pub(crate) fn draw(report: &Path, picture: &Path) -> Result<()> {
    let report: Value = serde_json::from_str(&std::fs::read_to_string(report)?)?;
    let figures = report["figures"].as_array().ok_or("no figures")?;
    let value = |name: &str| {
        let figure = figures.iter().find(|figure| figure["name"] == name)?;
        figure["value"].as_f64().filter(|value| *value > 0.0)
    };
    let lines = LINES.map(|(bench, part, ..)| {
        let points = SIZES.iter().filter_map(|(size, memories)| {
            let millis = value(&format!("{bench}_{size} processor {part}"))?;
            Some((*memories, millis.log10()))
        });
        points.collect::<Vec<_>>()
    });
    if lines.iter().all(Vec::is_empty) {
        return Err("the report has no figures of recall_hybrid".into());
    }
    Ok(std::fs::write(picture, svg(&lines)?)?)
}

/// Points are logarithms of memories and of milliseconds.
fn svg(lines: &[Vec<(f64, f64)>; 4]) -> Result<String> {
    let all = lines.iter().flatten();
    let lowest = all.clone().map(|point| point.1).fold(0.0, f64::min).floor();
    let highest = all.map(|point| point.1).fold(1.0, f64::max).ceil();
    let across = |memories: f64| LEFT + (memories - 3.0) / 3.0 * (WIDTH - LEFT - RIGHT);
    let up = |millis: f64| {
        HEIGHT - BOTTOM - (millis - lowest) / (highest - lowest) * (HEIGHT - TOP - BOTTOM)
    };
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>\n\
         <text x=\"{LEFT}\" y=\"22\" font-size=\"15\">Processor time of an answer by words and meaning</text>\n"
    );
    let mut power = lowest;
    while power <= highest {
        let y = up(power);
        writeln!(
            text,
            "<line x1=\"{LEFT}\" y1=\"{y:.1}\" x2=\"{:.1}\" y2=\"{y:.1}\" stroke=\"#ddd\"/>\n\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{} ms</text>",
            WIDTH - RIGHT,
            LEFT - 8.0,
            y + 4.0,
            10_f64.powf(power)
        )?;
        power += 1.0;
    }
    for (name, memories) in SIZES {
        let x = across(memories);
        writeln!(
            text,
            "<line x1=\"{x:.1}\" y1=\"{TOP}\" x2=\"{x:.1}\" y2=\"{:.1}\" stroke=\"#ddd\"/>\n\
             <text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{name}</text>",
            HEIGHT - BOTTOM,
            HEIGHT - BOTTOM + 18.0
        )?;
    }
    writeln!(
        text,
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">memories</text>",
        f64::midpoint(LEFT, WIDTH - RIGHT),
        HEIGHT - 12.0
    )?;
    for (points, (_, _, name, colour, dashes)) in lines.iter().zip(LINES) {
        line(
            &mut text,
            points,
            &|(x, y)| (across(x), up(y)),
            name,
            colour,
            dashes,
        )?;
    }
    text.push_str("</svg>\n");
    Ok(text)
}

fn line(
    text: &mut String,
    points: &[(f64, f64)],
    place: &dyn Fn((f64, f64)) -> (f64, f64),
    name: &str,
    colour: &str,
    dashes: &str,
) -> Result<()> {
    let places: Vec<(f64, f64)> = points.iter().map(|point| place(*point)).collect();
    let Some((last_x, last_y)) = places.last() else {
        return Ok(());
    };
    let path: Vec<String> = places
        .iter()
        .map(|(x, y)| format!("{x:.1},{y:.1}"))
        .collect();
    writeln!(
        text,
        "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\" stroke-dasharray=\"{dashes}\"/>",
        path.join(" ")
    )?;
    for (x, y) in &places {
        writeln!(
            text,
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{colour}\"/>"
        )?;
    }
    writeln!(
        text,
        "<text x=\"{:.1}\" y=\"{:.1}\" fill=\"{colour}\">{name}</text>",
        last_x + 10.0,
        last_y + 4.0
    )?;
    Ok(())
}
