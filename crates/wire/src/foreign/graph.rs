//! The file of the MCP reference memory server: a line for each entity and
//! relation. It becomes the graph that `mnemon mcp --profile reference` shows:
//! tags, metadata and links are those of `crates/server/src/mcp/reference`.

use std::io::BufRead;

use mnemon::Result;
use mnemon::memory::{Kind, Link, MemoryId, Space, Tag};
use serde_json::{Value, json};

use super::reading::{Message, Reading, missing, text};
use super::{ids, input};

/// Reads a graph, in lines or as one object with both lists.
pub(super) fn read(input: &mut dyn BufRead, reading: &mut Reading<'_>) -> Result<()> {
    let mut first = true;
    input::lines(input, |number, line| {
        let place = format!("line {number}");
        let is_first = std::mem::take(&mut first);
        let line = match line
            .map_err(str::to_owned)
            .and_then(|line| input::value(&line))
        {
            Ok(line) => line,
            Err(problem) => return reading.problem(place, problem),
        };
        if is_first && (line["entities"].is_array() || line["relations"].is_array()) {
            let entities = line["entities"].as_array().into_iter().flatten();
            for (number, item) in entities.enumerate() {
                entity(format!("entities[{number}]"), item, reading)?;
            }
            let relations = line["relations"].as_array().into_iter().flatten();
            for (number, item) in relations.enumerate() {
                relation(format!("relations[{number}]"), item, reading)?;
            }
            return Ok(());
        }
        match text(&line, "type") {
            Some("entity") => entity(place, &line, reading),
            Some("relation") => relation(place, &line, reading),
            _ => reading.problem(place, "it is no entity and no relation"),
        }
    })
}

/// The id of a part of the graph; the same graph in a session is another one.
fn part_id(reading: &Reading<'_>, parts: &[&str]) -> MemoryId {
    let space = reading.about.space.as_ref().map(ToString::to_string);
    let mut all = vec!["graph"];
    all.extend(parts);
    all.extend(space.as_deref());
    ids::memory(Kind::Fact, &all)
}

fn entity_id(reading: &Reading<'_>, name: &str) -> MemoryId {
    part_id(reading, &["entity", name])
}

fn entity(place: String, item: &Value, reading: &mut Reading<'_>) -> Result<()> {
    let Some(name) = text(item, "name") else {
        return reading.problem(place, missing("`name`"));
    };
    let kind = text(item, "entityType").unwrap_or("thing");
    let about = json!({ "entity": name, "entity_type": kind });
    let said = format!("{name} ({kind})");
    let id = entity_id(reading, name);
    keep(
        place.clone(),
        id,
        said,
        "graph.entity",
        about,
        vec![],
        reading,
    )?;
    let observations = item["observations"].as_array().into_iter().flatten();
    for (number, observation) in observations.enumerate() {
        let place = format!("{place}.observations[{number}]");
        let said = match observation {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        let id = part_id(reading, &["observation", name, &said]);
        let links = vec![Link {
            rel: "about".parse()?,
            to: entity_id(reading, name),
        }];
        let about = json!({ "entity": name });
        let said = format!("{name}: {said}");
        keep(place, id, said, "graph.observation", about, links, reading)?;
    }
    Ok(())
}

fn relation(place: String, item: &Value, reading: &mut Reading<'_>) -> Result<()> {
    let (Some(from), Some(to)) = (text(item, "from"), text(item, "to")) else {
        return reading.problem(place, missing("`from` or no `to`"));
    };
    let kind = text(item, "relationType").unwrap_or("related to");
    let id = part_id(reading, &["relation", from, kind, to]);
    let mut links = Vec::new();
    for (rel, name) in [("from", from), ("to", to)] {
        links.push(Link {
            rel: rel.parse()?,
            to: entity_id(reading, name),
        });
    }
    let about = json!({ "from": from, "to": to, "relation_type": kind });
    let said = format!("{from} {kind} {to}");
    keep(place, id, said, "graph.relation", about, links, reading)
}

fn keep(
    place: String,
    id: MemoryId,
    said: String,
    tag: &str,
    about: Value,
    links: Vec<Link>,
    reading: &mut Reading<'_>,
) -> Result<()> {
    let mut message = Message::new(place, id, Kind::Fact, said);
    reading.about.user.clone_into(&mut message.author);
    message.links = links;
    message.tags = vec![tag.parse::<Tag>()?];
    if let Value::Object(members) = about {
        message.metadata = members;
    }
    // A session that fills up must not lose a part of the graph.
    message.pinned = matches!(reading.about.space, Some(Space::Session(_)));
    reading.message(message)
}
