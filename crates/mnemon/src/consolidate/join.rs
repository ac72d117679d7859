//! The pairs of texts that share enough words, without comparing each with each.
//!
//! Prefix filtering (Chaudhuri, Ganti and Kaushik, 2006): with the words of
//! each text in one order, the rarest first, two texts whose likeness is at
//! least `t` share a word among the first `n - ⌈t·n⌉ + 1` of their `n` words.
//! So only those are looked up; no pair is missed.

use std::collections::HashMap;

use super::wording::Wording;

/// Hands on every pair (an earlier and a later place) with at least this likeness.
pub(super) fn pairs(wordings: &[Wording], least: f64, mut each: impl FnMut(usize, usize, f64)) {
    let rare_first = rare_first(wordings);
    let mut seen_with: HashMap<u32, Vec<usize>> = HashMap::new();
    let mut met = vec![usize::MAX; wordings.len()];
    for (later, words) in rare_first.iter().enumerate() {
        for word in &words[..prefix(words.len(), least)] {
            let with = seen_with.entry(*word).or_default();
            for earlier in with.iter().copied() {
                if std::mem::replace(&mut met[earlier], later) == later {
                    continue;
                }
                let likeness = wordings[earlier].likeness(&wordings[later]);
                if likeness >= least {
                    each(earlier, later, likeness);
                }
            }
            with.push(later);
        }
    }
}

/// How many of the words have to be looked up.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "numbers of words"
)]
fn prefix(words: usize, least: f64) -> usize {
    // A little less than the product: rounding must not make a prefix too short.
    let shared_at_least = (words as f64 * least - 1e-9).ceil().max(1.0) as usize;
    (words + 1).saturating_sub(shared_at_least).min(words)
}

/// Each text's words as numbers that grow with how many texts have the word.
fn rare_first(wordings: &[Wording]) -> Vec<Vec<u32>> {
    let mut counts: HashMap<&str, u32> = HashMap::new();
    for word in wordings.iter().flat_map(Wording::stems) {
        *counts.entry(word).or_default() += 1;
    }
    let mut order: Vec<(u32, &str)> = counts.into_iter().map(|(word, n)| (n, word)).collect();
    order.sort_unstable();
    let ranks: HashMap<&str, u32> = (0..).zip(order).map(|(rank, (_, it))| (it, rank)).collect();
    let of = |wording: &Wording| {
        let mut words: Vec<u32> = wording
            .stems()
            .iter()
            .map(|it| ranks[it.as_str()])
            .collect();
        words.sort_unstable();
        words
    };
    wordings.iter().map(of).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_pair_that_is_alike_enough_is_found_once(
            texts in prop::collection::vec("([a-e]x{1,3} ){0,6}", 0..24),
            least in prop::sample::select(vec![0.2, 0.34, 0.5, 0.75, 1.0]),
        ) {
            let wordings: Vec<Wording> = texts.iter().map(|it| Wording::of(it)).collect();
            let mut found = Vec::new();
            pairs(&wordings, least, |earlier, later, _| found.push((earlier, later)));
            let mut wanted = Vec::new();
            for later in 0..wordings.len() {
                for earlier in 0..later {
                    if wordings[earlier].likeness(&wordings[later]) >= least {
                        wanted.push((earlier, later));
                    }
                }
            }
            found.sort_unstable();
            wanted.sort_unstable();
            prop_assert_eq!(found, wanted);
        }
    }
}
