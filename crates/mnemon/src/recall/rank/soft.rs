//! Words that mean nearly the same count nearly as much.

use crate::embed::Vector;
use crate::embed::pieces::{self, Likeness};
use crate::recall::probe::{Candidates, Term};
use crate::recall::understood::Understood;

/// How well each word of a question is met, exactly or nearly.
pub(super) struct SoftMatch<'a> {
    candidates: &'a Candidates,
    terms: Vec<Wanted<'a>>,
    /// The weight of all terms together.
    whole: f64,
    likeness: Likeness,
    /// How alike each piece and each term are.
    alike: Rows,
    /// How well each term is met by the candidate at hand; as wide as a row.
    best: Vec<Lanes>,
}

/// Numbers that are compared together.
type Lanes = [f64; LANES];
const LANES: usize = 4;

struct Wanted<'a> {
    term: &'a Term,
    weight: f64,
}

impl<'a> SoftMatch<'a> {
    pub(super) fn new(understood: &'a Understood, candidates: &'a Candidates) -> Self {
        let word = |surface: &Option<String>| surface.as_ref().and_then(|word| pieces::word(word));
        let words: Vec<Option<Vector>> = understood.surface.iter().map(word).collect();
        let terms: Vec<Wanted<'a>> = understood
            .terms
            .iter()
            .zip(&candidates.terms)
            .map(|(term, rarity)| Wanted {
                term,
                weight: rarity.weight,
            })
            .collect();
        let width = terms.len().div_ceil(LANES);
        Self {
            candidates,
            whole: terms.iter().map(|wanted| wanted.weight).sum(),
            likeness: Likeness::to(&words[..terms.len()]),
            alike: Rows::new(Likeness::pieces(), width),
            best: vec![Lanes::default(); width],
            terms,
        }
    }

    /// The share of the question, by weight, that a candidate meets, exactly
    /// or nearly, or exactly those around it, which come with what they count.
    pub(super) fn of(&mut self, place: usize, around: impl Iterator<Item = (usize, f64)>) -> f64 {
        if self.whole <= 0.0 {
            return 0.0;
        }
        self.meet_nearly(place);
        self.meet(place, 1.0, |_| true);
        for (at, nearness) in around {
            // A name that only others say is not said here.
            self.meet(at, nearness, |term| !matches!(term, Term::Name { .. }));
        }
        let terms = self.terms.iter().zip(self.best.as_flattened());
        let worth: f64 = terms.map(|(wanted, best)| wanted.weight * best).sum();
        worth / self.whole
    }

    /// By words that mean nearly the same.
    fn meet_nearly(&mut self, place: usize) {
        self.best.fill(Lanes::default());
        // A piece that the table lacks is like nothing.
        let known = |piece: &u16| usize::from(*piece) < Likeness::pieces();
        let pieces = &self.candidates.list[place].pieces;
        for piece in pieces.iter().filter(known) {
            if !self.alike.has(piece.into()) {
                Likeness::fetch(piece);
            }
        }
        for piece in pieces.iter().filter(known) {
            let fill = |row: &mut [f64]| self.likeness.with(piece, row);
            let alike = self.alike.of(piece.into(), fill);
            for (best, alike) in self.best.iter_mut().zip(alike) {
                for (best, alike) in best.iter_mut().zip(alike) {
                    // As `max`, which also asks whether it is a number at all.
                    *best = if *alike > *best { *alike } else { *best };
                }
            }
        }
    }

    /// By the words themselves.
    fn meet(&mut self, place: usize, worth: f64, counts: impl Fn(&Term) -> bool) {
        let matched = self.candidates.list[place].matched;
        let best = self.best.as_flattened_mut();
        for (bit, (best, wanted)) in best.iter_mut().zip(&self.terms).enumerate() {
            if matched & (1 << bit) != 0 && counts(wanted.term) {
                *best = best.max(worth);
            }
        }
    }
}

/// A row of numbers for each of some places, filled in when it is first needed.
struct Rows {
    /// Which row each place has, and one more; 0 if there is none yet.
    row_of: Vec<u16>,
    numbers: Vec<Lanes>,
    width: usize,
}

impl Rows {
    fn new(places: usize, width: usize) -> Self {
        Self {
            row_of: vec![0; places],
            numbers: Vec::new(),
            width,
        }
    }

    fn has(&self, place: usize) -> bool {
        self.row_of[place] > 0
    }

    fn of(&mut self, place: usize, fill: impl FnOnce(&mut [f64])) -> &[Lanes] {
        let known = usize::from(self.row_of[place]);
        let begin = if known > 0 {
            (known - 1) * self.width
        } else {
            let begin = self.numbers.len();
            self.numbers.resize(begin + self.width, Lanes::default());
            fill(self.numbers[begin..].as_flattened_mut());
            // A row that has no number is filled in again.
            self.row_of[place] = u16::try_from(begin / self.width + 1).unwrap_or(0);
            begin
        };
        &self.numbers[begin..begin + self.width]
    }
}
