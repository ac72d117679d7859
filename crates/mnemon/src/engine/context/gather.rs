//! Gathering what could be in a pack, section by section, the best first.

use super::preferences::{is_about, newest_of_each_key};
use crate::caller::{Caller, Who};
use crate::context::selector::By;
use crate::context::{Candidate, ContextRequest, Section, Selector};
use crate::decay::At;
use crate::engine::Mnemon;
use crate::error::Result;
use crate::memory::body::finding::badness;
use crate::memory::{Body, Kind, Memory, SessionId, Space};
use crate::recall::{Hit, Query, Question};
use crate::session::Session;
use crate::store::{Filter, Sort, Status};
use crate::tier::Gate;

/// How many memories of a section are looked at; more than any budget holds.
const PER_SECTION: usize = 50;

/// What an agent knows; preferences and states have sections of their own.
const KNOWLEDGE: [Kind; 8] = [
    Kind::Conversation,
    Kind::Decision,
    Kind::Finding,
    Kind::Learning,
    Kind::Fact,
    Kind::Event,
    Kind::Procedure,
    Kind::Artifact,
];

/// What is less near in meaning, and shares no word with the topic, is not about it.
const ABOUT: f64 = 0.6;

/// Decisions of which time has left less than this are not told unless they are about the topic,
/// whatever their importance.
const FACTOR_MIN: f64 = 0.5;

/// A topic that is taken from the last turns is not longer, in characters.
const TOPIC_CHARS: usize = 600;

/// How many of the last turns say what it is about.
const TOPIC_TURNS: usize = 3;

/// Who asks for what.
pub(super) struct Gathering<'a> {
    engine: &'a Mnemon,
    caller: &'a Caller,
    session: SessionId,
    topic: Option<String>,
}

impl<'a> Gathering<'a> {
    pub(super) fn new(
        engine: &'a Mnemon,
        caller: &'a Caller,
        session: &Session,
        request: &ContextRequest,
    ) -> Result<Self> {
        let mut gathering = Self {
            engine,
            caller,
            session: session.id.clone(),
            topic: request.topic.clone(),
        };
        if gathering.topic.is_none() {
            let turns = gathering.turns(TOPIC_TURNS)?;
            let said: Vec<&str> = turns.iter().map(|turn| turn.memory.text.as_str()).collect();
            let said: String = said.join("\n").chars().take(TOPIC_CHARS).collect();
            gathering.topic = (!said.trim().is_empty()).then_some(said);
        }
        Ok(gathering)
    }

    /// What every agent gets that does not say what it wants.
    pub(super) fn usual(&self) -> Result<Vec<Candidate>> {
        let mut all = self.states(None)?;
        all.extend(self.preferences(None)?);
        all.extend(self.turns(ContextRequest::TURNS)?);
        all.extend(self.findings(&By::Request)?);
        all.extend(self.decisions(&By::Request)?);
        all.extend(self.long_term(&By::Request)?);
        Ok(all)
    }

    pub(super) fn selected(&self, selectors: &[Selector]) -> Result<Vec<Candidate>> {
        let mut all = Vec::new();
        for selector in selectors {
            all.extend(match selector {
                Selector::LastTurns(count) => self.turns(*count)?,
                Selector::Decisions(by) => self.decisions(by)?,
                Selector::Findings(by) => self.findings(by)?,
                Selector::Preferences(key) => self.preferences(key.as_deref())?,
                Selector::State(agent) => self.states(agent.as_deref())?,
                Selector::LongTerm(by) => self.long_term(by)?,
                Selector::Ask { query, purpose } => self.asked(query, purpose.as_deref())?,
            });
        }
        Ok(all)
    }

    /// The last turns, the newest first.
    fn turns(&self, count: usize) -> Result<Vec<Candidate>> {
        let filter = Filter {
            limit: count,
            ..self.of_session(Kind::Conversation)
        };
        let reason = format!("one of the last {count} turns");
        self.list(&filter, Section::Conversation, |_| reason.clone())
    }

    /// The asking agent's own; a person may ask for anybody's.
    fn states(&self, agent: Option<&str>) -> Result<Vec<Candidate>> {
        let own = match &self.caller.who {
            Who::Agent(id) => Some(id.as_str()),
            Who::User(_) => None,
        };
        let whose = match (agent, own) {
            (Some(agent), Some(own)) if agent != own => return Ok(Vec::new()),
            (Some(agent), _) => agent,
            (None, Some(own)) => own,
            (None, None) => return Ok(Vec::new()),
        };
        let filter = Filter {
            limit: PER_SECTION,
            ..self.of_session(Kind::State)
        };
        let is_whose = |memory: &Memory| {
            let names = memory.private_to();
            names.is_some_and(|names| names.contains(&whose))
        };
        let reason = format!("the last state of {whose}");
        let mut states = self.list(&filter, Section::State, |_| reason.clone())?;
        states.retain(|state| is_whose(&state.memory));
        // Each state takes the place of the one before.
        states.truncate(1);
        Ok(states)
    }

    /// Pinned ones first, then the more important.
    fn preferences(&self, key: Option<&str>) -> Result<Vec<Candidate>> {
        let filter = Filter {
            spaces: self.everywhere(),
            kinds: vec![Kind::Preference],
            sort: Sort::Importance,
            limit: PER_SECTION,
            ..self.filter()
        };
        let mut found = self.list(&filter, Section::Preferences, |memory| {
            let place = self.place(memory);
            if memory.pinned {
                format!("a pinned preference {place}")
            } else {
                format!("a preference {place}")
            }
        })?;
        if let Some(wanted) = key {
            let wanted = wanted.to_lowercase();
            found.retain(|candidate| is_about(&candidate.memory, &wanted));
            for candidate in &mut found {
                candidate.reason = format!("{}, for `{wanted}`", candidate.reason);
            }
        }
        found.sort_by_key(|candidate| !candidate.memory.pinned);
        Ok(newest_of_each_key(found))
    }

    /// Open ones, the worst first.
    fn findings(&self, by: &By) -> Result<Vec<Candidate>> {
        let status = match by {
            By::Status(status) if status == "resolved" => Status::Resolved,
            _ => Status::Open,
        };
        let filter = Filter {
            status: Some(status),
            sort: Sort::Importance,
            limit: PER_SECTION,
            ..self.of_session(Kind::Finding)
        };
        let filter = Self::narrowed(filter, by)?;
        let word = if status == Status::Open {
            "open"
        } else {
            "resolved"
        };
        let mut found = match by {
            By::Topic(topic) => self.about(filter, topic, Section::Findings)?,
            _ => self.list(&filter, Section::Findings, |_| String::new())?,
        };
        for candidate in &mut found {
            let severity = severity(&candidate.memory).map(|word| format!(", {word}"));
            let about = match by {
                By::Topic(topic) => format!(", about {topic}"),
                _ => String::new(),
            };
            candidate.reason = format!("{word} finding{}{about}", severity.unwrap_or_default());
        }
        if let By::Severity(wanted) = by {
            found.retain(|candidate| {
                severity(&candidate.memory).is_some_and(|own| own.eq_ignore_ascii_case(wanted))
            });
        }
        found.sort_by_key(|candidate| place_of(severity(&candidate.memory)));
        Ok(found)
    }

    /// Those about the topic, then what has not faded.
    fn decisions(&self, by: &By) -> Result<Vec<Candidate>> {
        let filter = Filter {
            limit: PER_SECTION,
            ..self.of_session(Kind::Decision)
        };
        let filter = Self::narrowed(filter, by)?;
        match (by, &self.topic) {
            (By::Topic(topic), _) => self.about(filter, topic, Section::Decisions),
            (By::Request, topic) => {
                let mut found = match topic {
                    Some(topic) => self.about(filter.clone(), topic, Section::Decisions)?,
                    None => Vec::new(),
                };
                let all = Filter {
                    sort: Sort::Priority,
                    ..filter
                };
                let mut fresh = self.list(&all, Section::Decisions, |_| {
                    "a decision that has not faded".into()
                })?;
                let rules = self.engine.current_rules()?;
                let at = At {
                    rules: &rules,
                    now_micros: self.engine.now().micros(),
                };
                fresh.retain(|it| at.fade(&it.memory).factor >= FACTOR_MIN);
                found.extend(fresh);
                Ok(found)
            }
            _ => self.list(&filter, Section::Decisions, |_| "a decision".into()),
        }
    }

    /// What the asking agent and everybody knows, if it is about the topic.
    fn long_term(&self, by: &By) -> Result<Vec<Candidate>> {
        let spaces: Vec<Space> = self
            .everywhere()
            .into_iter()
            .filter(|space| space.session().is_none())
            .collect();
        let filter = Filter {
            spaces,
            kinds: KNOWLEDGE.to_vec(),
            limit: PER_SECTION,
            ..self.filter()
        };
        let filter = Self::narrowed(filter, by)?;
        match (by, &self.topic) {
            (By::Topic(topic), _) | (By::Request, Some(topic)) => {
                self.about(filter, topic, Section::Knowledge)
            }
            (By::Request, None) => {
                let filter = Filter {
                    sort: Sort::Priority,
                    ..filter
                };
                self.list(&filter, Section::Knowledge, |memory| {
                    format!("{} {}", memory.kind(), self.place(memory))
                })
            }
            _ => self.list(&filter, Section::Knowledge, |memory| {
                format!("{} {}", memory.kind(), self.place(memory))
            }),
        }
    }

    /// Whatever answers a question of the workflow, from everywhere that the caller reads.
    fn asked(&self, query: &str, purpose: Option<&str>) -> Result<Vec<Candidate>> {
        let filter = Filter {
            spaces: self.everywhere(),
            limit: Query::LIMIT,
            ..self.filter()
        };
        let mut found = self.about(filter, query, Section::Knowledge)?;
        for candidate in &mut found {
            candidate.section = match candidate.memory.kind() {
                Kind::Decision => Section::Decisions,
                Kind::Preference => Section::Preferences,
                Kind::Finding if candidate.memory.body.is_open() == Some(true) => Section::Findings,
                _ => Section::Knowledge,
            };
            candidate.reason = match purpose {
                Some(purpose) => format!("answers `{query}`: {purpose}"),
                None => format!("answers `{query}`"),
            };
        }
        // States are their agent's alone.
        found.retain(|candidate| candidate.memory.kind() != Kind::State);
        Ok(found)
    }

    fn narrowed(mut filter: Filter, by: &By) -> Result<Filter> {
        match by {
            By::Tag(tag) => filter.tags = vec![tag.parse()?],
            By::Author(author) => filter.authors = vec![author.clone()],
            By::Status(status) => {
                filter.status = Some(if status == "open" {
                    Status::Open
                } else {
                    Status::Resolved
                });
            }
            By::Request | By::Topic(_) | By::Severity(_) => {}
        }
        Ok(filter)
    }

    /// What is about a topic, the best first.
    fn about(&self, filter: Filter, topic: &str, section: Section) -> Result<Vec<Candidate>> {
        let limit = filter.limit;
        let Ok(question) = Question::parse(topic) else {
            return Ok(Vec::new());
        };
        let mut query = Query::new(question, filter);
        query.filter.limit = limit;
        let recalled = self.engine.recall_uncounted(self.caller, &query)?;
        let is_about = |hit: &Hit| hit.has_term || hit.similarity.is_some_and(|near| near >= ABOUT);
        Ok(recalled
            .hits
            .into_iter()
            .filter(is_about)
            .map(|hit| Candidate {
                reason: reason_of(&hit, &self.place(&hit.memory)),
                memory: hit.memory,
                section,
                also_by: Vec::new(),
            })
            .collect())
    }

    fn list(
        &self,
        filter: &Filter,
        section: Section,
        reason: impl Fn(&Memory) -> String,
    ) -> Result<Vec<Candidate>> {
        let selection = self.engine.list(self.caller, filter)?;
        Ok(selection
            .memories
            .into_iter()
            // A placeholder tells an agent nothing.
            .filter(|memory| memory.closed().is_none())
            .map(|memory| Candidate {
                reason: reason(&memory),
                memory,
                section,
                also_by: Vec::new(),
            })
            .collect())
    }

    fn filter(&self) -> Filter {
        Filter::all(self.engine.now().micros())
    }

    fn of_session(&self, kind: Kind) -> Filter {
        Filter {
            spaces: vec![Space::Session(self.session.clone())],
            kinds: vec![kind],
            ..self.filter()
        }
    }

    /// The session, what everybody shares, and the asking agent's own.
    fn everywhere(&self) -> Vec<Space> {
        let mut spaces = vec![Space::Session(self.session.clone()), Space::Shared];
        let tier = self.engine.tier_of(self.caller);
        if let Who::Agent(id) = &self.caller.who
            && tier.includes(Gate::LongTermMemory)
        {
            spaces.push(Space::Agent(id.clone()));
        }
        spaces
    }

    fn place(&self, memory: &Memory) -> String {
        match &memory.space {
            Space::Session(session) if *session == self.session => "of this session".into(),
            Space::Session(session) => format!("of session {session}"),
            Space::Agent(agent) => format!("of {agent}"),
            Space::Shared => "of everybody".into(),
        }
    }
}

fn reason_of(hit: &Hit, place: &str) -> String {
    let kind = hit.memory.kind();
    match hit.similarity.filter(|near| *near >= ABOUT) {
        Some(near) => format!("{kind} {place}, near the topic (similarity {near:.2})"),
        None => format!("{kind} {place}, shares words with the topic"),
    }
}

fn severity(memory: &Memory) -> Option<&str> {
    match &memory.body {
        Body::Finding(finding) => finding.severity.as_deref(),
        _ => None,
    }
}

/// How far behind a finding stands; words that nobody knows stand in the middle.
fn place_of(severity: Option<&str>) -> u8 {
    severity.and_then(badness).unwrap_or(2)
}
