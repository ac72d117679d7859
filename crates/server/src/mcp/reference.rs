//! The tools of the reference memory server: a graph of entities, relations
//! and observations, kept as memories of ours.
//!
//! `graph` says how, so that `recall` finds them; `describe` what clients are
//! told. Answers have the same shapes and texts as those of that server, and
//! names that are not there are passed over as it does.

mod describe;
mod graph;
pub(super) mod resource;
mod write;

use mnemon::{Code, Error, Result};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::json;

use super::Shared;
use super::answer::Answer;
use super::door::Need;
use super::fields::{self, Arguments};
use super::table::{Entry, Turn};
use graph::{Entity, Graph, Observations, Relation};

pub(super) const TOOLS: [Entry; 9] = [
    writes(
        "create_entities",
        describe::create_entities,
        create_entities,
    ),
    writes(
        "create_relations",
        describe::create_relations,
        create_relations,
    ),
    writes(
        "add_observations",
        describe::add_observations,
        add_observations,
    ),
    writes(
        "delete_entities",
        describe::delete_entities,
        delete_entities,
    ),
    writes(
        "delete_observations",
        describe::delete_observations,
        delete_observations,
    ),
    writes(
        "delete_relations",
        describe::delete_relations,
        delete_relations,
    ),
    reads("read_graph", describe::read_graph, read_graph),
    reads("search_nodes", describe::search_nodes, search_nodes),
    reads("open_nodes", describe::open_nodes, open_nodes),
];

type Describe = fn() -> rmcp::model::Tool;
type Run = fn(&Shared, Arguments) -> Answer;

const fn writes(name: &'static str, describe: Describe, run: Run) -> Entry {
    Entry {
        name,
        describe,
        run,
        turn: Turn::Alone,
    }
}

const fn reads(name: &'static str, describe: Describe, run: Run) -> Entry {
    Entry {
        turn: Turn::Beside,
        ..writes(name, describe, run)
    }
}

fn create_entities(shared: &Shared, mut arguments: Arguments) -> Answer {
    let created = list::<Entity>(&mut arguments, "entities")
        .and_then(|entities| write::create_entities(shared, entities));
    answer(shared, created, "entities")
}

fn create_relations(shared: &Shared, mut arguments: Arguments) -> Answer {
    let created = list::<Relation>(&mut arguments, "relations")
        .and_then(|relations| write::create_relations(shared, relations));
    answer(shared, created, "relations")
}

fn add_observations(shared: &Shared, mut arguments: Arguments) -> Answer {
    let added = list::<Observations>(&mut arguments, "observations")
        .and_then(|observations| write::add_observations(shared, observations));
    match added {
        Err(Error::NotFound { reference }) => Answer::refusal_text(format!(
            "{}: Entity with name {reference} not found.\nNext: Make it with create_entities.",
            Code::NotFound
        )),
        added => answer(shared, added, "results"),
    }
}

fn delete_entities(shared: &Shared, mut arguments: Arguments) -> Answer {
    let deleted = list::<String>(&mut arguments, "entityNames")
        .and_then(|names| write::delete_entities(shared, names));
    deletion(shared, deleted, "Entities deleted successfully")
}

fn delete_observations(shared: &Shared, mut arguments: Arguments) -> Answer {
    let deleted = list::<graph::Deletion>(&mut arguments, "deletions")
        .and_then(|deletions| write::delete_observations(shared, deletions));
    deletion(shared, deleted, "Observations deleted successfully")
}

fn delete_relations(shared: &Shared, mut arguments: Arguments) -> Answer {
    let deleted = list::<Relation>(&mut arguments, "relations")
        .and_then(|relations| write::delete_relations(shared, relations));
    deletion(shared, deleted, "Relations deleted successfully")
}

fn read_graph(shared: &Shared, _arguments: Arguments) -> Answer {
    seen(shared, graph(shared).map(|graph| graph.said()))
}

fn search_nodes(shared: &Shared, mut arguments: Arguments) -> Answer {
    let found = fields::needed(&mut arguments, "query").and_then(|query| {
        let query = query.to_lowercase();
        let has = |text: &String| text.to_lowercase().contains(&query);
        let fits = |entity: &Entity| {
            has(&entity.name) || has(&entity.kind) || entity.observations.iter().any(has)
        };
        Ok(graph(shared)?.around(fits))
    });
    seen(shared, found)
}

fn open_nodes(shared: &Shared, mut arguments: Arguments) -> Answer {
    let opened = list::<String>(&mut arguments, "names")
        .and_then(|names| Ok(graph(shared)?.around(|entity| names.contains(&entity.name))));
    seen(shared, opened)
}

/// The graph as it is; without a store it is empty.
fn graph(shared: &Shared) -> Result<Graph> {
    match shared.opened(Need::There) {
        Err(Error::NoStore { .. }) => Ok(Graph::default()),
        opened => Graph::load(&*opened?, &shared.default_space()),
    }
}

/// A list that must be there, each item of the same shape.
fn list<T: DeserializeOwned>(arguments: &mut Arguments, field: &'static str) -> Result<Vec<T>> {
    let value = fields::take(arguments, field).ok_or_else(|| fields::missing(field))?;
    let given = fields::short(&value.to_string());
    serde_json::from_value(value).map_err(|error| Error::Rule {
        field,
        rule: format!("a list as the tool describes it: {error}"),
        given,
    })
}

/// What was made, as text and under this name.
fn answer<T: Serialize>(shared: &Shared, made: Result<Vec<T>>, name: &str) -> Answer {
    match made {
        Ok(made) => Answer::new(pretty(&made), json!({ name: made })),
        Err(error) => refused(shared, &error),
    }
}

fn deletion(shared: &Shared, deleted: Result<()>, message: &str) -> Answer {
    match deleted {
        Ok(()) => {
            let structured = json!({ "success": true, "message": message });
            Answer::new(message.to_owned(), structured)
        }
        Err(error) => refused(shared, &error),
    }
}

fn seen(shared: &Shared, said: Result<graph::Said>) -> Answer {
    match said {
        Ok(said) => Answer::new(pretty(&said), json!(said)),
        Err(error) => refused(shared, &error),
    }
}

/// Clients check what is for programs against the schema, which knows no errors.
fn refused(shared: &Shared, error: &Error) -> Answer {
    shared.refused(error).without_structure()
}

fn pretty(value: &impl Serialize) -> String {
    serde_json::to_string_pretty(value).expect("texts and lists of them")
}
