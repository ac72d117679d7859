//! A question by words and meaning, beside plain SQLite, at growing sizes.

use mnemon::recall::{Query, Question};
use mnemon::store::Filter;
use rustix::time::ClockId;

use crate::Result;
use crate::benches::Bench;
use crate::corpus::natural::{Among, Asked, Natural};
use crate::measure::{median, millis, percentile, processor_time, time};
use crate::place::{self, Place, caller};
use crate::plain::Plain;
use crate::report::{Figure, Goal};

/// So many questions go to one side, then to the other.
const TURN: usize = 50;

pub(super) const BENCH_1K: Bench = Bench {
    name: "recall_hybrid_1k",
    question: "how long does an answer take, of a thousand memories?",
    run: |place| run(place, "1k", 1_000, 600, None),
};

pub(super) const BENCH_10K: Bench = Bench {
    name: "recall_hybrid_10k",
    question: "how long does an answer take, of ten thousand?",
    run: |place| run(place, "10k", 10_000, 600, Some(1.0)),
};

pub(super) const BENCH_100K: Bench = Bench {
    name: "recall_hybrid_100k",
    question: "how long does an answer take, of a hundred thousand?",
    run: |place| run(place, "100k", 100_000, 600, Some(8.0)),
};

pub(super) const BENCH_1M: Bench = Bench {
    name: "recall_hybrid_1m",
    question: "how long does an answer take, of a million (with --million)?",
    run: |place| {
        if place.million() {
            run(place, "1m", 1_000_000, 500, None)
        } else {
            Ok(Vec::new())
        }
    },
};

fn run(
    place: &Place,
    size: &str,
    memories: usize,
    questions: usize,
    goal_ms: Option<f64>,
) -> Result<Vec<Figure>> {
    let (root, natural) = place.natural(memories)?;
    let engine = place::open(&root)?;
    let plain = Plain::open(&root.with_extension("sqlite"), &natural)?;
    let ours = |asked: &Asked| Ok(engine.recall(&caller(), &query(asked)?)?.hits.len());
    let theirs = |asked: &Asked| Ok(plain.recall(asked)?.len());
    let all = natural.questions(place.scaled(questions) + TURN);
    let (warm_up, measured) = all.split_at(TURN);
    for asked in warm_up {
        ours(asked)?;
        theirs(asked)?;
    }
    let (mut our_times, mut their_times) = (Times::default(), Times::default());
    for turn in measured.chunks(TURN) {
        our_times.take(turn, &ours)?;
        their_times.take(turn, &theirs)?;
    }
    let goal = goal_ms.map(Goal::Below);
    let mut figures = our_times.figures(&format!("recall_hybrid_{size}"));
    if let Some(p50) = figures.first_mut() {
        p50.goal = goal;
    }
    figures.extend(their_times.figures(&format!("plain_sqlite_{size}")));
    let faster = median(&mut their_times.processor) / median(&mut our_times.processor);
    figures.push(Figure {
        goal: goal.map(|_| Goal::AtLeast(10.0)),
        ..Figure::new(format!("recall_hybrid_{size} faster by"), faster, "×")
    });
    Ok(figures)
}

/// What questions took by the clock, and of the processor: the second is
/// nearly the same on a busy machine as on a quiet one.
#[derive(Default)]
pub(super) struct Times {
    clock: Vec<f64>,
    processor: Vec<f64>,
}

impl Times {
    fn take(&mut self, turn: &[Asked], ask: &dyn Fn(&Asked) -> Result<usize>) -> Result<()> {
        for asked in turn {
            if self.take_one(|| ask(asked))? == 0 {
                return Err(format!("nothing answers {:?}", asked.text).into());
            }
        }
        Ok(())
    }

    pub(super) fn take_one<T>(&mut self, ask: impl FnOnce() -> Result<T>) -> Result<T> {
        let before = processor_time(ClockId::ThreadCPUTime);
        let (duration, answer) = time(ask)?;
        let after = processor_time(ClockId::ThreadCPUTime);
        self.clock.push(millis(duration));
        self.processor.push(millis(after.saturating_sub(before)));
        Ok(answer)
    }

    pub(super) fn figures(&mut self, name: &str) -> Vec<Figure> {
        let mut figures: Vec<Figure> = [50, 95, 99]
            .map(|percent| {
                let value = percentile(&mut self.clock, percent);
                Figure::new(format!("{name} p{percent}"), value, "ms")
            })
            .into();
        for percent in [50, 95] {
            let value = percentile(&mut self.processor, percent);
            let name = format!("{name} processor p{percent}");
            figures.push(Figure::new(name, value, "ms"));
        }
        figures
    }
}

/// The question as the engine takes it.
pub(super) fn query(asked: &Asked) -> Result<Query> {
    let mut filter = Filter::all(Natural::now_micros());
    match &asked.among {
        Among::All => {}
        Among::KindSince(kind, since) => {
            filter.kinds = vec![*kind];
            filter.since_micros = Some(*since);
        }
        Among::Session(number) => {
            filter.spaces = vec![format!("session/{}", Natural::session_name(*number)).parse()?];
        }
        Among::Tag(tag) => filter.tags = vec![tag.parse()?],
    }
    Ok(Query::new(Question::parse(&asked.text)?, filter))
}
