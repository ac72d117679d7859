//! Questions of other kinds, to a hundred thousand memories.

use mnemon::memory::{Importance, Kind};
use mnemon::recall::{Mode, Query};
use mnemon::store::{Sort, Status};

use super::recall_hybrid::{Times, query};
use crate::Result;
use crate::benches::Bench;
use crate::corpus::natural::{Among, Asked, Natural};
use crate::measure::{median, time};
use crate::place::{self, Place, caller};
use crate::report::{Figure, Goal};

const WEEK_MICROS: i64 = 7 * 24 * 3_600_000_000;

pub(super) const BENCH: Bench = Bench {
    name: "recall_kinds",
    question: "how long do answers take by words, by meaning, by topic, by time?",
    run,
};

pub(super) const BENCH_REBUILD: Bench = Bench {
    name: "rebuild_search_100k",
    question: "how long does the search of a hundred thousand memories take to come back?",
    run: rebuild,
};

type Shape = fn(&mut Query, usize) -> Result<()>;

/// What each question becomes; goals are those of lists, in milliseconds.
const SHAPES: [(&str, Shape, f64); 5] = [
    (
        "recall_text",
        |query, _| {
            query.mode = Mode::Text;
            Ok(())
        },
        100.0,
    ),
    (
        "recall_semantic",
        |query, _| {
            query.mode = Mode::Semantic;
            query.min_similarity = Some(0.0);
            Ok(())
        },
        100.0,
    ),
    (
        "recall_by_topic",
        |query, number| {
            let topics = ["storage", "billing", "search.ranking", "testing.flaky"];
            query.filter.tags = vec![topics[number % topics.len()].parse()?];
            Ok(())
        },
        50.0,
    ),
    (
        "recall_by_time",
        |query, number| {
            let weeks = i64::try_from(number % 50)?;
            let since = Natural::now_micros() - (weeks + 2) * WEEK_MICROS;
            query.filter.since_micros = Some(since);
            query.filter.until_micros = Some(since + WEEK_MICROS);
            Ok(())
        },
        100.0,
    ),
    (
        "recall_complex",
        |query, _| {
            query.filter.kinds = vec![Kind::Finding, Kind::Decision];
            query.filter.any_tags = vec!["storage".parse()?, "performance".parse()?];
            query.filter.not_tags = vec!["queue".parse()?];
            query.filter.since_micros = Some(Natural::now_micros() - 26 * WEEK_MICROS);
            query.filter.min_importance = Some(Importance::try_from(0.5)?);
            query.filter.status = Some(Status::Open);
            query.sort = Some(Sort::Priority);
            Ok(())
        },
        200.0,
    ),
];

fn run(place: &Place) -> Result<Vec<Figure>> {
    let (root, natural) = place.natural(100_000)?;
    let engine = place::open(&root)?;
    let mut figures = Vec::new();
    for (name, shape, goal_ms) in SHAPES {
        let mut times = Times::default();
        for (number, asked) in natural.questions(place.scaled(500)).into_iter().enumerate() {
            let asked = Asked {
                among: Among::All,
                ..asked
            };
            let mut query = query(&asked)?;
            shape(&mut query, number)?;
            let answer = || Ok(engine.recall(&caller(), &query)?);
            if number == 0 {
                answer()?;
            }
            times.take_one(answer)?;
        }
        let mut own = times.figures(name);
        // The 95 of 100 are what a floor is about.
        own[1].goal = Some(Goal::Below(goal_ms));
        figures.extend(own);
    }
    Ok(figures)
}

fn rebuild(place: &Place) -> Result<Vec<Figure>> {
    let (root, _) = place.natural(100_000)?;
    let engine = place::open(&root)?;
    let mut times = Vec::new();
    for _ in 0..3 {
        let (duration, _) = time(|| Ok(engine.reindex(&caller(), &mut |_| {})?))?;
        times.push(duration.as_secs_f64());
    }
    Ok(vec![Figure::new(
        "rebuild_search_100k",
        median(&mut times),
        "s",
    )])
}
