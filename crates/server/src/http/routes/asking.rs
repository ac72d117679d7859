//! Questions: what is remembered about something, and what it comes to.

use mnemon::Result;
use mnemon::caller::Operation;
use mnemon::context::ContextRequest;
use mnemon::recall::Recalled;
use mnemon::recall::aggregate::SummaryOptions;
use mnemon_wire::{
    AnswerShape, BatchLine, ContextShape, KeptTurnShape, RecallRequest, RecalledShape,
    TimelineShape, TopicsShape, parse_structured, parse_turn,
};
use serde_json::{Value, json};

use crate::http::asked::Asked;
use crate::http::reply::Reply;
use crate::http::route::{Again, Body, Parameter, Route, Sort};
use crate::http::seeded;
use crate::request::fields;

/// More than any model reads at once.
const BUDGET_MAX: u64 = 1_000_000;

pub(super) const ROUTES: &[Route] = &[
    Route::post(
        "/v1/recall",
        &[Operation::Recall],
        "Find memories by what they say and mean",
        recall,
    )
    .takes(Body::Json("RecallRequest"))
    .answers("Recalled"),
    Route::post(
        "/v1/recall/batch",
        &[Operation::Recall],
        "Answer several questions at once, each with ids and scores",
        recall_batch,
    )
    .takes(Body::Json("RecallBatch"))
    .answers("RecalledBatch"),
    Route::post(
        "/v1/query",
        &[Operation::Query],
        "Find and count memories by conditions on their fields",
        query,
    )
    .takes(Body::Json("StructuredQuery"))
    .answers("QueryAnswer"),
    Route::post(
        "/v1/context",
        &[Operation::Context],
        "Assemble what an agent needs for its next turn, within a token budget",
        context,
    )
    .takes(Body::Json("ContextRequest"))
    .answers("Context"),
    Route::post(
        "/v1/turns",
        &[Operation::KeepTurn],
        "Keep a turn, what came of it, and the agent's state, all of it or nothing",
        keep_turn,
    )
    .takes(Body::Json("Turn"))
    .answers("KeptTurn")
    .makes()
    .again(Again::Meets),
    Route::get(
        "/v1/topics",
        &[Operation::Topics],
        "Tell what memories are about, the weightiest first",
        topics,
    )
    .filtered()
    .answers("Topics"),
    Route::get(
        "/v1/timeline",
        &[Operation::Timeline],
        "Tell what happened when",
        timeline,
    )
    .filtered()
    .answers("Timeline"),
    Route::get(
        "/v1/activity",
        &[Operation::ByAgent],
        "Tell who did how much",
        activity,
    )
    .filtered()
    .answers("Activity"),
    Route::get(
        "/v1/summary",
        &[Operation::Summary],
        "Sum up memories in sentences that they say themselves",
        summary,
    )
    .with(&[Parameter {
        name: "sentences",
        sort: Sort::Count(100),
        about: "At most so many sentences",
    }])
    .filtered()
    .answers("Object"),
];

/// Answers one request, as at its moment.
fn answer(asked: &Asked<'_>, request: &RecallRequest) -> Result<Recalled> {
    let engine = asked.engine();
    let past = match request.as_of(engine.now(), asked.zone)? {
        Some(moment) => Some(engine.as_of(moment)?),
        None => None,
    };
    let engine = past.as_ref().unwrap_or(engine);
    let query = asked.question(request, engine)?;
    let recalled = engine.recall(asked.caller(), &query)?;
    if !recalled.notes.is_empty() {
        asked.background.embed(&asked.opened);
    }
    Ok(recalled)
}

fn recall(asked: &Asked<'_>) -> Result<Reply> {
    let request = RecallRequest::parse(asked.json()?)?;
    let recalled = answer(asked, &request)?;
    Ok(Reply::json(&RecalledShape::of(&recalled, asked.skew())))
}

fn recall_batch(asked: &Asked<'_>) -> Result<Reply> {
    let mut arguments = asked.members(&["queries"])?;
    let items = match fields::take(&mut arguments, "queries") {
        Some(Value::Array(items)) => items,
        Some(other) => return Err(fields::wrong("queries", "a list", &other)),
        None => return Err(fields::missing("queries")),
    };
    asked.check_batch("queries", items.len())?;
    let mut questions = Vec::with_capacity(items.len());
    for (number, mut item) in items.into_iter().enumerate() {
        let qid = item.as_object_mut().and_then(|it| it.remove("qid"));
        let request = RecallRequest::parse(item);
        let request = request.map_err(|error| mnemon::Error::At {
            place: format!("queries[{number}]"),
            source: Box::new(error),
        })?;
        questions.push((qid.unwrap_or_else(|| json!(number)), request));
    }
    let mut answers: Vec<Value> = Vec::with_capacity(questions.len());
    for (qid, request) in &questions {
        let recalled = answer(asked, request)?;
        answers.push(json!(BatchLine::of(qid, &recalled)));
    }
    Ok(Reply::json(&json!({ "answers": answers })))
}

fn query(asked: &Asked<'_>) -> Result<Reply> {
    let engine = asked.engine();
    let query = parse_structured(asked.json()?, engine.now(), asked.zone)?;
    asked.check_page(Some(query.limit))?;
    let answer = engine.query(asked.caller(), &query)?;
    Ok(Reply::json(&AnswerShape::of(&answer, asked.skew())))
}

fn context(asked: &Asked<'_>) -> Result<Reply> {
    let mut arguments = asked.members(&["session", "topic", "budget", "read"])?;
    let session = fields::needed(&mut arguments, "session")?;
    let mut request = ContextRequest::new(session.parse()?);
    request.topic = fields::text(&mut arguments, "topic")?;
    if let Some(budget) = fields::whole(&mut arguments, "budget", 1, BUDGET_MAX)? {
        request.budget_tokens = usize::try_from(budget).unwrap_or(usize::MAX);
    }
    let selectors = fields::texts(&mut arguments, "read")?;
    request.selectors = selectors
        .iter()
        .map(|selector| selector.parse())
        .collect::<Result<_>>()?;
    let pack = asked
        .engine()
        .context(asked.caller(), &request, mnemon_tokens::count)?;
    Ok(Reply::json(&ContextShape::of(
        &pack,
        &request.session,
        request.budget_tokens,
        mnemon_tokens::TOKENIZER,
    )))
}

fn keep_turn(asked: &Asked<'_>) -> Result<Reply> {
    let mut arguments = asked.object()?;
    let session = fields::needed(&mut arguments, "session")?.parse()?;
    let mut after = parse_turn(Value::Object(arguments))?;
    asked.check_batch("turn", after.turns.len() + after.memories.len() + 1)?;
    if let Some(seed) = &asked.seed {
        let drafts = after.turns.iter_mut().chain(&mut after.memories);
        seeded::name_drafts(seed, drafts.chain(&mut after.state));
    }
    let kept = asked.engine().keep_turn(asked.caller(), &session, after)?;
    asked.wrote();
    Ok(Reply::json(&KeptTurnShape::of(&kept)))
}

fn topics(asked: &Asked<'_>) -> Result<Reply> {
    let filter = asked.filter(asked.engine(), &[])?;
    let topics = asked.engine().topics(asked.caller(), &filter)?;
    Ok(Reply::json(&TopicsShape::of(None, &topics, filter.limit)))
}

fn timeline(asked: &Asked<'_>) -> Result<Reply> {
    let filter = asked.filter(asked.engine(), &[])?;
    let timeline = asked.engine().timeline(asked.caller(), &filter)?;
    let from = timeline.events.len().saturating_sub(filter.limit);
    let shape = TimelineShape::of(None, &timeline, &timeline.events[from..]);
    Ok(Reply::json(&shape))
}

fn activity(asked: &Asked<'_>) -> Result<Reply> {
    let filter = asked.filter(asked.engine(), &[])?;
    let all = asked.engine().by_agent(asked.caller(), &filter)?;
    Ok(Reply::json(&mnemon_wire::ActivityShape::of(&all)))
}

fn summary(asked: &Asked<'_>) -> Result<Reply> {
    let filter = asked.filter(asked.engine(), &["sentences"])?;
    let mut options = SummaryOptions::default();
    if let Some(sentences) = asked.count("sentences", 100)? {
        options.sentences = usize::try_from(sentences).unwrap_or(usize::MAX);
    }
    let summary = asked.engine().summary(asked.caller(), &filter, &options)?;
    Ok(Reply::json(&mnemon_wire::SummaryShape::of_all(&summary)))
}
