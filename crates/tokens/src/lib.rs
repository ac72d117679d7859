//! How many tokens a text is, for budgets.
//!
//! The counts are those of [`TOKENIZER`]; another model's may differ. The
//! vocabulary is a table in the program that is looked up in place, so nothing
//! is loaded and a first call is as fast as any. `README.md` says where it is
//! from. A text is cut into `pieces`, and those that are no token are made of
//! tokens by `merge`.

mod class;
mod layout;
mod merge;
mod pieces;
mod vocabulary;

use merge::Merger;
use pieces::Pieces;

/// Whose tokens are counted.
pub const TOKENIZER: &str = "o200k_base";

/// How many tokens a text is. What looks like a special token is counted as the text that it is.
///
/// ```
/// assert_eq!(mnemon_tokens::count("Hello, world!"), 4);
/// ```
pub fn count(text: &str) -> usize {
    let mut merger = Merger::default();
    Pieces::of(text)
        .map(|piece| merger.count(piece.as_bytes()))
        .sum()
}

/// How many tokens a text is, unless it is more than `most`; it is then read no further than necessary.
pub fn count_within(text: &str, most: usize) -> Option<usize> {
    let mut merger = Merger::default();
    Pieces::of(text).try_fold(0, |total, piece| {
        let count = merger.count_within(piece.as_bytes(), most - total)?;
        Some(total + count)
    })
}

/// As much of the beginning of a text as is at most so many tokens; with one character more it would be over.
///
/// Seldom there is a longer one, since a whole word can be fewer tokens than the most of it.
///
/// ```
/// assert_eq!(mnemon_tokens::prefix("Hello, world!", 3), "Hello, world");
/// ```
pub fn prefix(text: &str, most: usize) -> &str {
    let mut merger = Merger::default();
    let (mut end, mut total) = (0, 0);
    // Up to here the pieces are the same wherever the text is cut behind it.
    let (mut settled, mut settled_total) = (0, 0);
    for piece in Pieces::of(text) {
        let Some(count) = merger.count_within(piece.as_bytes(), most - total) else {
            let cut = cut(&text[settled..end + piece.len()], most - settled_total);
            return &text[..settled + cut];
        };
        end += piece.len();
        total += count;
        // How white space is cut depends on what follows it.
        if !piece.trim_start().is_empty() {
            (settled, settled_total) = (end, total);
        }
    }
    text
}

/// Where to cut a text so that it is at most so many tokens, found by halves.
fn cut(text: &str, most: usize) -> usize {
    let fits = |cut: usize| count_within(&text[..cut], most).is_some();
    // White space that nothing follows can be fewer tokens than before something.
    if fits(text.len()) {
        return text.len();
    }
    let cuts: Vec<usize> = text.char_indices().map(|(start, _)| start).collect();
    let (mut fitting, mut over) = (0, cuts.len());
    while over - fitting > 1 {
        let middle = usize::midpoint(fitting, over);
        if fits(cuts[middle]) {
            fitting = middle;
        } else {
            over = middle;
        }
    }
    cuts[fitting]
}
