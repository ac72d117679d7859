//! The embedder that comes with the program: a table of English word pieces.
//!
//! It knows no word order and little but English, and is never wrong about
//! being there: no download, no network, no start-up, the same answer on every
//! machine. `tools/embedding` makes the table.

use std::cell::RefCell;
use std::sync::LazyLock;
use std::time::Instant;

use super::reader::Reader;
use super::table::Table;
use super::{Embedder, Vector};
use crate::Result;

/// Changes with every change of the table or of how texts are cut.
const ID: &str = "mnemon-english-1";

/// Where the shown similarity is one half, and how steeply it rises there.
///
/// Of random pairs of chat messages, which have nothing to do with each other,
/// half have a cosine up to 0.116, 95 % up to 0.290, 99 % up to 0.382 and 99.9 %
/// up to 0.518. So a shown 0.6 means: more alike than 99 % of unrelated pairs.
const HALF: f32 = 0.355;
const STEEPNESS: f32 = 16.0;

pub(super) static TABLE: LazyLock<Table> = LazyLock::new(|| {
    Table::read(include_bytes!("table/english.bin"))
        .expect("the table was whole when it was compiled in")
});

thread_local! {
    pub(super) static READER: RefCell<Reader> = RefCell::new(Reader::of(*TABLE));
}

/// The model that comes with the program. Making one costs nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct BuiltIn;

impl BuiltIn {
    /// The built-in model.
    pub fn new() -> Self {
        Self
    }
}

impl Embedder for BuiltIn {
    fn id(&self) -> &str {
        ID
    }

    fn dimension(&self) -> usize {
        TABLE.dimension()
    }

    fn is_instant(&self) -> bool {
        true
    }

    /// Never fails.
    fn embed(&self, texts: &[&str]) -> Result<Vec<Option<Vector>>> {
        Ok(READER.with_borrow_mut(|reader| texts.iter().map(|text| reader.vector(text)).collect()))
    }

    fn embed_once(&self, texts: &[&str], _deadline: Instant) -> Result<Vec<Option<Vector>>> {
        self.embed(texts)
    }

    /// `σ(16·(cosine − 0.355))`.
    fn similarity(&self, cosine: f32) -> f32 {
        1.0 / (1.0 + (STEEPNESS * (HALF - cosine)).exp())
    }

    fn cosine_for(&self, similarity: f32) -> f32 {
        let similarity = similarity.clamp(0.0, 1.0);
        // The ends give infinity, which no cosine reaches.
        (HALF + (similarity / (1.0 - similarity)).ln() / STEEPNESS).clamp(-1.0, 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use sha2::{Digest, Sha256};
    use std::fmt::Write as _;

    fn vector(text: &str) -> Option<Vector> {
        BuiltIn::new().embed(&[text]).unwrap().remove(0)
    }

    #[test]
    fn vectors_are_those_of_the_reader_in_python() {
        let mut known = 0;
        for line in include_str!("golden/vectors.jsonl").lines() {
            let (text, values): (String, Vec<f32>) = serde_json::from_str(line).unwrap();
            let (found, expected) = (vector(&text), Vector::nearest_to(&values));
            assert_eq!(found.is_some(), expected.is_some(), "{text:?}");
            if let (Some(found), Some(expected)) = (found, expected) {
                assert!(found.cosine(&expected) > 0.9999, "{text:?}");
                known += 1;
            }
        }
        assert!(known >= 20);
    }

    #[test]
    fn the_table_is_the_one_that_its_readme_names() {
        let digest = Sha256::digest(include_bytes!("table/english.bin"));
        let mut hex = String::new();
        for byte in digest {
            write!(hex, "{byte:02x}").unwrap();
        }
        assert!(include_str!("table/README.md").contains(&hex), "{hex}");
    }

    #[test]
    fn repeating_words_and_their_order_change_nothing() {
        let once = vector("the invoice was paid").unwrap();
        for text in [
            "Paid: was the invoice",
            "paid paid PAID the was the invoice",
        ] {
            let other = vector(text).unwrap();
            assert!(once.cosine(&other) > 0.9, "{text}");
        }
        assert_eq!(vector("paid was the invoice invoice"), Some(once));
    }

    #[test]
    fn a_text_in_which_nothing_is_known_has_no_vector() {
        for text in [
            "",
            " \n\t",
            "\u{0}\u{200b}",
            "日本語",
            "Привет",
            &"x".repeat(101),
        ] {
            assert_eq!(vector(text), None, "{text:?}");
        }
    }

    #[test]
    fn a_megabyte_is_embedded_like_its_distinct_words() {
        let sentence = "Backups are kept for ninety days. ";
        assert_eq!(vector(&sentence.repeat(31_000)), vector(sentence));
        assert_eq!(vector(&"z".repeat(1 << 20)), None);
        assert_eq!(
            vector(&format!("{} days", "z".repeat(1 << 20))),
            vector("days")
        );
    }

    #[test]
    fn a_text_has_the_same_vector_alone_and_among_others() {
        let texts = ["we chose Redis", "", "her flight is late", "we chose Redis"];
        let together = BuiltIn::new().embed(&texts).unwrap();
        assert_eq!(together, texts.map(vector));
    }

    #[test]
    fn similarity_is_the_worked_out_curve_and_its_inverse() {
        let model = BuiltIn::new();
        // σ(16·0.145) and σ(16·−0.355), by hand.
        for (cosine, shown) in [(0.355, 0.5), (0.5, 0.910_528), (0.0, 0.003_402)] {
            assert!((model.similarity(cosine) - shown).abs() < 1e-5);
            assert!((model.cosine_for(shown) - cosine).abs() < 1e-3);
        }
        for (similarity, cosine) in [(0.0, -1.0), (-3.0, -1.0), (1.0, 1.0), (7.0, 1.0)] {
            assert!((model.cosine_for(similarity) - cosine).abs() < f32::EPSILON);
        }
    }

    proptest! {
        #[test]
        fn any_text_is_embedded(text in any::<String>()) {
            if let Some(vector) = vector(&text) {
                prop_assert_eq!(vector.components().len(), BuiltIn::new().dimension());
            }
        }
    }
}
