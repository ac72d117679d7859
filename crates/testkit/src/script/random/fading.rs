//! Settings of decay, made up by chance.

use mnemon::decay::{Model, Rules, Settings};
use mnemon::memory::Space;
use proptest::option::of;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Map, Value, json};

use super::{SPACES, object};

/// Every model, for all memories and for some session.
pub(super) fn rules() -> impl Strategy<Value = Rules> {
    let own_of = of(select(&SPACES[..])).prop_map(|space| {
        let space: Space = space?.parse().expect("a space");
        Some((space.session()?.clone(), own()))
    });
    let model = select(vec![Model::HalfLife, Model::Priority, Model::Boosted]);
    (model, own_of).prop_flat_map(|(model, own)| {
        let everywhere = Settings {
            model,
            ..Settings::default()
        };
        match own {
            None => Just(Rules::new(&everywhere, &[])).boxed(),
            Some((session, own)) => own
                .prop_map(move |own| Rules::new(&everywhere, &[(session.clone(), own)]))
                .boxed(),
        }
    })
}

/// What a session can say about how it fades.
pub(super) fn own() -> impl Strategy<Value = Map<String, Value>> {
    let all = [
        json!({}),
        json!({"model": "priority"}),
        json!({"model": "boosted", "half_life_hours": 1}),
        json!({"half_life_hours": 0.01, "min_decay_factor": 0.0}),
        json!({"enabled": false}),
    ];
    select(all.to_vec()).prop_map(object)
}
