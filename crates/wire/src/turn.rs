//! A turn with all that came of it: how it is handed in, and what is told of it.

use mnemon::engine::{AfterTurn, KeptTurn};
use mnemon::memory::Draft;
use mnemon::nearest::nearest;
use mnemon::{Error, Result};
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::parse::{parse_memory, rule};
use crate::report::RememberedShape;

/// Reads `{"turn": … or […], "memories": […], "state": …}`; texts stand for memories of their own.
pub fn parse_turn(value: Value) -> Result<AfterTurn> {
    let Value::Object(mut map) = value else {
        return Err(rule(
            "turn",
            "an object with turn, memories and state",
            &value.to_string(),
        ));
    };
    let turns = match map.remove("turn") {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::Array(turns)) => turns,
        Some(turn) => vec![turn],
    };
    let memories = match map.remove("memories") {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::Array(memories)) => memories,
        Some(other) => return Err(rule("memories", "a list", &other.to_string())),
    };
    let state = map.remove("state").filter(|state| !state.is_null());
    if let Some((name, _)) = map.iter().next() {
        return Err(Error::UnknownMember {
            name: name.clone(),
            nearest: nearest(name, ["turn", "memories", "state"]).map(str::to_owned),
        });
    }
    let all = |values: Vec<Value>, kind| values.into_iter().map(|it| draft(it, kind)).collect();
    let turns: Result<Vec<Draft>> = all(turns, "conversation");
    let memories: Result<Vec<Draft>> = all(memories, "fact");
    Ok(AfterTurn {
        turns: turns?,
        memories: memories?,
        state: state.map(|it| draft(it, "state")).transpose()?,
    })
}

fn draft(value: Value, kind: &str) -> Result<Draft> {
    let mut map = match value {
        Value::String(text) => Map::from_iter([("text".to_owned(), json!(text))]),
        Value::Object(map) => map,
        other => return Err(rule("turn", "a text or a memory", &other.to_string())),
    };
    map.entry("kind").or_insert_with(|| json!(kind));
    let parsed = parse_memory(Value::Object(map))?;
    if let Some(space) = parsed.space {
        let all = "left out: a turn and all that comes of it are kept in its session";
        return Err(rule("space", all, &space.to_string()));
    }
    Ok(parsed.draft)
}

/// What became of a turn.
#[derive(Debug, Serialize)]
pub struct KeptTurnShape<'a> {
    turn: Vec<RememberedShape<'a>>,
    memories: Vec<RememberedShape<'a>>,
    state: Option<RememberedShape<'a>>,
}

impl<'a> KeptTurnShape<'a> {
    /// The shape of it.
    pub fn of(kept: &'a KeptTurn) -> Self {
        Self {
            turn: kept.turns.iter().map(RememberedShape::of).collect(),
            memories: kept.memories.iter().map(RememberedShape::of).collect(),
            state: kept.state.as_ref().map(RememberedShape::of),
        }
    }
}
