//! The graph in memories.
//!
//! An entity, an observation and a relation are a memory each, told apart by
//! a tag below `graph`. Their texts say them in words, so that `recall` finds
//! them; whose they are stands in the metadata, and links lead from
//! observations and relations to their entities.
//!
//! Invariant: two entities of one name, or two equal relations, which two
//! processes may make at the same moment, are read as one.

use std::collections::{HashMap, HashSet};

use mnemon::Result;
use mnemon::memory::{Memory, Space, Tag};
use mnemon::store::{Filter, Sort};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::opened::Opened;

pub(super) const ENTITY: &str = "graph.entity";
pub(super) const OBSERVATION: &str = "graph.observation";
pub(super) const RELATION: &str = "graph.relation";

/// A node with what is known of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Entity {
    pub(super) name: String,
    #[serde(rename = "entityType")]
    pub(super) kind: String,
    pub(super) observations: Vec<String>,
}

/// An edge; its ends need not be there.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) struct Relation {
    pub(super) from: String,
    pub(super) to: String,
    #[serde(rename = "relationType")]
    pub(super) kind: String,
}

/// Observations to add.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Observations {
    pub(super) entity_name: String,
    pub(super) contents: Vec<String>,
}

/// Observations that were added.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Added {
    pub(super) entity_name: String,
    pub(super) added_observations: Vec<String>,
}

/// Observations to delete.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Deletion {
    pub(super) entity_name: String,
    pub(super) observations: Vec<String>,
}

/// The graph, or a part of it, as it is told.
#[derive(Debug, Serialize)]
pub(super) struct Said {
    pub(super) entities: Vec<Entity>,
    pub(super) relations: Vec<Relation>,
}

/// An entity and the memories that it is made of.
pub(super) struct Node {
    pub(super) entity: Entity,
    /// Its own, more than one if several processes made it at once.
    pub(super) own: Vec<Memory>,
    /// One for each observation, in the same order.
    pub(super) observed: Vec<Memory>,
}

/// A relation and the memories that say it.
pub(super) struct Edge {
    pub(super) relation: Relation,
    pub(super) own: Vec<Memory>,
}

#[derive(Default)]
pub(super) struct Graph {
    pub(super) nodes: Vec<Node>,
    pub(super) edges: Vec<Edge>,
    /// When the newest memory of it came into being.
    pub(super) newest_micros: i64,
    /// Where in the list each entity is.
    places: HashMap<String, usize>,
}

impl Graph {
    /// All of it, in the order in which it was made.
    pub(super) fn load(opened: &Opened, space: &Space) -> Result<Self> {
        let engine = &opened.engine;
        let filter = Filter {
            spaces: vec![space.clone()],
            tags: vec!["graph".parse()?],
            sort: Sort::Oldest,
            limit: usize::MAX,
            ..Filter::all(engine.now().micros())
        };
        let memories = match engine.list(&opened.caller, &filter) {
            Err(mnemon::Error::SessionNotFound { .. }) => Vec::new(),
            listed => listed?.memories,
        };
        let mut graph = Self::default();
        let mut relations = HashMap::new();
        let (observed, others): (Vec<Memory>, Vec<Memory>) =
            memories.into_iter().partition(|it| has(it, OBSERVATION));
        for memory in others {
            graph.newest_micros = graph.newest_micros.max(memory.created_at.micros());
            if has(&memory, ENTITY) {
                graph.take_entity(memory);
            } else if has(&memory, RELATION) {
                graph.take_relation(memory, &mut relations);
            }
        }
        for memory in observed {
            graph.newest_micros = graph.newest_micros.max(memory.created_at.micros());
            let name = said(&memory, "entity");
            if let Some(place) = graph.places.get(&name) {
                let node = &mut graph.nodes[*place];
                node.entity.observations.push(observation(&memory, &name));
                node.observed.push(memory);
            }
        }
        Ok(graph)
    }

    fn take_entity(&mut self, memory: Memory) {
        let name = said(&memory, "entity");
        if let Some(place) = self.places.get(&name) {
            self.nodes[*place].own.push(memory);
            return;
        }
        self.places.insert(name.clone(), self.nodes.len());
        self.nodes.push(Node {
            entity: Entity {
                name,
                kind: said(&memory, "entity_type"),
                observations: Vec::new(),
            },
            own: vec![memory],
            observed: Vec::new(),
        });
    }

    fn take_relation(&mut self, memory: Memory, places: &mut HashMap<Relation, usize>) {
        let relation = Relation {
            from: said(&memory, "from"),
            to: said(&memory, "to"),
            kind: said(&memory, "relation_type"),
        };
        match places.get(&relation) {
            Some(place) => self.edges[*place].own.push(memory),
            None => {
                places.insert(relation.clone(), self.edges.len());
                self.edges.push(Edge {
                    relation,
                    own: vec![memory],
                });
            }
        }
    }

    pub(super) fn node(&self, name: &str) -> Option<&Node> {
        self.places.get(name).map(|place| &self.nodes[*place])
    }

    /// The whole graph in words.
    pub(super) fn said(&self) -> Said {
        Said {
            entities: self.nodes.iter().map(|it| it.entity.clone()).collect(),
            relations: self.edges.iter().map(|it| it.relation.clone()).collect(),
        }
    }

    /// The entities that fit, and the relations with at least one end among them.
    pub(super) fn around(&self, fits: impl Fn(&Entity) -> bool) -> Said {
        let mut said = self.said();
        said.entities.retain(fits);
        let names: HashSet<&str> = said.entities.iter().map(|it| it.name.as_str()).collect();
        let touches = |relation: &Relation| {
            names.contains(relation.from.as_str()) || names.contains(relation.to.as_str())
        };
        said.relations.retain(touches);
        said
    }
}

fn has(memory: &Memory, tag: &str) -> bool {
    memory.tags.iter().map(Tag::as_str).any(|it| it == tag)
}

/// A text in the metadata.
fn said(memory: &Memory, name: &str) -> String {
    let text = memory.metadata.get(name).and_then(Value::as_str);
    text.unwrap_or_default().to_owned()
}

/// What an observation says; the text is the truth, so that it can be revised like any other.
fn observation(memory: &Memory, name: &str) -> String {
    let text = memory.text.as_str();
    let bare = text
        .strip_prefix(name)
        .and_then(|rest| rest.strip_prefix(": "));
    bare.unwrap_or(text).to_owned()
}
