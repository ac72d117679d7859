//! Figures, and how people and programs read them.

use std::fmt::Write;

use serde_json::{Value, json};

/// One answer.
#[derive(Debug)]
pub(crate) struct Figure {
    /// The bench, and what of it if it has several answers.
    pub(crate) name: String,
    pub(crate) value: f64,
    pub(crate) unit: &'static str,
    /// What the machine itself did in the same run, in the same unit.
    pub(crate) limit: Option<f64>,
    /// Value by limit, the median of the rounds.
    pub(crate) ratio: Option<f64>,
    pub(crate) goal: Option<Goal>,
}

/// What the answer should be.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Goal {
    RatioAtLeast(f64),
    AtLeast(f64),
    Below(f64),
}

impl Figure {
    /// A figure without a limit or a goal.
    pub(crate) fn new(name: impl Into<String>, value: f64, unit: &'static str) -> Self {
        Self {
            name: name.into(),
            value,
            unit,
            limit: None,
            ratio: None,
            goal: None,
        }
    }

    pub(crate) fn goal(mut self, goal: Goal) -> Self {
        self.goal = Some(goal);
        self
    }

    /// Whether the goal is met; none if there is no goal.
    fn is_met(&self) -> Option<bool> {
        Some(match self.goal? {
            Goal::RatioAtLeast(least) => self.ratio? >= least,
            Goal::AtLeast(least) => self.value >= least,
            Goal::Below(most) => self.value < most,
        })
    }

    fn goal_text(&self) -> String {
        match self.goal {
            None => String::new(),
            Some(Goal::RatioAtLeast(least)) => format!("≥ {least} × limit"),
            Some(Goal::AtLeast(least)) => format!("≥ {} {}", number(least), self.unit),
            Some(Goal::Below(most)) => format!("< {} {}", number(most), self.unit),
        }
    }

    fn cells(&self) -> [String; 6] {
        [
            self.name.clone(),
            format!("{} {}", number(self.value), self.unit),
            self.limit.map(number).unwrap_or_default(),
            self.ratio
                .map(|ratio| format!("{ratio:.2}"))
                .unwrap_or_default(),
            self.goal_text(),
            match self.is_met() {
                Some(true) => "yes".into(),
                Some(false) => "NO".into(),
                None => String::new(),
            },
        ]
    }
}

/// A table that is plain text and Markdown at once.
pub(crate) fn table(figures: &[Figure]) -> String {
    let head = ["bench", "measured", "limit", "ratio", "goal", "met"].map(String::from);
    let rows: Vec<[String; 6]> = figures.iter().map(Figure::cells).collect();
    let widths: [usize; 6] = std::array::from_fn(|column| {
        let longest = rows
            .iter()
            .chain([&head])
            .map(|row| row[column].chars().count());
        longest.max().unwrap_or(0)
    });
    let mut text = String::new();
    let mut line = |cells: &[String; 6]| {
        for (cell, width) in cells.iter().zip(widths) {
            let _ = write!(text, "| {cell:width$} ");
        }
        text.push_str("|\n");
    };
    line(&head);
    line(&widths.map(|width| "-".repeat(width)));
    rows.iter().for_each(line);
    text
}

/// The same for programs.
pub(crate) fn json(figures: &[Figure], quick: bool) -> String {
    let figures: Vec<Value> = figures
        .iter()
        .map(|figure| {
            json!({
                "name": figure.name,
                "value": figure.value,
                "unit": figure.unit,
                "limit": figure.limit,
                "ratio": figure.ratio,
                "goal": figure.goal.map(|_| figure.goal_text()),
                "met": figure.is_met(),
            })
        })
        .collect();
    format!("{:#}\n", json!({ "quick": quick, "figures": figures }))
}

/// As many digits as mean something.
fn number(value: f64) -> String {
    match value.abs() {
        size if size >= 100.0 => format!("{value:.0}"),
        size if size >= 10.0 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}
