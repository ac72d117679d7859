//! The central sentences: those that say what many others say too.
//!
//! `LexRank` (Erkan and Radev, 2004): sentences vote for those like them, by
//! the idf-modified cosine of their words, and a vote counts as much as its
//! voter. Maximal marginal relevance (Carbonell and Goldstein, 1998) then
//! takes the best that repeat nothing of what was taken.

use std::collections::BTreeMap;

/// Part of each vote goes to all alike, so that the votes settle.
const DAMPING: f64 = 0.15;

/// How much the rank counts against repetition.
const RELEVANCE: f64 = 0.7;

/// More sentences than this are first thinned out to those nearest to all of them.
const SENTENCES_MAX: usize = 1_000;

/// Rounds of voting at most; it settles long before.
const ROUNDS_MAX: usize = 200;

/// The places of the most central sentences and how central each is (the best
/// has 1), as they are chosen; sentences are given as stems.
pub(super) fn central(sentences: &[Vec<String>], wanted: usize) -> Vec<(usize, f64)> {
    let vectors = Vectors::of(sentences);
    let kept = vectors.nearest_to_all(SENTENCES_MAX);
    let likeness: Vec<Vec<f64>> = kept
        .iter()
        .map(|a| kept.iter().map(|b| vectors.cosine(*a, *b)).collect())
        .collect();
    let ranks = ranks(&likeness);
    choose(&likeness, &ranks, wanted)
        .into_iter()
        .map(|place| (kept[place], ranks[place]))
        .collect()
}

/// Sentences as directions: a number for each word, its count times its rarity.
struct Vectors {
    /// Sorted by word, so that sums are the same on every machine.
    rows: Vec<Vec<(usize, f64)>>,
}

impl Vectors {
    fn of(sentences: &[Vec<String>]) -> Self {
        let mut counts: Vec<BTreeMap<&str, f64>> = Vec::new();
        let mut having: BTreeMap<&str, f64> = BTreeMap::new();
        for sentence in sentences {
            let mut own: BTreeMap<&str, f64> = BTreeMap::new();
            for stem in sentence {
                *own.entry(stem).or_default() += 1.0;
            }
            for stem in own.keys() {
                *having.entry(stem).or_default() += 1.0;
            }
            counts.push(own);
        }
        #[expect(clippy::cast_precision_loss, reason = "nobody has 2^52 sentences")]
        let all = sentences.len() as f64;
        // One more than the usual ratio, so that a word in every sentence still counts a little.
        let rarity: BTreeMap<&str, (usize, f64)> = (having.into_iter().enumerate())
            .map(|(number, (stem, having))| (stem, (number, (1.0 + all / having).ln())))
            .collect();
        let row = |own: BTreeMap<&str, f64>| {
            let mut row: Vec<(usize, f64)> = own
                .into_iter()
                .map(|(stem, count)| (rarity[stem].0, count * rarity[stem].1))
                .collect();
            let length = row
                .iter()
                .map(|(_, value)| value * value)
                .sum::<f64>()
                .sqrt();
            for (_, value) in &mut row {
                *value /= length;
            }
            row
        };
        Self {
            rows: counts.into_iter().map(row).collect(),
        }
    }

    /// Both rows are of length one and sorted.
    fn cosine(&self, a: usize, b: usize) -> f64 {
        let (a, b) = (&self.rows[a], &self.rows[b]);
        let (mut i, mut j, mut sum) = (0, 0, 0.0);
        while i < a.len() && j < b.len() {
            match a[i].0.cmp(&b[j].0) {
                std::cmp::Ordering::Less => i += 1,
                std::cmp::Ordering::Greater => j += 1,
                std::cmp::Ordering::Equal => {
                    sum += a[i].1 * b[j].1;
                    i += 1;
                    j += 1;
                }
            }
        }
        sum
    }

    /// The places of so many that are nearest to the sum of all, in order.
    fn nearest_to_all(&self, most: usize) -> Vec<usize> {
        let mut sum: BTreeMap<usize, f64> = BTreeMap::new();
        for (word, value) in self.rows.iter().flatten() {
            *sum.entry(*word).or_default() += value;
        }
        let near = |place: &usize| -> f64 {
            let row = &self.rows[*place];
            row.iter().map(|(word, value)| value * sum[word]).sum()
        };
        let mut places: Vec<usize> = (0..self.rows.len()).collect();
        if places.len() > most {
            places.sort_by(|a, b| near(b).total_cmp(&near(a)).then(a.cmp(b)));
            places.truncate(most);
            places.sort_unstable();
        }
        places
    }
}

/// What the votes settle on; the best has 1.
fn ranks(likeness: &[Vec<f64>]) -> Vec<f64> {
    #[expect(clippy::cast_precision_loss, reason = "nobody has 2^52 sentences")]
    let all = likeness.len() as f64;
    let sums: Vec<f64> = likeness.iter().map(|row| row.iter().sum()).collect();
    let mut ranks = vec![1.0 / all; likeness.len()];
    for _ in 0..ROUNDS_MAX {
        let next: Vec<f64> = (0..ranks.len())
            .map(|to| {
                let votes =
                    (0..ranks.len()).map(|from| likeness[from][to] / sums[from] * ranks[from]);
                DAMPING / all + (1.0 - DAMPING) * votes.sum::<f64>()
            })
            .collect();
        let change = ranks
            .iter()
            .zip(&next)
            .map(|(a, b)| (a - b).abs())
            .sum::<f64>();
        ranks = next;
        if change < 1e-9 {
            break;
        }
    }
    let best = ranks.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    ranks.iter().map(|rank| rank / best).collect()
}

/// One after the other the best that is least like what was taken; of equals the earlier.
fn choose(likeness: &[Vec<f64>], ranks: &[f64], wanted: usize) -> Vec<usize> {
    let mut chosen: Vec<usize> = Vec::new();
    while chosen.len() < wanted.min(ranks.len()) {
        let worth = |place: usize| {
            let repeats = chosen
                .iter()
                .map(|taken| likeness[place][*taken])
                .fold(0.0, f64::max);
            RELEVANCE * ranks[place] - (1.0 - RELEVANCE) * repeats
        };
        let left = (0..ranks.len()).filter(|place| !chosen.contains(place));
        let best = left.max_by(|a, b| worth(*a).total_cmp(&worth(*b)).then(b.cmp(a)));
        chosen.extend(best);
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(texts: &[&str]) -> Vec<Vec<String>> {
        let stems = |text: &&str| text.split(' ').map(str::to_owned).collect();
        texts.iter().map(stems).collect()
    }

    #[test]
    fn likeness_is_the_cosine_of_counts_times_rarities() {
        // a is in both sentences: ln(1 + 2/2) = 0.693147; b and c in one: ln 3 = 1.098612.
        // Lengths: sqrt(0.480453 + 1.206949) = 1.299000; so 0.480453 / 1.687402 = 0.284729.
        let vectors = Vectors::of(&cut(&["a b", "a c"]));
        assert!((vectors.cosine(0, 1) - 0.284_729).abs() < 1e-6);
        assert!((vectors.cosine(0, 0) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn votes_settle_on_the_middle() {
        // The second is like both others, which are not like each other.
        let half = vec![
            vec![1.0, 0.5, 0.0],
            vec![0.5, 1.0, 0.5],
            vec![0.0, 0.5, 1.0],
        ];
        // By hand, with x for the outer ones and y = 1 - 2x for the middle:
        // x = 0.05 + 0.85 (2x/3 + y/4), so x = 0.2625 / 0.858333 = 0.305825
        // and y = 0.388350; divided by y the outer ones have 0.7875.
        let found = ranks(&half);
        for (own, expected) in found.iter().zip([0.7875, 1.0, 0.7875]) {
            assert!((own - expected).abs() < 1e-6, "{found:?}");
        }
    }

    #[test]
    fn what_was_said_is_not_repeated() {
        let sentences = cut(&[
            "token lives hour",
            "token lives hour",
            "password guess",
            "token hour",
        ]);
        let found: Vec<usize> = central(&sentences, 2)
            .into_iter()
            .map(|(place, _)| place)
            .collect();
        assert_eq!(found, [0, 2]);
        assert_eq!(central(&[], 2), []);
        assert_eq!(central(&sentences, 9).len(), 4);
    }

    #[test]
    fn too_many_sentences_are_thinned_out_to_those_nearest_to_all() {
        let vectors = Vectors::of(&cut(&["x", "a b", "a c", "y", "a d"]));
        assert_eq!(vectors.nearest_to_all(3), [1, 2, 4]);
        assert_eq!(vectors.nearest_to_all(9), [0, 1, 2, 3, 4]);
    }
}
