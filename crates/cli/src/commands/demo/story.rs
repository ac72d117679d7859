//! The story of the demo: how people sign in, decided in an afternoon.

use mnemon::engine::NewSession;
use mnemon::memory::{Body, Draft, Importance, Kind, Link, MemoryId, Resolution, Revision, Space};
use mnemon::session::SessionDetails;
use mnemon::{Caller, Mnemon, Result, Time};
use serde_json::{Value, json};

/// The session that it happens in.
pub(super) const SESSION: &str = "auth-review";

const USER: &str = "dana";
const ARCHITECT: &str = "architect";
const REVIEWER: &str = "security-reviewer";

/// Keeps the story, and says how many memories it has.
pub(super) fn tell(engine: &Mnemon) -> Result<u64> {
    let space = Space::Session(SESSION.parse()?);
    let details = SessionDetails {
        agents: vec![ARCHITECT.into(), REVIEWER.into()],
        phase: Some("design".into()),
        project: Some("mobile-app".into()),
        tags: vec!["security.authentication".parse()?],
        user: Some(USER.into()),
        ..SessionDetails::default()
    };
    let new = NewSession {
        id: Some(SESSION.parse()?),
        details,
    };
    engine.create_session(&Caller::user(USER), new)?;
    let mut teller = Teller {
        engine,
        space,
        minutes_ago: 190,
        told: 0,
    };
    teller.first_design()?;
    teller.better_design()?;
    teller.what_stays()?;
    Ok(teller.told)
}

struct Teller<'a> {
    engine: &'a Mnemon,
    space: Space,
    minutes_ago: i64,
    told: u64,
}

/// One memory of the story.
struct Scene<'a> {
    kind: Kind,
    by: &'a str,
    text: &'a str,
    importance: f64,
    tags: &'a [&'a str],
    links: Vec<(&'a str, MemoryId)>,
    body: Value,
}

impl Teller<'_> {
    fn first_design(&mut self) -> Result<()> {
        self.turn(
            USER,
            "People should stay signed in on their phones. How do we do that safely?",
        )?;
        let proposal = self.turn(
            ARCHITECT,
            "I propose signed tokens (JWT) that the phone keeps for a day: no lookup on each call.",
        )?;
        let first = self.keep(Scene {
            kind: Kind::Decision,
            by: ARCHITECT,
            text: "Access tokens are JWTs that are valid for 24 hours",
            importance: 0.7,
            tags: &["security.authentication", "tokens"],
            links: vec![("related", proposal)],
            body: json!({
                "rationale": "No lookup on each call, and people sign in once a day at most",
                "alternatives": [
                    {"option": "Server-side sessions", "rejected_because": "A lookup on each call"},
                    {"option": "Long-lived API keys", "rejected_because": "Nobody ever rotates them"},
                ],
                "made_by": ARCHITECT,
                "impact": "high",
                "reversible": true,
            }),
        })?;
        self.turn(REVIEWER, "I looked at that: two things worry me.")?;
        let token = self.keep(Scene {
            kind: Kind::Finding,
            by: REVIEWER,
            text: "A stolen token works for up to 24 hours and can't be revoked",
            importance: 0.9,
            tags: &["security.authentication", "tokens"],
            links: vec![("influenced", first.clone())],
            body: json!({
                "severity": "high",
                "category": "session management",
                "evidence": "No revocation list, and the signature is all that is checked",
                "recommendation": "Short-lived tokens with rotating refresh tokens",
                "discovered_by": REVIEWER,
                "status": "open",
            }),
        })?;
        self.keep(Scene {
            kind: Kind::Finding,
            by: REVIEWER,
            text: "The sign-in endpoint has no rate limit: passwords can be guessed",
            importance: 0.95,
            tags: &["security.authentication", "rate-limit"],
            links: vec![],
            body: json!({
                "severity": "critical",
                "category": "brute force",
                "recommendation": "Five tries a minute for each account and address",
                "discovered_by": REVIEWER,
                "status": "open",
            }),
        })?;
        self.settle_tokens(&first, &token)
    }

    fn settle_tokens(&mut self, first: &MemoryId, finding: &MemoryId) -> Result<()> {
        let agreed = self.turn(
            USER,
            "Then short-lived tokens it is, as long as nobody has to type a password every hour.",
        )?;
        self.keep(Scene {
            kind: Kind::Decision,
            by: ARCHITECT,
            text: "Access tokens live for 15 minutes; refresh tokens rotate and can be revoked",
            importance: 0.9,
            tags: &["security.authentication", "tokens"],
            links: vec![
                ("supersedes", first.clone()),
                ("resolves", finding.clone()),
                ("related", agreed),
            ],
            body: json!({
                "rationale": "A stolen token is worth 15 minutes, and nobody signs in more often",
                "alternatives": [
                    {"option": "A revocation list", "rejected_because": "A lookup on each call after all"},
                ],
                "made_by": ARCHITECT,
                "agreed_by": [REVIEWER],
                "approved_by": [USER],
                "impact": "high",
            }),
        })?;
        self.resolve(
            REVIEWER,
            finding,
            "Tokens live for 15 minutes and refresh tokens rotate",
        )?;
        self.resolve(
            ARCHITECT,
            first,
            "Replaced by the decision for short-lived tokens",
        )
    }

    fn better_design(&mut self) -> Result<()> {
        self.keep(Scene {
            kind: Kind::Preference,
            by: USER,
            text: "Dana wants the risk named before the recommendation",
            importance: 0.8,
            tags: &["communication"],
            links: vec![],
            body: json!({
                "category": "communication",
                "key": "report_order",
                "value": "risk_first",
                "confidence": "explicit",
            }),
        })?;
        self.turn(
            ARCHITECT,
            "I wrote the flow down; the limit on sign-in is still open.",
        )?;
        self.keep(Scene {
            kind: Kind::Artifact,
            by: ARCHITECT,
            text: "Sequence diagram of sign-in, refresh and sign-out",
            importance: 0.5,
            tags: &["security.authentication"],
            links: vec![],
            body: json!({"type": "diagram", "path": "docs/sign-in.md", "status": "draft"}),
        })?;
        Ok(())
    }

    /// What outlives the session.
    fn what_stays(&mut self) -> Result<()> {
        self.space = Space::Agent(REVIEWER.parse()?);
        self.keep(Scene {
            kind: Kind::Learning,
            by: REVIEWER,
            text: "Ask how a token is revoked before asking how it is signed",
            importance: 0.7,
            tags: &["security.review"],
            links: vec![],
            body: json!({"trigger": "a design with tokens", "confidence": "high"}),
        })?;
        self.space = Space::Shared;
        self.keep(Scene {
            kind: Kind::Preference,
            by: USER,
            text: "Dana likes short answers with an example",
            importance: 0.8,
            tags: &["communication"],
            links: vec![],
            body: json!({"key": "response_style", "value": "short_with_example", "confidence": "inferred"}),
        })?;
        Ok(())
    }

    fn turn(&mut self, by: &str, text: &str) -> Result<MemoryId> {
        let role = if by == USER { "user" } else { "assistant" };
        self.keep(Scene {
            kind: Kind::Conversation,
            by,
            text,
            importance: 0.5,
            tags: &[],
            links: vec![],
            body: json!({"role": role, "speaker": by, "topic": "authentication"}),
        })
    }

    fn keep(&mut self, scene: Scene<'_>) -> Result<MemoryId> {
        let mut draft = Draft::new(scene.kind, scene.text.parse()?);
        draft.author = Some(scene.by.parse()?);
        draft.importance = Importance::try_from(scene.importance)?;
        draft.created_at = Some(self.next_moment()?);
        for tag in scene.tags {
            draft.tags.push(tag.parse()?);
        }
        for (rel, to) in scene.links {
            draft.links.push(Link {
                rel: rel.parse()?,
                to,
            });
        }
        if let Value::Object(members) = scene.body {
            draft.body = Body::from_map(scene.kind, members)?;
        }
        let kept = self
            .engine
            .remember(&Caller::user(scene.by), &self.space, draft)?;
        self.told += 1;
        Ok(kept.id)
    }

    fn resolve(&self, by: &str, id: &MemoryId, how: &str) -> Result<()> {
        let caller = Caller::user(by);
        let memory = self.engine.find(&caller, id.as_str(), None)?;
        let revision = Revision {
            resolution: Some(Resolution::Resolve(how.into())),
            ..Revision::default()
        };
        self.engine.revise(&caller, &memory, None, revision)?;
        Ok(())
    }

    /// The story took an afternoon, so its memories are not all of the same age.
    fn next_moment(&mut self) -> Result<Time> {
        let now = self.engine.now().micros();
        let then = now - self.minutes_ago * 60_000_000;
        self.minutes_ago -= 13;
        Time::from_micros(then)
    }
}
