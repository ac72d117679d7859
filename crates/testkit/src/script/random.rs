//! Steps made up by chance, from names so few that they meet again and again.

mod fading;
mod life;

use mnemon::memory::{Handle, Kind, Link, MemoryId, Space, Tag};
use mnemon::session::SessionDetails;
use mnemon::time::Time;
use proptest::collection::vec;
use proptest::option::{of, weighted};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Map, Value, json};

use super::{
    BatchSpec, DraftSpec, FilterSpec, Question, RecallSpec, RevisionSpec, Step, WriteSpec,
};

/// Every id that a memory of a script can have.
pub const IDS: [&str; 12] = [
    "a", "b", "c", "d", "e", "f", "g", "h", "DEC-001", "I", "i", "turn_1",
];

/// Two sessions differ in case only.
const SPACES: [&str; 7] = [
    "session/s",
    "session/s",
    "session/t",
    "session/S",
    "agent/x",
    "agent/y",
    "shared",
];

const TAGS: [&str; 6] = ["a", "a.b", "a.b.c", "ab", "a/", "ß"];

/// Zones, the same moment twice, the same microsecond twice, and the ends of time.
const TIMES: [&str; 9] = [
    "2026-01-10T14:23:45.123456789+02:00",
    "2026-01-10T12:23:45.123456Z",
    "2026-01-10T12:23:45.123456789Z",
    "2026-01-03T00:00:00-11:30",
    "1969-12-31T23:59:59.9999999Z",
    "2027-06-01T00:00:00Z",
    "9999-12-31T23:59:59.999999999-12:00",
    "0000-01-01T00:00:00+14:00",
    "2025-12-01T00:00:00Z",
];

const TEXTS: [&str; 9] = [
    "x",
    "The API answers in JSON",
    "the api again",
    "a\nb\r\nc",
    "nul \0 inside",
    "\u{2028}\u{feff}\"quoted\\\"",
    "👩‍👩‍👧 שלום עולם",
    "STRASSE straße ﬀ İ",
    "{\"op\":\"commit\"}\n{\"op\":\"log\"}",
];

/// The moment around which scripts take place, in microseconds.
const NOW_MICROS: i64 = 1_768_046_400_000_000;

/// So many steps, some of which repeat an earlier batch.
pub fn steps(count: usize) -> impl Strategy<Value = Vec<Step>> {
    let draw = prop_oneof![
        6 => batch().prop_map(Draw::Step),
        1 => (any::<prop::sample::Index>(), now()).prop_map(|(which, now)| Draw::Again(which, now)),
        4 => question().boxed().prop_map(Draw::Step),
        2 => life::step().boxed().prop_map(Draw::Step),
    ];
    vec(draw, count).prop_map(resolve)
}

#[derive(Clone, Debug)]
enum Draw {
    Step(Step),
    /// An earlier batch once more, at another time.
    Again(prop::sample::Index, Time),
}

fn resolve(draws: Vec<Draw>) -> Vec<Step> {
    let mut batches: Vec<BatchSpec> = Vec::new();
    let mut steps = Vec::new();
    for draw in draws {
        let step = match draw {
            Draw::Again(..) if batches.is_empty() => Step::Ask(Box::new(Question::Sessions)),
            Draw::Again(which, now) => Step::Write(Box::new(BatchSpec {
                now,
                ..which.get(&batches).clone()
            })),
            Draw::Step(step) => step,
        };
        if let Step::Write(batch) = &step {
            batches.push((**batch).clone());
        }
        steps.push(step);
    }
    steps
}

fn batch() -> impl Strategy<Value = Step> {
    let writes = prop_oneof![
        6 => vec(write(), 1),
        3 => vec(write(), 2..6),
        2 => (details(), vec(write(), 0..3)).prop_map(|(details, mut writes)| {
            writes.insert(0, WriteSpec::CreateSession(details));
            writes
        }),
        1 => Just(Vec::new()),
    ];
    let by = select(vec!["ann", "bob"]);
    // Nothing fits into no bytes; between that and no bound stores differ.
    let quota = weighted(0.05, Just(0));
    (space(), by, now(), quota, writes).prop_map(|(space, by, now, quota_bytes, writes)| {
        Step::Write(Box::new(BatchSpec {
            space,
            by: by.to_owned(),
            now,
            quota_bytes,
            writes,
        }))
    })
}

fn write() -> impl Strategy<Value = WriteSpec> {
    let draft = draft().prop_map(Box::new);
    let revision = revision().prop_map(Box::new);
    let expected = weighted(0.5, 1..4_u64);
    let count = prop_oneof![20 => 0..3_u64, 1 => Just(u64::MAX)];
    prop_oneof![
        12 => (id(), draft).prop_map(|(id, draft)| WriteSpec::Add { id, draft }),
        6 => (id(), expected, revision)
            .prop_map(|(id, expected, revision)| WriteSpec::Revise { id, expected, revision }),
        3 => (id(), text(), time(), weighted(0.3, (time(), text()))).prop_map(
            |(id, reason, recover_until, earlier)| WriteSpec::Forget {
                id,
                reason,
                recover_until,
                earlier,
            }
        ),
        3 => (id(), text()).prop_map(|(id, reason)| WriteSpec::Restore { id, reason }),
        3 => (id(), count, time())
            .prop_map(|(id, count, last)| WriteSpec::Access { id, count, last }),
        1 => details().prop_map(WriteSpec::CreateSession),
        1 => details().prop_map(WriteSpec::ChangeSession),
    ]
}

fn draft() -> impl Strategy<Value = DraftSpec> {
    let content = (kind(), text(), body(), metadata(), tags(), links());
    let scores = (score(), of(score()), any::<bool>(), any::<bool>());
    let rest = (
        weighted(0.1, handle()),
        of(author()),
        weighted(0.2, id()),
        weighted(0.2, embedding()),
        weighted(0.2, any::<u32>()),
        weighted(0.4, time()),
    );
    (content, scores, rest).prop_map(|(content, scores, rest)| {
        let (kind, text, body, metadata, tags, links) = content;
        let (importance, confidence, pinned, sensitive) = scores;
        let (handle, author, turn, embedding, tokens, created_at) = rest;
        DraftSpec {
            kind,
            text: text.parse().expect("no text is blank"),
            handle,
            author: author.map(|author| author.parse().expect("a name")),
            turn,
            importance: importance.try_into().expect("from 0 to 1"),
            confidence: confidence.map(|it| it.try_into().expect("from 0 to 1")),
            tags,
            links,
            pinned,
            sensitive,
            body,
            metadata,
            embedding,
            tokens,
            created_at,
        }
    })
}

fn revision() -> impl Strategy<Value = RevisionSpec> {
    let content = (
        weighted(0.3, text()),
        weighted(0.2, kind()),
        weighted(0.2, score()),
        weighted(0.2, score()),
        weighted(0.2, any::<bool>()),
        weighted(0.1, any::<bool>()),
    );
    let labels = (tags(), tags(), links(), links());
    let resolution = prop_oneof![text().prop_map(Ok), Just(Err(()))];
    let rest = (
        prop_oneof![2 => Just(Map::new()), 1 => body()],
        metadata(),
        weighted(0.1, embedding()),
        weighted(0.2, resolution),
    );
    (content, labels, rest).prop_map(|(content, labels, rest)| {
        let (text, kind, importance, confidence, pinned, sensitive) = content;
        let (add_tags, remove_tags, add_links, remove_links) = labels;
        let (body, metadata, embedding, resolution) = rest;
        RevisionSpec {
            text: text.map(|text| text.parse().expect("no text is blank")),
            kind,
            importance: importance.map(|it| it.try_into().expect("from 0 to 1")),
            confidence: confidence.map(|it| it.try_into().expect("from 0 to 1")),
            add_tags,
            remove_tags,
            add_links,
            remove_links,
            pinned,
            sensitive,
            body,
            metadata,
            embedding,
            resolution,
        }
    })
}

/// Words of the texts, of nobody, phrases, wildcards, names and dates.
const ASKED: [&str; 16] = [
    "api",
    "the API answers",
    "json answer again",
    "\"api answers\"",
    "ans* a*n",
    "*",
    "the of and",
    "ann about the api",
    "what did x y say",
    "when was it in January 2026",
    "שלום",
    "strasse",
    "log commit",
    "?!",
    "quoted nul inside",
    "nothing at all like it",
];

fn recall() -> impl Strategy<Value = RecallSpec> {
    let mode = select(vec!["hybrid", "hybrid", "text", "semantic"]);
    let profile = select(vec!["balanced", "balanced", "product", "weighted"]);
    let text = select(&ASKED[..]);
    let similarity = prop_oneof![Just(None), Just(Some(0.0)), Just(Some(0.9))];
    let sorted = prop::bool::weighted(0.2);
    (text, mode, profile, filter().boxed(), sorted, similarity).prop_map(
        |(text, mode, profile, filter, sorted, min_similarity)| RecallSpec {
            text: text.into(),
            mode: mode.into(),
            profile: profile.into(),
            filter,
            sorted,
            min_similarity,
        },
    )
}

fn question() -> impl Strategy<Value = Step> {
    prop_oneof![
        8 => plain_question().boxed(),
        1 => (now(), plain_question().boxed()).prop_map(|(moment, asked)| Question::AsOf(moment, Box::new(asked))),
    ]
    .prop_map(|question| Step::Ask(Box::new(question)))
}

fn plain_question() -> impl Strategy<Value = Question> {
    let session = || select(vec!["s", "S", "t", "T"]).prop_map(|id| id.parse().expect("an id"));
    prop_oneof![
        5 => filter().prop_map(|filter| Question::Select(Box::new(filter))),
        2 => id().prop_map(Question::Find),
        2 => (session(), handle()).prop_map(|(session, handle)| Question::FindHandle(session, handle)),
        2 => id().prop_map(Question::History),
        2 => vec(id(), 0..4).prop_map(Question::Neighbours),
        1 => vec(space(), 0..3).prop_map(Question::Walk),
        1 => session().prop_map(Question::Session),
        1 => Just(Question::Sessions),
        1 => Just(Question::Stats),
        5 => recall().boxed().prop_map(|recall| Question::Recall(Box::new(recall))),
    ]
}

fn filter() -> impl Strategy<Value = FilterSpec> {
    let few = |names: &'static [&'static str]| prop_oneof![3 => Just(Vec::new()), 1 => vec(select(names), 1..3)];
    let who = (
        few(&SPACES),
        prop_oneof![3 => Just(Vec::new()), 1 => vec(kind(), 1..4)],
        few(&["ann", "Bob", "x y"]),
        few(&TAGS),
        few(&TAGS),
        few(&TAGS),
    );
    let least = || weighted(0.15, score());
    let bounds = (
        weighted(0.15, time()),
        weighted(0.15, time()),
        least(),
        least(),
        least(),
        weighted(0.15, any::<bool>()),
    );
    let content = (
        weighted(0.2, select(vec!["API", "ß", "x", "", "\0", "İ"])),
        prop_oneof![4 => Just(Vec::new()), 1 => vec(member_text(), 1..3)],
        prop_oneof![3 => Just(Some(false)), 1 => Just(Some(true)), 2 => Just(None)],
        weighted(0.3, (select(vec!["x", "y", "ann"]), any::<bool>())),
    );
    let page = (
        (now(), fading::rules()),
        select(vec![
            "newest",
            "oldest",
            "importance",
            "accessed",
            "access-count",
            "priority",
        ]),
        prop_oneof![Just(usize::MAX), 0..5_usize],
        prop_oneof![4 => Just(0), 1 => 0..6_usize, 1 => Just(usize::MAX)],
    );
    (who, bounds, content, page).prop_map(|(who, bounds, content, page)| {
        let parse_tags = |tags: Vec<&str>| tags.into_iter().map(tag).collect();
        FilterSpec {
            spaces: who
                .0
                .into_iter()
                .map(|it| it.parse().expect("a space"))
                .collect(),
            kinds: who.1,
            authors: who.2.into_iter().map(str::to_owned).collect(),
            tags: parse_tags(who.3),
            any_tags: parse_tags(who.4),
            not_tags: parse_tags(who.5),
            since_micros: bounds.0.map(Time::micros),
            until_micros: bounds.1.map(Time::micros),
            min_importance: bounds.2.map(|it| it.try_into().expect("from 0 to 1")),
            min_confidence: bounds.3.map(|it| it.try_into().expect("from 0 to 1")),
            min_priority: bounds.4,
            open: bounds.5,
            contains: content.0.map(str::to_owned),
            metadata: content.1,
            forgotten: content.2,
            agent: content
                .3
                .map(|(agent, sees)| (agent.parse().expect("an agent"), sees)),
            now_micros: page.0.0.micros(),
            decay: page.0.1,
            sort: page.1.to_owned(),
            limit: page.2,
            offset: page.3,
        }
    })
}

fn id() -> impl Strategy<Value = MemoryId> {
    select(&IDS[..]).prop_map(|id| id.parse().expect("an id"))
}

fn space() -> impl Strategy<Value = Space> {
    select(&SPACES[..]).prop_map(|space| space.parse().expect("a space"))
}

fn kind() -> impl Strategy<Value = Kind> {
    select(&Kind::ALL[..])
}

fn text() -> impl Strategy<Value = String> {
    select(&TEXTS[..]).prop_map(str::to_owned)
}

fn author() -> impl Strategy<Value = &'static str> {
    select(vec!["ann", "Bob", "x y"])
}

fn time() -> impl Strategy<Value = Time> {
    select(&TIMES[..]).prop_map(|time| time.parse().expect("a time"))
}

/// Clocks run on, stand still and go back.
fn now() -> impl Strategy<Value = Time> {
    let micros = prop_oneof![
        Just(0),
        -3..30_i64,
        0..90_000_000_i64,
        Just(-86_400_000_000)
    ];
    micros.prop_map(|micros| Time::from_micros(NOW_MICROS + micros).expect("in 2026"))
}

fn tag(text: &str) -> Tag {
    text.parse().expect("a tag")
}

fn tags() -> impl Strategy<Value = Vec<Tag>> {
    let some = vec(select(&TAGS[..]).prop_map(tag), 1..4);
    prop_oneof![Just(Vec::new()), some]
}

fn links() -> impl Strategy<Value = Vec<Link>> {
    let relation = select(vec!["related", "supersedes"]);
    let link = (relation, id()).prop_map(|(rel, to)| Link {
        rel: rel.parse().expect("a relation"),
        to,
    });
    prop_oneof![2 => Just(Vec::new()), 1 => vec(link, 1..3)]
}

fn score() -> impl Strategy<Value = f64> {
    prop_oneof![select(vec![0.0, 0.1, 0.5, 1.0]), 0.0..1.0_f64]
}

fn embedding() -> impl Strategy<Value = Vec<f32>> {
    let number = any::<f32>().prop_filter("finite", |number| number.is_finite());
    vec(number, 0..4)
}

fn handle() -> impl Strategy<Value = Handle> {
    let number = prop_oneof![20 => 1..6_u32, 1 => Just(u32::MAX)];
    (kind(), number).prop_map(|(kind, number)| Handle { kind, number })
}

/// Fields that fit every kind, known or not.
fn body() -> impl Strategy<Value = Map<String, Value>> {
    let bodies = [
        json!({}),
        json!({"note": {"deep": [1, null, 1.0, -0.0, 1e300]}}),
        json!({"note": null, "Other": "\u{0}"}),
        json!({"status": "resolved"}),
        json!({"resolved": true}),
        json!({"topic": "storage"}),
        json!({"severity": "critical", "impact": "high"}),
        json!({"confidence": "explicit"}),
        json!({"confidence": "inferred", "impact": "low"}),
        // Each names memories in the body of another kind.
        json!({"parent": "turn-1", "memories_stored": ["DEC-001", "a", "S/FACT-002", "no id!"]}),
        json!({"learned_from": ["t/DEC-1", "b"], "ref": "c", "made_from": ["FIND-001"]}),
        json!({"memory_refs": {"decisions_made": ["DEC-001", "d"], "findings_created": ["e"]}}),
        // For some agents only.
        json!({"agent_id": "x", "applies_to": {"agents": ["y", "a\nx"]}}),
    ];
    select(bodies.to_vec()).prop_map(object)
}

fn metadata() -> impl Strategy<Value = Map<String, Value>> {
    let objects = [
        json!({}),
        json!({}),
        json!({"k": "1"}),
        json!({"k": 1}),
        json!({"k": 1.0, "": ""}),
        json!({"k": null, "l": [1, {"x": "y"}]}),
        json!({"nul\u{0}key": "nul\u{0}", "big": u64::MAX, "small": i64::MIN}),
    ];
    select(objects.to_vec()).prop_map(object)
}

fn member_text() -> impl Strategy<Value = (String, String)> {
    let members = [
        ("k", "1"),
        ("k", "1.0"),
        ("k", "null"),
        ("", ""),
        ("nul\0key", "nul\0"),
        ("l", "[1,{\"x\":\"y\"}]"),
    ];
    select(members.to_vec()).prop_map(|(key, value)| (key.to_owned(), value.to_owned()))
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        other => unreachable!("an object, not {other}"),
    }
}

fn details() -> impl Strategy<Value = SessionDetails> {
    let closed = weighted(0.3, time());
    let phase = of(text());
    let made = (closed, weighted(0.3, time()));
    let all = (made, phase, tags(), metadata(), fading::own());
    all.prop_map(
        |((closed_at, created_at), phase, tags, metadata, decay)| SessionDetails {
            closed_at,
            created_at,
            decay,
            phase,
            tags,
            metadata,
            ..SessionDetails::default()
        },
    )
}
