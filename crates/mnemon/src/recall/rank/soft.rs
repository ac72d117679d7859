//! Words that mean nearly the same count nearly as much.

use std::cell::RefCell;
use std::collections::HashMap;

use crate::embed::Vector;
use crate::embed::pieces::{self, likeness};
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
    /// For each candidate that was asked for, how well it meets each term.
    met: RefCell<HashMap<usize, Vec<f64>>>,
    /// How alike each term and each piece are.
    likeness: RefCell<HashMap<u16, Vec<f64>>>,
}

struct Wanted<'a> {
    term: &'a Term,
    weight: f64,
    vector: Option<Vector>,
}

impl<'a> SoftMatch<'a> {
    pub(super) fn new(understood: &'a Understood, candidates: &'a Candidates) -> Self {
        let terms = understood.terms.iter().zip(&understood.surface);
        let terms: Vec<Wanted<'a>> = terms
            .zip(&candidates.terms)
            .map(|((term, surface), rarity)| Wanted {
                term,
                weight: rarity.weight,
                vector: surface.as_ref().and_then(|word| pieces::word(word)),
            })
            .collect();
        Self {
            candidates,
            whole: terms.iter().map(|wanted| wanted.weight).sum(),
            terms,
            met: RefCell::default(),
            likeness: RefCell::default(),
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
        if let Some(met) = self.met.borrow().get(&place) {
            return met[bit];
        }
        let candidate = &self.candidates.list[place];
        let mut met: Vec<f64> = (0..self.terms.len())
            .map(|bit| f64::from(u8::from(candidate.matched & (1 << bit) != 0)))
            .collect();
        for piece in candidate.pieces.iter() {
            let mut known = self.likeness.borrow_mut();
            let alike = known.entry(piece).or_insert_with(|| self.alike(piece));
            for (met, alike) in met.iter_mut().zip(alike) {
                *met = met.max(*alike);
            }
        }
        let answer = met[bit];
        self.met.borrow_mut().insert(place, met);
        answer
    }

    fn alike(&self, piece: u16) -> Vec<f64> {
        let vectors = self.terms.iter().map(|wanted| wanted.vector.as_ref());
        vectors
            .map(|vector| vector.map_or(0.0, |vector| likeness(vector, piece)))
            .collect()
    }
}
