//! What a memory is about beside its text: the fields that make two of them two.

use crate::memory::body::finding::Location;
use crate::memory::{Body, Memory, Space};

/// Whether two memories can be about the same thing at all.
pub(super) fn are_of_one_subject(a: &Memory, b: &Memory) -> bool {
    match (&a.body, &b.body) {
        (Body::Preference(a), Body::Preference(b)) => {
            a.key == b.key && a.applies_to == b.applies_to
        }
        (Body::Finding(a), Body::Finding(b)) => {
            is_one_place(a.location.as_ref(), b.location.as_ref())
        }
        _ => a.kind() == b.kind(),
    }
}

/// Whether everybody who sees a memory sees the one that would count for it.
pub(super) fn may_count_for(original: &Memory, other: &Memory) -> bool {
    let is_shared = !matches!(original.space, Space::Agent(_));
    let is_for_all = original.private_to().is_none();
    (is_shared || original.space == other.space)
        && (is_for_all || original.private_to() == other.private_to())
}

/// A place that one of both does not tell may be that of the other.
fn is_one_place(a: Option<&Location>, b: Option<&Location>) -> bool {
    let (Some(a), Some(b)) = (a, b) else {
        return true;
    };
    may_be_same(a.artifact.as_ref(), b.artifact.as_ref())
        && may_be_same(a.section.as_ref(), b.section.as_ref())
        && may_be_same(a.line_numbers.as_ref(), b.line_numbers.as_ref())
}

fn may_be_same<T: PartialEq>(a: Option<&T>, b: Option<&T>) -> bool {
    a.zip(b).is_none_or(|(a, b)| a == b)
}
