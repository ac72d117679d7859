//! Words that mean nearly the same count nearly as much.

use std::cell::RefCell;

use crate::embed::Vector;
use crate::embed::pieces::{self, Likeness};
use crate::recall::probe::{Candidates, Term};
use crate::recall::understood::Understood;

/// Makes one value of a candidate's own and those of its neighbours.
pub(super) type Spread<'a> = dyn Fn(usize, &dyn Fn(usize) -> f64) -> f64 + 'a;

/// How well each word of a question is met, exactly or nearly.
pub(super) struct SoftMatch<'a> {
    candidates: &'a Candidates,
    terms: Vec<Wanted<'a>>,
    /// The weight of all terms together.
    whole: f64,
    likeness: Likeness,
    /// For each candidate that was asked for, how well it meets each term.
    met: RefCell<Rows>,
    /// How alike each term and each piece are.
    alike: RefCell<Rows>,
}

struct Wanted<'a> {
    term: &'a Term,
    weight: f64,
}

/// A row of numbers for each of some places, filled in when it is first needed.
struct Rows {
    /// Where the row of each place begins, and one more; 0 if there is none yet.
    begins: Vec<u32>,
    numbers: Vec<f64>,
    width: usize,
}

impl Rows {
    fn new(places: usize, width: usize) -> Self {
        Self {
            begins: vec![0; places],
            numbers: Vec::new(),
            width,
        }
    }

    fn of(&mut self, place: usize, fill: impl FnOnce(&mut [f64])) -> &[f64] {
        if self.begins[place] == 0 {
            let begin = self.numbers.len();
            self.numbers.resize(begin + self.width, 0.0);
            fill(&mut self.numbers[begin..]);
            self.begins[place] = u32::try_from(begin + 1).unwrap_or(0);
        }
        let begin = self.begins[place] as usize - 1;
        &self.numbers[begin..begin + self.width]
    }
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
        Self {
            candidates,
            whole: terms.iter().map(|wanted| wanted.weight).sum(),
            likeness: Likeness::to(&words[..terms.len()]),
            met: RefCell::new(Rows::new(candidates.list.len(), terms.len())),
            alike: RefCell::new(Rows::new(1 << 16, terms.len())),
            terms,
        }
    }

    /// The share of the question, by weight, that a candidate meets; `spread` brings its neighbours in.
    pub(super) fn of(&self, place: usize, spread: &Spread<'_>) -> f64 {
        if self.whole <= 0.0 {
            return 0.0;
        }
        let worth = self.terms.iter().enumerate().map(|(bit, wanted)| {
            let met = |place: usize| self.met(place, bit);
            wanted.weight
                * match wanted.term {
                    Term::Name { .. } => met(place),
                    _ => spread(place, &met),
                }
        });
        worth.sum::<f64>() / self.whole
    }

    fn met(&self, place: usize, bit: usize) -> f64 {
        let candidate = &self.candidates.list[place];
        // Nothing is more alike than the word itself.
        if candidate.matched & (1 << bit) != 0 {
            return 1.0;
        }
        let (mut met, mut alike) = (self.met.borrow_mut(), self.alike.borrow_mut());
        let met = met.of(place, |best| {
            for piece in candidate.pieces.iter() {
                let alike = alike.of(piece.into(), |row| self.likeness.with(piece, row));
                for (best, alike) in best.iter_mut().zip(alike) {
                    *best = best.max(*alike);
                }
            }
        });
        met[bit]
    }
}
