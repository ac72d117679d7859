//! What a service answered: believed only if it fits the question.

use mnemon::embed::Vector;
use serde::Deserialize;

use crate::failure::{Failed, quote};
use crate::options::{Options, Style};

/// So much of an answer shows what it is instead.
const BEGIN_CHARS: usize = 40;

#[derive(Deserialize)]
struct OpenAi {
    data: Vec<Item>,
}

#[derive(Deserialize)]
struct Item {
    /// Which text it is of; in their order if it does not say.
    index: Option<usize>,
    embedding: Vec<f64>,
}

#[derive(Deserialize)]
struct Ollama {
    embeddings: Vec<Vec<f64>>,
}

/// The bytes that an answer may have: numbers are written with less than 32 characters.
pub(crate) fn bytes_max(texts: usize, dimension: usize) -> u64 {
    (1 << 20) + (texts * dimension * 32) as u64
}

/// The vectors for so many texts; none where the numbers have no direction.
pub(crate) fn read(
    body: &[u8],
    texts: usize,
    options: &Options,
) -> Result<Vec<Option<Vector>>, Failed> {
    let rows = match options.style {
        Style::OpenAi => in_order(parse::<OpenAi>(body, options)?.data)?,
        Style::Ollama => parse::<Ollama>(body, options)?.embeddings,
    };
    if rows.len() != texts {
        return Err(Failed::settings(
            format!("it gave {} vectors for {texts} texts", rows.len()),
            "Check embedding.url: it must lead to a service that embeds several texts at once.",
        ));
    }
    rows.iter().map(|row| vector(row, options)).collect()
}

fn parse<'a, T: Deserialize<'a>>(body: &'a [u8], options: &Options) -> Result<T, Failed> {
    serde_json::from_slice(body).map_err(|error| {
        let begin = quote(&String::from_utf8_lossy(body), BEGIN_CHARS, options);
        let what = if error.is_data() {
            "has not the shape of vectors"
        } else {
            "is not JSON"
        };
        Failed::settings(
            format!("its answer {what}: it begins with {begin:?}"),
            "Check embedding.url and embedding.provider.",
        )
    })
}

/// Each at the place that it names.
fn in_order(items: Vec<Item>) -> Result<Vec<Vec<f64>>, Failed> {
    let count = items.len();
    let mut rows: Vec<Option<Vec<f64>>> = vec![None; count];
    for (place, item) in items.into_iter().enumerate() {
        let place = item.index.unwrap_or(place);
        match rows.get_mut(place) {
            Some(row @ None) => *row = Some(item.embedding),
            _ => {
                return Err(Failed::settings(
                    format!("it gave {count} vectors, and text {place} has none or several"),
                    "Report it to whoever runs the service.",
                ));
            }
        }
    }
    Ok(rows.into_iter().flatten().collect())
}

fn vector(row: &[f64], options: &Options) -> Result<Option<Vector>, Failed> {
    if row.len() != options.dimension {
        let (found, expected) = (row.len(), options.dimension);
        return Err(Failed::settings(
            format!("its vectors have {found} numbers, and embedding.dimension is {expected}"),
            format!("Set embedding.dimension to {found}, or embedding.model to another model."),
        ));
    }
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a direction is rounded to much less"
    )]
    let row: Vec<f32> = row.iter().map(|number| *number as f32).collect();
    if !row.iter().all(|number| number.is_finite()) {
        return Err(Failed::settings(
            "a vector has a number that is not finite",
            "Use another model; this one does not know what to do with the text.",
        ));
    }
    Ok(Vector::nearest_to(&row))
}
