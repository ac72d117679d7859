//! What is related, similar and talked about, compared with looking at everything.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use mnemon::embed::{BuiltIn, Embedder, Vector};
use mnemon::engine::{Action, NewSession};
use mnemon::memory::{Body, Draft, Kind, Link, Memory, MemoryId, Reference, Space, Tag};
use mnemon::recall::aggregate;
use mnemon::recall::related::{Direction, Step};
use mnemon::recall::{Likeness, RelatedOptions, SimilarOptions};
use mnemon::store::local::{LocalOptions, LocalStore};
use mnemon::store::{Filter, Forgottenness, OnFull, Store};
use mnemon::{Caller, Config, Mnemon};
use mnemon_testkit::model::ModelStore;
use proptest::collection::vec;
use proptest::option::weighted;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::json;

const NODES: usize = 10;

const TEXTS: [&str; 8] = [
    "Access tokens live for fifteen minutes",
    "Tokens are valid for a quarter of an hour",
    "The cat sleeps on the warm roof",
    "A kitten naps on top of the house",
    "We chose PostgreSQL for the billing database",
    "zzzzqx vvvvkk",
    "… !?",
    "Tokens are valid for a quarter of an hour",
];

/// One memory: what it names by which means, and whether it is forgotten.
#[derive(Clone, Debug)]
struct Node {
    links: Vec<(&'static str, usize)>,
    turn: Option<usize>,
    /// Handles and ids that its body names.
    body: Vec<String>,
    forgotten: bool,
    importance: f64,
    text: usize,
    tags: Vec<&'static str>,
    shared: bool,
}

fn node() -> impl Strategy<Value = Node> {
    let relation = select(vec!["resolves", "related", "led_to", "own_word"]);
    let name = prop_oneof![
        (0..NODES).prop_map(|n| format!("m{n}")),
        (1..NODES).prop_map(|n| format!("turn-{n}")),
        (1..NODES).prop_map(|n| format!("S/TURN-{n}")),
        Just("a book".to_owned()),
    ];
    let names = (
        vec((relation, 0..NODES), 0..3),
        weighted(0.2, 0..NODES),
        prop_oneof![2 => Just(Vec::new()), 1 => vec(name, 1..3)],
    );
    let rest = (
        prop::bool::weighted(0.15),
        select(vec![0.0, 0.5, 0.9]),
        0..TEXTS.len(),
        vec(select(vec!["a", "a.b", "a.b.c", "ab", "d.b"]), 0..3),
        prop::bool::weighted(0.2),
    );
    (names, rest).prop_map(|((links, turn, body), rest)| {
        let (forgotten, importance, text, tags, shared) = rest;
        Node {
            links,
            turn,
            body,
            forgotten,
            importance,
            text,
            tags,
            shared,
        }
    })
}

fn id(n: usize) -> MemoryId {
    format!("m{n}").parse().expect("an id")
}

fn caller() -> Caller {
    Caller::user("ann")
}

/// Keeps the nodes through an engine over this store.
fn keep(store: Arc<dyn Store>, nodes: &[Node]) -> Mnemon {
    let engine = Mnemon::new(store, Config::default());
    let new = NewSession {
        id: Some("s".parse().expect("an id")),
        ..NewSession::default()
    };
    let session = engine.create_session(&caller(), new).expect("a session");
    for (n, node) in nodes.iter().enumerate() {
        let mut draft = Draft::new(
            Kind::Conversation,
            TEXTS[node.text].parse().expect("a text"),
        );
        draft.id = Some(id(n));
        draft.created_at = Some("2026-01-01T00:00:00Z".parse().expect("a time"));
        draft.importance = node.importance.try_into().expect("from 0 to 1");
        draft.tags = node
            .tags
            .iter()
            .map(|tag| tag.parse().expect("a tag"))
            .collect();
        draft.links = (node.links.iter())
            .map(|(rel, to)| Link {
                rel: rel.parse().expect("a relation"),
                to: id(*to),
            })
            .collect();
        draft.turn = node.turn.map(id);
        let serde_json::Value::Object(body) = json!({"memories_stored": node.body}) else {
            unreachable!("an object")
        };
        draft.body = Body::from_map(Kind::Conversation, body).expect("a body");
        let space = if node.shared {
            Space::Shared
        } else {
            Space::Session(session.clone())
        };
        engine
            .remember(&caller(), &space, draft)
            .expect("it is kept");
        if node.forgotten {
            let reason = "no longer true".into();
            let forget = Action::Forget { id: id(n), reason };
            engine
                .transact(&caller(), &space, vec![forget], OnFull::Refuse)
                .expect("it is forgotten");
        }
    }
    engine
}

fn is_meant(reference: &Reference, memory: &Memory) -> bool {
    match reference {
        Reference::Id(id) => memory.id == *id,
        Reference::Handle(session, handle) => {
            let own = memory
                .space
                .session()
                .map(|own| own.as_str().to_lowercase());
            own == Some(session.as_str().to_lowercase()) && memory.handle == Some(*handle)
        }
    }
}

/// Every relation by which one memory names another.
fn relations(one: &Memory, other: &Memory) -> BTreeSet<String> {
    let mentions = one.mentions().into_iter();
    mentions
        .filter(|mention| is_meant(&mention.to, other))
        .map(|mention| mention.rel.to_string())
        .collect()
}

/// How far everything is, by looking at every pair again and again.
fn distances(all: &[Memory], origin: &MemoryId, depth: u32) -> BTreeMap<MemoryId, u32> {
    let mut known = BTreeMap::from([(origin.clone(), 0)]);
    for distance in 1..=depth {
        let near: Vec<&Memory> = all.iter().filter(|it| known.contains_key(&it.id)).collect();
        let is_next = |memory: &&Memory| {
            near.iter()
                .any(|one| !relations(one, memory).is_empty() || !relations(memory, one).is_empty())
        };
        let next: Vec<MemoryId> = all.iter().filter(is_next).map(|it| it.id.clone()).collect();
        for id in next {
            known.entry(id).or_insert(distance);
        }
    }
    known.remove(origin);
    known
}

fn everything(engine: &Mnemon, forgotten: Forgottenness) -> Filter {
    Filter {
        forgotten,
        limit: usize::MAX,
        ..Filter::all(engine.now().micros())
    }
}

fn check_related(
    engine: &Mnemon,
    origin: usize,
    depth: u32,
    forgotten: Forgottenness,
) -> Result<(), TestCaseError> {
    let filter = everything(engine, forgotten);
    let all = engine.list(&caller(), &filter).expect("an answer").memories;
    let Some(origin) = all.iter().find(|it| it.id == id(origin)) else {
        return Ok(());
    };
    let options = RelatedOptions {
        depth,
        ..RelatedOptions::new(filter)
    };
    let found = engine
        .related(&caller(), origin.id.as_str(), None, &options)
        .expect("an answer");
    let told: BTreeMap<MemoryId, u32> = found
        .hits
        .iter()
        .map(|hit| (hit.memory.id.clone(), hit.distance))
        .collect();
    prop_assert_eq!(told.len(), found.hits.len(), "each once");
    prop_assert_eq!(found.total, found.hits.len() as u64);
    prop_assert_eq!(&told, &distances(&all, &origin.id, depth));
    prop_assert!(found.hits.is_sorted_by(|a, b| a.score >= b.score));
    prop_assert!(found.hits.is_sorted_by_key(|hit| hit.distance));
    for hit in &found.hits {
        prop_assert_eq!(hit.via.len(), hit.distance as usize);
        prop_assert_eq!(&hit.via[0].from, &origin.id);
        let ends = hit
            .via
            .iter()
            .skip(1)
            .map(|step| &step.from)
            .chain([&hit.memory.id]);
        for (step, end) in hit.via.iter().zip(ends) {
            check_step(&all, step, end)?;
        }
    }
    Ok(())
}

fn check_step(all: &[Memory], step: &Step, end: &MemoryId) -> Result<(), TestCaseError> {
    let get = |id: &MemoryId| all.iter().find(|it| it.id == *id).expect("it is there");
    let (from, to) = match step.direction {
        Direction::Out => (get(&step.from), get(end)),
        Direction::In => (get(end), get(&step.from)),
    };
    prop_assert!(
        relations(from, to).contains(step.rel.as_str()),
        "{:?} to {}",
        step,
        end
    );
    Ok(())
}

fn vector(embedder: BuiltIn, memory: &Memory) -> Option<Vector> {
    embedder
        .embed(&[memory.text.as_str()])
        .expect("vectors")
        .remove(0)
}

fn check_similar(engine: &Mnemon, origin: usize, least: f64) -> Result<(), TestCaseError> {
    let filter = everything(engine, Forgottenness::Without);
    let all = engine.list(&caller(), &filter).expect("an answer").memories;
    let Some(origin) = all.iter().find(|it| it.id == id(origin)) else {
        return Ok(());
    };
    let options = SimilarOptions {
        min_similarity: least,
        filter: filter.clone(),
        sort: None,
    };
    let found = engine
        .similar(&caller(), origin, &options)
        .expect("an answer");
    prop_assert_eq!(found.recalled.total, found.recalled.hits.len() as u64);
    let embedder = BuiltIn::new();
    let Some(own) = vector(embedder, origin) else {
        prop_assert_ne!(found.by, Likeness::Meaning);
        return Ok(());
    };
    prop_assert_eq!(found.by, Likeness::Meaning);
    let mut expected: Vec<(String, MemoryId)> = Vec::new();
    for memory in all.iter().filter(|it| it.id != origin.id) {
        let cosine = vector(embedder, memory).map_or(-1.0, |other| own.cosine(&other));
        let similarity = f64::from(embedder.similarity(cosine));
        if cosine > 0.0 && similarity >= least {
            expected.push((format!("{cosine:.5}"), memory.id.clone()));
        }
    }
    expected.sort();
    let hits = &found.recalled.hits;
    let mut told: Vec<(String, MemoryId)> = (hits.iter())
        .map(|hit| {
            (
                format!("{:.5}", hit.cosine.expect("a cosine")),
                hit.memory.id.clone(),
            )
        })
        .collect();
    prop_assert!(hits.is_sorted_by(|a, b| a.cosine >= b.cosine));
    told.sort();
    prop_assert_eq!(told, expected);
    // Pages follow each other.
    let page = SimilarOptions {
        filter: Filter {
            limit: 2,
            offset: 1,
            ..filter
        },
        ..options
    };
    let page = engine
        .similar(&caller(), origin, &page)
        .expect("an answer")
        .recalled;
    prop_assert_eq!(page.total, found.recalled.total);
    let expected: Vec<_> = hits.iter().skip(1).take(2).cloned().collect();
    prop_assert_eq!(page.hits, expected);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn related_and_similar_are_what_looking_at_everything_finds(
        nodes in vec(node(), 1..NODES),
        origin in 0..NODES,
        depth in select(vec![1, 2, 3, 10]),
        with in any::<bool>(),
        least in select(vec![0.0, 0.6, 0.95, 1.0]),
    ) {
        let folder = tempfile::tempdir().expect("a folder");
        let local = LocalStore::create(folder.path(), LocalOptions::default()).expect("a store");
        let forgotten = if with { Forgottenness::With } else { Forgottenness::Without };
        let stores: [Arc<dyn Store>; 2] = [Arc::new(local), Arc::new(ModelStore::new())];
        for store in stores {
            let engine = keep(store, &nodes);
            check_related(&engine, origin, depth, forgotten)?;
            check_similar(&engine, origin, least)?;
        }
    }

    #[test]
    fn mentions_of_topics_add_up(nodes in vec(node(), 1..NODES)) {
        let engine = keep(Arc::new(ModelStore::new()), &nodes);
        let filter = everything(&engine, Forgottenness::Without);
        let all = engine.list(&caller(), &filter).expect("an answer").memories;
        let topics = aggregate::topics(&all, None);
        for topic in &topics {
            let listed: usize = topic.memories.values().map(Vec::len).sum();
            prop_assert_eq!(topic.mentions, listed as u64);
            prop_assert!((0.0..=1.0).contains(&topic.weight));
            prop_assert!(topic.first <= topic.last);
            for below in &topic.subtopics {
                let below = topics.iter().find(|it| it.name == *below).expect("it is listed");
                prop_assert!(below.mentions <= topic.mentions && below.weight <= topic.weight);
            }
        }
        let tags: BTreeSet<&Tag> = all.iter().flat_map(|it| &it.tags).collect();
        for tag in tags {
            let within = all.iter().filter(|it| it.tags.iter().any(|own| own.is_within(tag)));
            let topic = topics.iter().find(|it| it.name == tag.as_str()).expect("it is listed");
            prop_assert_eq!(topic.mentions, within.count() as u64, "{}", tag);
        }
    }
}
