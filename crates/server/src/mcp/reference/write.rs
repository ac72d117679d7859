//! Changing the graph: each call is kept whole or not at all.

use mnemon::caller::Operation;
use mnemon::memory::{Draft, Kind, Link, Memory, MemoryId, Space, Text};
use mnemon::store::OnFull;
use mnemon::{Error, Result, Time};
use serde_json::{Map, Value, json};

use super::graph::{
    Added, Deletion, ENTITY, Entity, Graph, OBSERVATION, Observations, RELATION, Relation,
};
use crate::mcp::Shared;
use crate::mcp::door::Need;
use crate::mcp::remember::make_session;
use crate::opened::Opened;

/// Entities whose names are new; the others are passed over.
pub(super) fn create_entities(shared: &Shared, entities: Vec<Entity>) -> Result<Vec<Entity>> {
    let mut change = Change::begin(shared, Need::Made)?;
    let mut created: Vec<Entity> = Vec::new();
    for mut entity in entities {
        change.clean(&mut entity.name);
        change.clean(&mut entity.kind);
        entity
            .observations
            .iter_mut()
            .for_each(|it| change.clean(it));
        let is_new = change.graph.node(&entity.name).is_none()
            && created.iter().all(|it| it.name != entity.name);
        if !is_new {
            continue;
        }
        let id = change.add_entity(&entity)?;
        for text in &entity.observations {
            change.add_observation(&entity.name, &id, text)?;
        }
        created.push(entity);
    }
    change.keep()?;
    Ok(created)
}

/// Relations that are new.
pub(super) fn create_relations(shared: &Shared, relations: Vec<Relation>) -> Result<Vec<Relation>> {
    let mut change = Change::begin(shared, Need::Made)?;
    let mut created: Vec<Relation> = Vec::new();
    for mut relation in relations {
        change.clean_relation(&mut relation);
        let mut known = change.graph.edges.iter().map(|edge| &edge.relation);
        if known.any(|it| *it == relation) || created.contains(&relation) {
            continue;
        }
        change.add_relation(&relation)?;
        created.push(relation);
    }
    change.keep()?;
    Ok(created)
}

/// Observations that are new; refused as a whole if one of the entities is not there.
pub(super) fn add_observations(
    shared: &Shared,
    observations: Vec<Observations>,
) -> Result<Vec<Added>> {
    let mut change = Change::begin(shared, Need::Made)?;
    let mut results: Vec<Added> = Vec::new();
    for Observations {
        mut entity_name,
        contents,
    } in observations
    {
        change.clean(&mut entity_name);
        let Some(node) = change.graph.node(&entity_name) else {
            return Err(Error::NotFound {
                reference: entity_name,
            });
        };
        let (id, mut known) = (node.own[0].id.clone(), node.entity.observations.clone());
        // An entity that is named twice has what it was given the first time.
        let before = results.iter().filter(|it| it.entity_name == entity_name);
        known.extend(before.flat_map(|it| it.added_observations.iter().cloned()));
        let mut added = Vec::new();
        for mut text in contents {
            change.clean(&mut text);
            if !known.contains(&text) {
                change.add_observation(&entity_name, &id, &text)?;
                added.push(text);
            }
        }
        results.push(Added {
            entity_name,
            added_observations: added,
        });
    }
    change.keep()?;
    Ok(results)
}

/// Entities with what is known of them, and the relations that they have.
pub(super) fn delete_entities(shared: &Shared, mut names: Vec<String>) -> Result<()> {
    let Some(change) = Change::begin_if_there(shared)? else {
        return Ok(());
    };
    for name in &mut names {
        change.clean(name);
    }
    let mut gone: Vec<Memory> = Vec::new();
    for node in &change.graph.nodes {
        if names.contains(&node.entity.name) {
            gone.extend(node.own.iter().chain(&node.observed).cloned());
        }
    }
    for edge in &change.graph.edges {
        if names.contains(&edge.relation.from) || names.contains(&edge.relation.to) {
            gone.extend(edge.own.iter().cloned());
        }
    }
    change.forget(&gone, "deleted with delete_entities")
}

/// Single observations.
pub(super) fn delete_observations(shared: &Shared, deletions: Vec<Deletion>) -> Result<()> {
    let Some(change) = Change::begin_if_there(shared)? else {
        return Ok(());
    };
    let mut gone: Vec<Memory> = Vec::new();
    for mut deletion in deletions {
        change.clean(&mut deletion.entity_name);
        deletion
            .observations
            .iter_mut()
            .for_each(|it| change.clean(it));
        let Some(node) = change.graph.node(&deletion.entity_name) else {
            continue;
        };
        let observed = node.entity.observations.iter().zip(&node.observed);
        let unwanted = observed.filter(|(text, _)| deletion.observations.contains(text));
        gone.extend(unwanted.map(|(_, memory)| memory.clone()));
    }
    change.forget(&gone, "deleted with delete_observations")
}

/// Single relations.
pub(super) fn delete_relations(shared: &Shared, mut relations: Vec<Relation>) -> Result<()> {
    let Some(change) = Change::begin_if_there(shared)? else {
        return Ok(());
    };
    for relation in &mut relations {
        change.clean_relation(relation);
    }
    let unwanted = change.graph.edges.iter();
    let unwanted = unwanted.filter(|edge| relations.contains(&edge.relation));
    let gone: Vec<Memory> = unwanted.flat_map(|edge| edge.own.clone()).collect();
    change.forget(&gone, "deleted with delete_relations")
}

/// A change of the graph that is being made up.
struct Change<'a> {
    shared: &'a Shared,
    opened: std::sync::Arc<Opened>,
    space: Space,
    graph: Graph,
    drafts: Vec<Draft>,
}

impl<'a> Change<'a> {
    fn begin(shared: &'a Shared, need: Need) -> Result<Self> {
        let opened = shared.opened(need)?;
        // Refused even if nothing would change: whether something is there is not for guessing.
        opened.caller.may(Operation::Transact)?;
        let space = shared.default_space();
        Ok(Self {
            graph: Graph::load(&opened, &space)?,
            shared,
            opened,
            space,
            drafts: Vec::new(),
        })
    }

    /// Without a store there is nothing to delete, which is no error.
    fn begin_if_there(shared: &'a Shared) -> Result<Option<Self>> {
        match Self::begin(shared, Need::There) {
            Err(Error::NoStore { .. }) => Ok(None),
            begun => begun.map(Some),
        }
    }

    /// Secrets are taken out at once, so that what is kept is found by the same name.
    fn clean(&self, text: &mut String) {
        self.opened.engine.redactor().redact_text(text);
    }

    fn clean_relation(&self, relation: &mut Relation) {
        for part in [&mut relation.from, &mut relation.to, &mut relation.kind] {
            self.clean(part);
        }
    }

    fn add_entity(&mut self, entity: &Entity) -> Result<MemoryId> {
        let Entity { name, kind, .. } = entity;
        let about = json!({ "entity": name, "entity_type": kind });
        self.add(format!("{name} ({kind})"), ENTITY, about, Vec::new())
    }

    fn add_observation(&mut self, name: &str, entity: &MemoryId, text: &str) -> Result<()> {
        let links = vec![link("about", entity)?];
        let about = json!({ "entity": name });
        self.add(format!("{name}: {text}"), OBSERVATION, about, links)?;
        Ok(())
    }

    fn add_relation(&mut self, relation: &Relation) -> Result<()> {
        let Relation { from, to, kind } = relation;
        let mut links = Vec::new();
        for (rel, name) in [("from", from), ("to", to)] {
            if let Some(node) = self.graph.node(name) {
                links.push(link(rel, &node.own[0].id)?);
            }
        }
        let about = json!({ "from": from, "to": to, "relation_type": kind });
        self.add(format!("{from} {kind} {to}"), RELATION, about, links)?;
        Ok(())
    }

    fn add(&mut self, text: String, tag: &str, about: Value, links: Vec<Link>) -> Result<MemoryId> {
        let engine = &self.opened.engine;
        let id = engine.new_id(Kind::Fact);
        let mut draft = Draft::new(Kind::Fact, Text::try_from(text)?);
        draft.id = Some(id.clone());
        draft.tags = vec![tag.parse()?];
        draft.metadata = match about {
            Value::Object(members) => members,
            _ => Map::new(),
        };
        draft.links = links;
        // A session that fills up must not lose a part of the graph.
        draft.pinned = self.space.session().is_some();
        // No two at the same moment: the graph is told in the order in which it was made.
        let micros = engine.now().micros().max(self.graph.newest_micros + 1);
        self.graph.newest_micros = micros;
        draft.created_at = Some(Time::from_micros(micros)?);
        engine.check(&self.space, &mut draft)?;
        self.drafts.push(draft);
        Ok(id)
    }

    fn keep(self) -> Result<()> {
        if self.drafts.is_empty() {
            return Ok(());
        }
        if let Space::Session(id) = &self.space {
            make_session(&self.opened, id)?;
        }
        let (engine, caller) = (&self.opened.engine, &self.opened.caller);
        engine.remember_all(caller, &self.space, self.drafts, OnFull::Refuse)?;
        self.shared.background.after_write(&self.opened);
        Ok(())
    }

    fn forget(&self, memories: &[Memory], reason: &str) -> Result<()> {
        if memories.is_empty() {
            return Ok(());
        }
        let (engine, caller) = (&self.opened.engine, &self.opened.caller);
        engine.forget(caller, memories, reason).map(drop)
    }
}

fn link(rel: &str, to: &MemoryId) -> Result<Link> {
    Ok(Link {
        rel: rel.parse()?,
        to: to.clone(),
    })
}
