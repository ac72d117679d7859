//! Putting together what says the same.
//!
//! Every memory is compared with the originals before it, never with their
//! duplicates: so a chain of small differences does not end in one group.

use std::collections::{BTreeMap, HashMap};

use super::finding::Aggregate;
use super::join::pairs;
use super::subject::{are_of_one_subject, may_count_for};
use super::wording::Wording;
use super::{Duplicate, Group};
use crate::error::Result;
use crate::memory::{DUPLICATE_OF, Memory, MemoryId};

/// Pairs that share fewer of their words are not looked at, whatever they mean.
const WORDS_MIN: f64 = 0.3;

/// Which memory each one repeats, and how alike both are; by place in the list.
type Repeats = BTreeMap<usize, (usize, f64)>;

/// The groups among memories, the oldest first. `meaning` tells the cosine between two.
pub(crate) fn groups(
    mut memories: Vec<Memory>,
    least: f64,
    meaning: &mut dyn FnMut(&Memory, &Memory) -> Result<f64>,
) -> Result<Vec<Group>> {
    memories.sort_by(|a, b| a.created_at.cmp(&b.created_at).then(a.id.cmp(&b.id)));
    let linked = linked(&memories);
    let mut alike: HashMap<usize, Vec<(usize, f64)>> = HashMap::new();
    let wordings: Vec<Wording> = memories
        .iter()
        .map(|it| Wording::of(it.text.as_str()))
        .collect();
    pairs(&wordings, WORDS_MIN, |earlier, later, words| {
        alike.entry(later).or_default().push((earlier, words));
    });
    let mut repeats: Repeats = BTreeMap::new();
    for later in 0..memories.len() {
        let mut best: Option<(usize, f64)> = None;
        if let Some(original) = linked.get(&later).map(|it| root(&repeats, *it)) {
            let words = wordings[original].likeness(&wordings[later]);
            let meaning = meaning(&memories[original], &memories[later])?;
            best = Some((original, f64::midpoint(words, meaning.max(0.0))));
        } else {
            for (earlier, words) in alike.remove(&later).unwrap_or_default() {
                let (a, b) = (&memories[earlier], &memories[later]);
                let is_original = !repeats.contains_key(&earlier);
                if !is_original || !may_be_linked(a, b) {
                    continue;
                }
                let (own, other) = (&wordings[earlier], &wordings[later]);
                let likeness = likeness(own, other, words, || meaning(a, b))?;
                if likeness >= least && best.is_none_or(|(_, before)| likeness > before) {
                    best = Some((earlier, likeness));
                }
            }
        }
        repeats.extend(best.map(|best| (later, best)));
    }
    Ok(gathered(memories, &repeats, &linked))
}

/// How alike two texts are: as their words and their meaning are, on average.
fn likeness(
    a: &Wording,
    b: &Wording,
    words: f64,
    meaning: impl FnOnce() -> Result<f64>,
) -> Result<f64> {
    if a.is_same(b) {
        return Ok(1.0);
    }
    if a.differs(b) {
        return Ok(0.0);
    }
    // Only the same words in the same order are the same.
    Ok(f64::midpoint(words, meaning()?.max(0.0)).min(0.99))
}

/// What is said to be a duplicate, of something that is here too.
fn linked(memories: &[Memory]) -> HashMap<usize, usize> {
    let places: HashMap<&MemoryId, usize> = memories.iter().map(|it| &it.id).zip(0..).collect();
    let original = |memory: &Memory| {
        let mut links = memory.links.iter();
        links.find_map(|link| {
            let is = link.rel.as_str() == DUPLICATE_OF;
            is.then(|| places.get(&link.to).copied())?
        })
    };
    let pairs = memories.iter().map(original).zip(0..);
    // One that is older than what it is said to repeat has its time wrong, or was said to by hand.
    pairs
        .filter_map(|(original, own)| Some((own, original?)))
        .filter(|(own, original)| original < own)
        .collect()
}

fn root(repeats: &Repeats, place: usize) -> usize {
    repeats.get(&place).map_or(place, |(original, _)| *original)
}

/// Whether the later could be a duplicate, and nothing is said yet about how both relate:
/// `supersedes`, `distinct_from`…
fn may_be_linked(original: &Memory, later: &Memory) -> bool {
    let names = |a: &Memory, b: &Memory| a.links.iter().any(|link| link.to == b.id);
    let are_linked = names(original, later) || names(later, original);
    !are_linked && are_of_one_subject(original, later) && may_count_for(original, later)
}

fn gathered(
    memories: Vec<Memory>,
    repeats: &Repeats,
    linked: &HashMap<usize, usize>,
) -> Vec<Group> {
    let mut memories: Vec<Option<Memory>> = memories.into_iter().map(Some).collect();
    let mut take = |place: usize| memories[place].take().expect("each is in one group");
    let mut by_original: BTreeMap<usize, Vec<(usize, f64)>> = BTreeMap::new();
    for (place, (original, likeness)) in repeats {
        let others = by_original.entry(*original).or_default();
        others.push((*place, *likeness));
    }
    let mut groups = Vec::new();
    for (original, others) in by_original {
        let original = take(original);
        let others: Vec<Duplicate> = others
            .into_iter()
            .map(|(place, likeness)| Duplicate {
                memory: take(place),
                likeness,
                is_linked: linked.contains_key(&place),
            })
            .collect();
        groups.push(Group {
            aggregate: Aggregate::of(&original, &others),
            original,
            others,
        });
    }
    groups
}
