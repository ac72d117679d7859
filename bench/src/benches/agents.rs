//! What an agent does all day: keep, ask, freeze, go back, and get its context.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use mnemon::agent::snapshot::Form;
use mnemon::agent::{Desk, Entry, Snapshot};
use mnemon::context::ContextRequest;
use mnemon::embed::{BuiltIn, Embedder};
use mnemon::engine::{RestoreOptions, SnapshotOptions};
use mnemon::memory::{AgentId, Draft, Importance, SessionId, Space};
use mnemon::recall::Mode;
use mnemon::seal::{Keyring, Source};
use mnemon::store::local::{LocalOptions, LocalStore};
use mnemon::{Caller, Config, Mnemon};

use crate::Result;
use crate::benches::Bench;
use crate::benches::recall_hybrid::query;
use crate::corpus::Corpus;
use crate::corpus::natural::Natural;
use crate::measure::{float, millis, percentile, rate, time};
use crate::place::{self, caller};
use crate::report::{Figure, Goal};

/// So many agents keep something at once.
const AGENTS: usize = 100;

pub(super) const STORE: Bench = Bench {
    name: "agent_store",
    question: "how long does an agent wait until a long-term memory is kept, with its vector and without?",
    run: |place| {
        let engine = place.store("agent_store")?;
        let space: Space = "agent/dev".parse()?;
        let count = place.scaled(2_000);
        let mut drafts = Corpus::new().take(2 * count);
        let mut with_vector = drafts.split_off(count);
        for draft in &mut with_vector {
            let vector = BuiltIn::new().embed(&[draft.text.as_str()])?.remove(0);
            draft.embedding = vector.map(|it| {
                let components = it.components().iter();
                components.map(|component| f32::from(*component)).collect()
            });
        }
        let keep = |drafts: Vec<Draft>| {
            each(drafts, |draft| {
                engine.remember(&caller(), &space, draft)?;
                Ok(())
            })
        };
        let mut embedded = keep(drafts)?;
        let mut brought = keep(with_vector)?;
        Ok(vec![
            p95("agent_store", &mut embedded, 5.0),
            p95("agent_store own vector", &mut brought, 5.0),
        ])
    },
};

pub(super) const SEARCH: Bench = Bench {
    name: "agent_search",
    question: "how long does a question by meaning alone take, of ten thousand memories?",
    run: |place| {
        let (root, natural) = place.natural(10_000)?;
        let engine = place::open(&root)?;
        let questions = natural.questions(place.scaled(600) + 20);
        let mut times = each(questions, |asked| {
            let mut query = query(&asked)?;
            query.mode = Mode::Semantic;
            engine.recall(&caller(), &query)?;
            Ok(())
        })?;
        let mut warm = times.split_off(20);
        Ok(vec![p95("agent_search", &mut warm, 10.0)])
    },
};

pub(super) const SNAPSHOT: Bench = Bench {
    name: "agent_snapshot",
    question: "how long do taking and putting back ten thousand values take, and how large are they sealed?",
    run: |place| {
        let folder = place.path().join("agent_snapshot");
        let key = folder.join("master.key");
        let keyring = Keyring::new(vec![Source::File(key.clone())], false);
        let options = LocalOptions {
            keyring: Arc::new(keyring),
            ..LocalOptions::from(&Config::default())
        };
        let store = Arc::new(LocalStore::create(&folder.join("store"), options)?);
        let engine = Mnemon::new(store, Config::default());
        engine.make_keys_for_file(&caller(), &key)?;
        let agent: AgentId = "dev".parse()?;
        let full = full_desk(&engine, &agent, place.scaled(10_000))?;
        let restore = || -> Result<()> {
            let all = RestoreOptions::default();
            engine.restore_snapshot(&caller(), &agent, &full, all)?;
            Ok(())
        };
        restore()?;
        let rounds = place.scaled(50);
        let mut restored = each((0..rounds).collect(), |_: usize| restore())?;
        let mut taken = each((0..rounds).collect(), |_: usize| {
            let new = engine.snapshot(&caller(), &agent, &SnapshotOptions::default())?;
            engine.keep_snapshot(&caller(), &new, Form::Encrypted)?;
            Ok(())
        })?;
        engine.keep_snapshot(&caller(), &full, Form::Binary)?;
        let size = |form| -> Result<f64> {
            let file = engine.export_snapshot(&caller(), full.id.as_str(), form)?;
            Ok(float(file.len() as u64))
        };
        let ratio = size(Form::Encrypted)? / size(Form::Binary)?;
        Ok(vec![
            p95("agent_snapshot create", &mut taken, 50.0),
            p95("agent_snapshot restore", &mut restored, 100.0),
            Figure::new("agent_snapshot sealed size", ratio, "×").goal(Goal::Below(1.1)),
        ])
    },
};

pub(super) const CONTEXT: Bench = Bench {
    name: "agent_context",
    question: "how long does a context pack take, of a hundred thousand memories?",
    run: |place| {
        let (root, natural) = place.natural(100_000)?;
        let engine = place::open(&root)?;
        let sessions: Vec<SessionId> = (0..natural.sessions())
            .step_by((natural.sessions() / place.scaled(200)).max(1))
            .map(|number| Ok(Natural::session_name(number).parse()?))
            .collect::<Result<_>>()?;
        let agent = Caller::agent("dev".parse()?);
        let pack = |session: SessionId| {
            let request = ContextRequest::new(session);
            engine.context(&agent, &request, mnemon_tokens::count)?;
            Ok(())
        };
        pack(sessions[0].clone())?;
        let mut times = each(sessions, pack)?;
        let mut figures = vec![p95("agent_context", &mut times, 100.0)];
        figures.push(Figure::new(
            "agent_context p50",
            percentile(&mut times, 50),
            "ms",
        ));
        Ok(figures)
    },
};

pub(super) const CONCURRENT: Bench = Bench {
    name: "agent_100_stores",
    question: "what if a hundred agents keep something at the same moment?",
    run: |place| {
        let engine = place.store("agent_100_stores")?;
        let all = place.scaled(10);
        let (took, times) = time(|| {
            thread::scope(|scope| {
                let work = |number: usize| {
                    let engine = &engine;
                    move || {
                        let space: Space = format!("agent/a{number}").parse().expect("a space");
                        let drafts = Corpus::seeded(number as u64).take(all);
                        each(drafts, |draft| {
                            engine.remember(&caller(), &space, draft)?;
                            Ok(())
                        })
                        .map_err(|error| error.to_string())
                    }
                };
                let threads: Vec<_> = (0..AGENTS).map(|it| scope.spawn(work(it))).collect();
                let mut times = Vec::new();
                for thread in threads {
                    times.extend(thread.join().expect("an agent does not panic")?);
                }
                Ok(times)
            })
        })?;
        let mut times: Vec<f64> = times;
        Ok(vec![
            p95("agent_100_stores", &mut times, 50.0),
            Figure::new("agent_100_stores rate", rate(times.len(), took), "/s"),
        ])
    },
};

/// How long each takes, in milliseconds.
fn each<T>(all: Vec<T>, call: impl Fn(T) -> Result<()>) -> Result<Vec<f64>> {
    all.into_iter()
        .map(|one| {
            let (took, ()): (Duration, ()) = time(|| call(one))?;
            Ok(millis(took))
        })
        .collect()
}

fn p95(name: &str, times: &mut [f64], goal_ms: f64) -> Figure {
    Figure::new(format!("{name} p95"), percentile(times, 95), "ms").goal(Goal::Below(goal_ms))
}

/// A snapshot with so many values.
fn full_desk(engine: &Mnemon, agent: &AgentId, count: usize) -> Result<Snapshot> {
    let mut desk = Desk::default();
    let now = engine.now();
    for (number, draft) in Corpus::new().take(count).into_iter().enumerate() {
        let entry = Entry {
            value: draft.text.as_str().into(),
            importance: Importance::default(),
            tags: Vec::new(),
            pinned: false,
            tokens: mnemon_tokens::count(draft.text.as_str()),
            created_at: now,
            updated_at: now,
        };
        let scope = format!("task-{}", number % 100).parse()?;
        desk.working
            .set(&scope, &format!("k{number}").parse()?, entry);
    }
    Ok(Snapshot::of(
        desk,
        "snap_bench".parse()?,
        agent.clone(),
        now,
    ))
}
