//! The best of many, without sorting them all.

use super::corpus::Corpus;

/// The numbers with the highest scores; of equal ones the newest.
pub(super) struct Best<'a> {
    corpus: &'a Corpus,
    most: usize,
    /// At most twice as many as are wanted.
    scored: Vec<(f64, u32)>,
    /// What is below is not among the best any more.
    least: f64,
}

impl<'a> Best<'a> {
    pub(super) fn new(corpus: &'a Corpus, most: usize) -> Self {
        Self {
            corpus,
            most,
            scored: Vec::new(),
            least: if most == 0 {
                f64::INFINITY
            } else {
                f64::NEG_INFINITY
            },
        }
    }

    /// Nothing that is not above this is taken any more.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "asked for by those whose scores are short numbers"
    )]
    pub(super) fn floor(&self) -> f32 {
        // Of equals the newest is taken, so they must pass.
        (self.least as f32).next_down()
    }

    pub(super) fn offer(&mut self, score: f64, n: u32) {
        if score < self.least {
            return;
        }
        self.scored.push((score, n));
        if self.scored.len() >= self.most.saturating_mul(2) {
            self.cut();
        }
    }

    fn cut(&mut self) {
        if self.scored.len() <= self.most {
            return;
        }
        let corpus = self.corpus;
        let order = |a: &(f64, u32), b: &(f64, u32)| {
            let tie = |n: u32| {
                let facts = corpus.facts(n);
                (std::cmp::Reverse(facts.created_micros), facts.tie)
            };
            b.0.total_cmp(&a.0).then_with(|| tie(a.1).cmp(&tie(b.1)))
        };
        let (_, last, _) = self.scored.select_nth_unstable_by(self.most - 1, order);
        self.least = last.0;
        self.scored.truncate(self.most);
    }

    /// Whether it took all that it was offered.
    pub(super) fn is_complete(&self) -> bool {
        self.least == f64::NEG_INFINITY && self.scored.len() <= self.most
    }

    pub(super) fn numbers(mut self) -> Vec<u32> {
        self.cut();
        self.scored.into_iter().map(|(_, n)| n).collect()
    }
}
