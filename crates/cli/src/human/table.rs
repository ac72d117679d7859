//! Tables that fit: one column gives way when there is not enough room.

use std::fmt::Write as _;

use anstyle::Style;

use super::LABEL;
use super::text::{fit, one_line, width};

const GAP: &str = "  ";
/// The column that gives way keeps at least this much.
const FLEXIBLE_MIN: usize = 12;
/// No other column takes more than this.
const FIXED_MAX: usize = 32;

/// A table under construction.
pub(crate) struct Table {
    columns: Vec<Column>,
    rows: Vec<Vec<String>>,
}

/// A column: its heading, how it looks, whether it gives way.
pub(crate) struct Column {
    heading: &'static str,
    style: Style,
    flexible: bool,
    right: bool,
    /// Never cut: people copy what it says.
    whole: bool,
}

impl Column {
    pub(crate) fn new(heading: &'static str) -> Self {
        Self {
            heading,
            style: Style::new(),
            flexible: false,
            right: false,
            whole: false,
        }
    }

    pub(crate) fn styled(self, style: Style) -> Self {
        Self { style, ..self }
    }

    /// Gets the room that is left.
    pub(crate) fn flexible(self) -> Self {
        Self {
            flexible: true,
            ..self
        }
    }

    /// Is never cut, because people copy it.
    pub(crate) fn whole(self) -> Self {
        Self {
            whole: true,
            ..self
        }
    }

    pub(crate) fn right(self) -> Self {
        Self {
            right: true,
            ..self
        }
    }
}

impl Table {
    pub(crate) fn new(columns: Vec<Column>) -> Self {
        Self {
            columns,
            rows: Vec::new(),
        }
    }

    /// Adds a row; texts of others are made harmless here.
    pub(crate) fn row(&mut self, cells: &[String]) {
        self.rows
            .push(cells.iter().map(|cell| one_line(cell)).collect());
    }

    /// The table in so many columns of a terminal.
    pub(crate) fn render(&self, room: usize) -> String {
        let widths = self.widths(room);
        let mut out = String::new();
        let headings = self.columns.iter().map(|column| column.heading.to_owned());
        self.line(&mut out, &headings.collect::<Vec<_>>(), &widths, true);
        for row in &self.rows {
            self.line(&mut out, row, &widths, false);
        }
        out
    }

    fn widths(&self, room: usize) -> Vec<usize> {
        let mut widths: Vec<usize> = (0..self.columns.len())
            .map(|place| {
                let cells = self.rows.iter().map(|row| width(&row[place]));
                let widest = cells
                    .max()
                    .unwrap_or(0)
                    .max(self.columns[place].heading.len());
                if self.columns[place].flexible || self.columns[place].whole {
                    widest
                } else {
                    widest.min(FIXED_MAX)
                }
            })
            .collect();
        let gaps = GAP.len() * widths.len().saturating_sub(1);
        if let Some(place) = self.columns.iter().position(|column| column.flexible) {
            let others: usize = widths.iter().sum::<usize>() - widths[place];
            let left = room.saturating_sub(others + gaps).max(FLEXIBLE_MIN);
            widths[place] = widths[place].min(left);
        }
        widths
    }

    fn line(&self, out: &mut String, cells: &[String], widths: &[usize], heading: bool) {
        let last = cells.len() - 1;
        let mut line = String::new();
        for (place, cell) in cells.iter().enumerate() {
            let column = &self.columns[place];
            let style = if heading { LABEL } else { column.style };
            let cell = fit(cell, widths[place]);
            let pad = " ".repeat(widths[place].saturating_sub(width(&cell)));
            let (before, after) = match (column.right, place == last) {
                (true, _) => (pad.as_str(), ""),
                (false, true) => ("", ""),
                (false, false) => ("", pad.as_str()),
            };
            let _ = write!(line, "{before}{style}{cell}{style:#}{after}");
            if place != last {
                line.push_str(GAP);
            }
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_flexible_column_gives_way() {
        let mut table = Table::new(vec![
            Column::new("name"),
            Column::new("text").flexible(),
            Column::new("n").right(),
        ]);
        table.row(&["a".into(), "a long text with many words".into(), "1".into()]);
        table.row(&["bc".into(), "x\ny\u{1b}[2J".into(), "10".into()]);
        let plain = anstream::adapter::strip_str(&table.render(30)).to_string();
        assert_eq!(
            plain,
            "name  text                   n\n\
             a     a long text with ma…   1\n\
             bc    x y␛[2J               10\n"
        );
    }
}
