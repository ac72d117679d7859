//! A request that was let in: who asks, and what was said, read field by field.

use jiff::tz::TimeZone;
use mnemon::config::ServerConfig;
use mnemon::memory::{AgentId, SessionId};
use mnemon::recall::Query;
use mnemon::store::{Filter, Sort};
use mnemon::{Caller, Error, Mnemon, Result};
use mnemon_wire::RecallRequest;
use mnemon_wire::request::parse_json;
use serde_json::{Map, Value};

use super::depth;
use crate::background::Background;
use crate::opened::Opened;
use crate::request::fields::{self, Arguments};

/// What the engine is asked.
pub(crate) struct Asked<'a> {
    pub(crate) opened: Opened,
    pub(crate) background: &'a Background,
    pub(crate) zone: &'a TimeZone,
    /// The parts of the path, by their names.
    pub(crate) parts: Vec<(&'static str, String)>,
    /// What stands behind the question mark.
    pub(crate) query: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
    /// The version that `If-Match` demands.
    pub(crate) if_match: Option<u64>,
    /// What ids are made from, if the request came with a key.
    pub(crate) seed: Option<[u8; 32]>,
    /// Whether the same request had begun before, and nobody knows how it ended.
    pub(crate) begun_before: bool,
}

impl Asked<'_> {
    pub(crate) fn engine(&self) -> &Mnemon {
        &self.opened.engine
    }

    pub(crate) fn caller(&self) -> &Caller {
        &self.opened.caller
    }

    pub(crate) fn limits(&self) -> &ServerConfig {
        &self.engine().config().server
    }

    /// How far ahead of the clock a time may be before it is flagged.
    pub(crate) fn skew(&self) -> u64 {
        self.engine().config().limits.future_skew_minutes.into()
    }

    /// A part of the path.
    pub(crate) fn part(&self, name: &str) -> &str {
        let part = self.parts.iter().find(|(own, _)| *own == name);
        part.map_or("", |(_, value)| value)
    }

    pub(crate) fn session_part(&self) -> Result<SessionId> {
        self.part("session").parse()
    }

    pub(crate) fn agent_part(&self) -> Result<AgentId> {
        self.part("agent").parse()
    }

    /// What stands behind the question mark, once.
    pub(crate) fn parameter(&self, name: &'static str) -> Result<Option<&str>> {
        let mut all = self.query.iter().filter(|(own, _)| own == name);
        let first = all.next().map(|(_, value)| value.as_str());
        match all.next() {
            None => Ok(first),
            Some(_) => Err(invalid(name, "is given twice")),
        }
    }

    pub(crate) fn flag(&self, name: &'static str) -> Result<bool> {
        match self.parameter(name)? {
            None | Some("false") => Ok(false),
            Some("true" | "") => Ok(true),
            Some(_) => Err(invalid(name, "must be true or false")),
        }
    }

    pub(crate) fn count(&self, name: &'static str, max: u64) -> Result<Option<u64>> {
        let Some(text) = self.parameter(name)? else {
            return Ok(None);
        };
        let number = text.parse().ok().filter(|number| *number <= max);
        let refused = || invalid(name, format!("must be a whole number from 0 to {max}"));
        number.map(Some).ok_or_else(refused)
    }

    /// The session in which bare handles are looked up.
    pub(crate) fn session_parameter(&self) -> Result<Option<SessionId>> {
        self.parameter("session")?.map(str::parse).transpose()
    }

    /// The reason, behind the question mark.
    pub(crate) fn reason(&self) -> Result<&str> {
        let missing = || fields::missing("reason");
        self.parameter("reason")?.ok_or_else(missing)
    }

    /// The JSON of the body; nothing at all is an empty object.
    pub(crate) fn json(&self) -> Result<Value> {
        if self.body.is_empty() {
            return Ok(Value::Object(Map::new()));
        }
        let text = depth::text(&self.body, self.limits().json_depth_max)?;
        parse_json("JSON", text)
    }

    /// The members of the body; those that are not known are refused.
    pub(crate) fn members(&self, known: &[&str]) -> Result<Arguments> {
        let members = self.object()?;
        fields::only(&members, known)?;
        Ok(members)
    }

    pub(crate) fn object(&self) -> Result<Arguments> {
        match self.json()? {
            Value::Object(members) => Ok(members),
            other => Err(Error::InvalidQuery {
                field: "body".into(),
                problem: format!(
                    "must be an object (given: {})",
                    fields::short(&other.to_string())
                ),
            }),
        }
    }

    /// The engine as at the moment that `as_of` names, if it names one.
    pub(crate) fn at_moment<T>(&self, ask: impl FnOnce(&Mnemon) -> Result<T>) -> Result<T> {
        match self.parameter("as_of")? {
            None => ask(self.engine()),
            Some(text) => {
                let moment =
                    mnemon_wire::request::past_moment(text, self.engine().now(), self.zone)?;
                ask(&self.engine().as_of(moment)?)
            }
        }
    }

    /// The filters behind the question mark, without the parameters that a route has beside them.
    pub(crate) fn request(&self, beside: &[&str]) -> Result<RecallRequest> {
        let schema = RecallRequest::schema();
        let mut members = Map::new();
        for (name, value) in &self.query {
            if beside.contains(&name.as_str()) {
                continue;
            }
            let sort = schema["properties"][name]["type"].as_str().unwrap_or("");
            let value = typed(sort, value);
            match members.get_mut(name) {
                None => drop(members.insert(name.clone(), value)),
                Some(Value::Array(all)) => all.push(value),
                Some(single) => *single = Value::Array(vec![single.take(), value]),
            }
        }
        // One of several `key=value` is a list of one.
        if let Some(pair @ Value::String(_)) = members.get_mut("meta") {
            *pair = Value::Array(vec![pair.take()]);
        }
        let request = RecallRequest::parse(Value::Object(members))?;
        self.check_page(request.limit)?;
        Ok(request)
    }

    /// The filter of a list, in its own order.
    pub(crate) fn filter(&self, engine: &Mnemon, beside: &[&str]) -> Result<Filter> {
        let request = self.request(beside)?;
        let (filter, sort) = self.narrowed(engine, &request)?;
        match (request.sort, sort) {
            (_, Some(sort)) => Ok(Filter { sort, ..filter }),
            (None, None) => Ok(filter),
            (Some(_), None) => Err(invalid(
                "sort",
                "relevance needs a question, and /v1/recall takes one",
            )),
        }
    }

    /// The filter, and the order if it is not by relevance.
    pub(crate) fn narrowed(
        &self,
        engine: &Mnemon,
        request: &RecallRequest,
    ) -> Result<(Filter, Option<Sort>)> {
        let now = engine.now();
        let all = Filter::all(now.micros());
        let filter = Filter {
            limit: all.limit.min(self.limits().page_max),
            ..all
        };
        let filter = request.narrow(filter, now, self.zone)?;
        Ok((filter, request.sort.flatten()))
    }

    /// A question with its filters.
    pub(crate) fn question(&self, request: &RecallRequest, engine: &Mnemon) -> Result<Query> {
        request.question()?;
        self.check_page(request.limit)?;
        request.to_query(engine.now(), self.zone)
    }

    /// Refuses a page that is larger than the settings allow.
    pub(crate) fn check_page(&self, limit: Option<usize>) -> Result<()> {
        let max = self.limits().page_max;
        match limit.filter(|limit| *limit > max) {
            None => Ok(()),
            Some(limit) => Err(invalid(
                "limit",
                format!("must be a whole number from 0 to {max} (given: {limit})"),
            )),
        }
    }

    /// Refuses more things in one request than the settings allow, and none.
    pub(crate) fn check_batch(&self, field: &'static str, number: usize) -> Result<()> {
        let max = self.limits().batch_max;
        if (1..=max).contains(&number) {
            return Ok(());
        }
        Err(Error::Rule {
            field,
            rule: format!("a list of 1 to {max}"),
            given: number.to_string(),
        })
    }

    /// Something was written: what goes on beside the answers may have to.
    pub(crate) fn wrote(&self) {
        self.background.after_write(&self.opened);
    }
}

/// A value of a query string as JSON; what is wrong with it, the request says.
fn typed(sort: &str, text: &str) -> Value {
    let json = match sort {
        "integer" | "number" => text.parse::<serde_json::Number>().ok().map(Value::Number),
        "boolean" if text.is_empty() => Some(Value::Bool(true)),
        "boolean" => text.parse().ok().map(Value::Bool),
        _ => None,
    };
    json.unwrap_or_else(|| Value::String(text.to_owned()))
}

pub(crate) fn invalid(field: &'static str, problem: impl Into<String>) -> Error {
    Error::InvalidQuery {
        field: field.into(),
        problem: problem.into(),
    }
}
