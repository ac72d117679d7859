//! How a thread reads texts by a table: words become rows, rows a vector.

use super::Vector;
use super::table::Table;
use crate::known_words::KnownWords;

/// A table, and what a thread keeps from one text to the next.
#[derive(Debug)]
pub(super) struct Reader {
    table: Table,
    /// The rows of the pieces of words.
    known: KnownWords<Vec<u16>>,
    rows: Rows,
    /// Here only because it is large enough to be slow to get and give back.
    sum: Vec<f32>,
}

impl Reader {
    pub(super) fn of(table: Table) -> Self {
        Self {
            table,
            known: KnownWords::new(),
            rows: Rows::of(&table),
            sum: vec![0.0; table.dimension()],
        }
    }

    /// The vector of a text; none if no piece of it has a row.
    pub(super) fn vector(&mut self, text: &str) -> Option<Vector> {
        let Self {
            table,
            known,
            rows,
            sum,
        } = self;
        table.each_word(text, |word| {
            for row in known.get(word, |word| table.rows_of(word)) {
                rows.insert(*row);
            }
        });
        rows.take_sorted(|rows| table.sum(rows, sum));
        Vector::nearest_to(sum)
    }

    /// Hands over the rows of a text's pieces.
    pub(super) fn each_row(&mut self, text: &str, mut each: impl FnMut(u16)) {
        let Self { table, known, .. } = self;
        table.each_word(text, |word| {
            for row in known.get(word, |word| table.rows_of(word)) {
                each(*row);
            }
        });
    }
}

/// Distinct rows, however often and in which order they come.
#[derive(Debug)]
struct Rows {
    /// A bit for each row of the table.
    is_there: Vec<u64>,
    list: Vec<u16>,
}

impl Rows {
    fn of(table: &Table) -> Self {
        Self {
            is_there: vec![0; table.len().div_ceil(64)],
            list: Vec::new(),
        }
    }

    fn insert(&mut self, row: u16) {
        let bits = &mut self.is_there[usize::from(row / 64)];
        let bit = 1 << (row % 64);
        if *bits & bit == 0 {
            *bits |= bit;
            self.list.push(row);
        }
    }

    /// Hands all of them over in their order; none are left.
    fn take_sorted(&mut self, each: impl FnOnce(&[u16])) {
        for row in &self.list {
            self.is_there[usize::from(row / 64)] = 0;
        }
        self.list.sort_unstable();
        each(&self.list);
        self.list.clear();
    }
}
