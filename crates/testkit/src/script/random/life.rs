//! Deeds to sessions made up by chance.

use proptest::collection::vec;
use proptest::option::weighted;
use proptest::prelude::*;
use proptest::sample::select;

use super::{IDS, draft, now, text, time};
use crate::script::{LifeSpec, LifeStep, Step};

/// Something is done to one of the few sessions.
pub(super) fn step() -> impl Strategy<Value = Step> {
    let session = select(vec!["s", "s", "t", "S"]);
    let by = select(vec!["ann", "bob"]);
    let what = prop_oneof![
        6 => weighted(0.8, draft().prop_map(Box::new)).prop_map(What::Archive),
        3 => Just(What::Done(LifeStep::Restore)),
        1 => Just(What::Done(LifeStep::Activate)),
        3 => time().prop_map(|deadline| What::Done(LifeStep::Delete(deadline))),
        4 => Just(What::Done(LifeStep::Undelete)),
        1 => Just(What::Done(LifeStep::Purge)),
        4 => vec(select(&IDS[..]), 1..6).prop_map(|ids| {
            let ids = ids.into_iter().map(|id| id.parse().expect("an id"));
            What::Done(LifeStep::Compact(ids.collect()))
        }),
        3 => Just(What::Done(LifeStep::BringBack)),
    ];
    (session, by, now(), text(), what).prop_map(|(session, by, at, reason, what)| {
        Step::Live(Box::new(LifeSpec {
            session: session.parse().expect("an id"),
            by: by.into(),
            at,
            reason,
            what: match what {
                What::Done(step) => step,
                // Nobody gives a summary the id of another memory.
                What::Archive(summary) => LifeStep::Archive(summary.map(|draft| {
                    let id = format!("sum-{}", session.to_ascii_lowercase());
                    (id.parse().expect("an id"), draft)
                })),
            },
        }))
    })
}

#[derive(Clone, Debug)]
enum What {
    Archive(Option<Box<crate::script::DraftSpec>>),
    Done(LifeStep),
}
