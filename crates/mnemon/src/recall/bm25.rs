//! BM25: how well words fit a document, given how rare they are and how long it is.

/// How fast repetition stops counting.
const K1: f64 = 1.2;
/// How much longer documents are held back.
const B: f64 = 0.75;

/// How rare a word is, from the documents that have it (as if one at least had it); never negative.
pub(crate) fn rarity(documents: u64, with_word: u64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "counts of documents are small")]
    let (documents, with_word) = (documents as f64, with_word.max(1) as f64);
    (1.0 + (documents - with_word + 0.5).max(0.0) / (with_word + 0.5)).ln()
}

/// What a word that occurs so often in a document of that length is worth.
pub(crate) fn worth(rarity: f64, occurrences: u32, length: u32, mean_length: f64) -> f64 {
    let occurrences = f64::from(occurrences);
    let relative = f64::from(length) / mean_length.max(1.0);
    rarity * occurrences * (K1 + 1.0) / (occurrences + K1 * (1.0 - B + B * relative))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worked_out_by_hand() {
        // ln(1 + (10 - 2 + 0.5) / 2.5) = ln 4.4
        assert!((rarity(10, 2) - 4.4_f64.ln()).abs() < 1e-12);
        // 2 × 2.2 / (2 + 1.2 × (0.25 + 0.75 × 1.5)) = 4.4 / 3.65
        assert!((worth(1.0, 2, 15, 10.0) - 4.4 / 3.65).abs() < 1e-12);
        assert!(
            rarity(5, 5) > 0.0,
            "a word that all have still counts a little"
        );
    }
}
