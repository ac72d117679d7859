//! How near the memories of one look are in meaning.

use super::corpus::Corpus;
use super::facts::CHUNK_ROWS;
use super::fits::{Fits, Rows};
use super::vectors::VectorRows;
use crate::embed::Vector;
use crate::embed::dot::{dot, dot_rows};
use crate::recall::probe::Probe;

/// How near each memory is in meaning.
pub(super) struct Meaning {
    /// Not a number where there is no vector, or nobody wants to know.
    pub(super) cosines: Vec<f32>,
}

impl Meaning {
    /// Only for memories that may fit; nobody asks about others.
    pub(super) fn of(probe: &Probe, corpus: &Corpus, fits: &Fits<'_>) -> Self {
        let Some(query) = &probe.vector else {
            return Self {
                cosines: Vec::new(),
            };
        };
        let mut cosines = vec![f32::NAN; corpus.size];
        let chunks = corpus.loaded.chunks.iter();
        let places = cosines.chunks_mut(CHUNK_ROWS as usize);
        for (first, (chunk, out)) in (0..).step_by(CHUNK_ROWS as usize).zip(chunks.zip(places)) {
            let Some(chunk) = chunk else { continue };
            match fits.rows(first, &chunk.bounds) {
                Rows::None => {}
                Rows::Few(rows) => row_cosines(query, &chunk.vectors, rows, out),
                Rows::Any => chunk_cosines(query, &chunk.vectors, out),
            }
        }
        for n in corpus.pending.unsearched.iter() {
            if let Some(cosine) = cosines.get_mut(n as usize) {
                *cosine = f32::NAN;
            }
        }
        for pending in &corpus.pending.list {
            let vector = pending.vector.as_ref();
            let cosine = vector.filter(|own| own.components().len() == query.components().len());
            cosines[pending.n as usize] = cosine.map_or(f32::NAN, |own| query.cosine(own));
        }
        Self { cosines }
    }

    pub(super) fn cosine(&self, n: u32) -> Option<f32> {
        let cosine = *self.cosines.get(n as usize)?;
        (!cosine.is_nan()).then_some(cosine)
    }
}

/// The cosines of the rows of a chunk, as many as there is room for.
fn chunk_cosines(query: &Vector, rows: &VectorRows, out: &mut [f32]) {
    let dimension = query.components().len();
    let Some(components) = rows.components.get(..dimension * out.len()) else {
        return;
    };
    let mut products = [0; CHUNK_ROWS as usize];
    let products = &mut products[..out.len()];
    dot_rows(query.components(), components, products);
    for ((out, product), norm) in out.iter_mut().zip(products).zip(&rows.inverse_norms) {
        // A choice between two numbers is made for several rows at once, one to write or not is not.
        *out = if *norm > 0.0 {
            query.cosine_from(*product, *norm)
        } else {
            f32::NAN
        };
    }
}

/// The cosines of single rows of a chunk.
fn row_cosines(
    query: &Vector,
    rows: &VectorRows,
    wanted: impl Iterator<Item = usize>,
    out: &mut [f32],
) {
    let (dimension, count) = (query.components().len(), out.len());
    for row in wanted.take_while(|row| *row < count) {
        let components = rows.components.get(row * dimension..(row + 1) * dimension);
        let norm = rows.inverse_norms.get(row).copied().unwrap_or(0.0);
        if let (Some(components), true) = (components, norm > 0.0) {
            out[row] = query.cosine_from(dot(query.components(), components), norm);
        }
    }
}
