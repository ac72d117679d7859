//! Requests that come again because their answer was lost: done once.
//!
//! A client sends the same `Idempotency-Key` with every try. That a request
//! begins is written down before it is done, its answer after; both outlive the
//! server. Ids are made from the key, so that what died in between, done
//! again, meets what is there. What can't be done again safely is refused then.
//! Nothing that memories say is written down with an answer.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::sync::{Mutex, MutexGuard, PoisonError};

use hyper::header::HeaderMap;
use mnemon::caller::Who;
use mnemon::engine::Begun;
use mnemon::memory::RequestId;
use mnemon::store::What;
use mnemon::{Caller, Code, Error, Result};
use mnemon_wire::MemoryShape;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::asked::Asked;
use super::reply::{Content, Reply};
use super::route::{Again, Answers, Route};
use super::status::{Refusal, status_of};

/// The longest key.
const KEY_BYTES_MAX: usize = 255;

/// The request under its key.
pub(crate) struct Key {
    id: RequestId,
    /// What tells this request from another under the same key.
    digest: String,
    /// What ids are made from.
    seed: [u8; 32],
}

/// The requests that are being done.
#[derive(Default)]
pub(crate) struct Doing(Mutex<HashSet<String>>);

impl Doing {
    fn all(&self) -> MutexGuard<'_, HashSet<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The key of a request, if it brings one and the route takes one.
pub(crate) fn key(
    route: &Route,
    headers: &HeaderMap,
    caller: &Caller,
    target: &str,
    body: &[u8],
) -> Result<Option<Key>, Refusal> {
    let Some(given) = headers.get("idempotency-key") else {
        return Ok(None);
    };
    match route.again {
        Again::Harmless => return Ok(None),
        Again::Never => {
            let hint = "Leave Idempotency-Key out.";
            let message = "this can't be answered the same way twice";
            return Err(Refusal::misused(400, message, hint));
        }
        Again::Meets | Again::Unknown => {}
    }
    if headers.get_all("idempotency-key").iter().count() > 1 {
        let hint = "Send one Idempotency-Key with a request.";
        return Err(Refusal::misused(400, "there are two of them", hint));
    }
    let given = given.as_bytes();
    let fits = (1..=KEY_BYTES_MAX).contains(&given.len()) && given.iter().all(u8::is_ascii_graphic);
    if !fits {
        let hint = "Send 1 to 255 visible ASCII characters, such as a random UUID.";
        return Err(Refusal::misused(
            400,
            "the Idempotency-Key is not one",
            hint,
        ));
    }
    let (sort, name) = match &caller.who {
        Who::User(name) => ("user", name.as_str()),
        Who::Agent(id) => ("agent", id.as_str()),
    };
    let method = route.method.as_str();
    let named = |what: &str| {
        let name = name.as_bytes();
        digest(&[
            what.as_bytes(),
            sort.as_bytes(),
            name,
            method.as_bytes(),
            route.path.as_bytes(),
            given,
        ])
    };
    let if_match = headers.get("if-match").map_or(&b""[..], |it| it.as_bytes());
    // With the client's own key, which is nowhere written down: else whoever reads the digest could
    // guess a short body, also one that was erased or redacted since.
    let content = digest(&[given, target.as_bytes(), if_match, body]);
    Ok(Some(Key {
        id: hex(&named("request")).parse().expect("hexadecimal digits"),
        digest: hex(&content),
        // Of the content too: under a key that is free again something else may come.
        seed: digest(&[&named("ids"), &content]),
    }))
}

/// Does a request unless it was done before.
pub(crate) fn once(
    route: &Route,
    doing: &Doing,
    key: &Key,
    mut asked: Asked<'_>,
    run: fn(&Asked<'_>) -> Result<Reply>,
) -> Result<Reply> {
    if !doing.all().insert(key.id.to_string()) {
        let message = "the same request is being done";
        let hint = "Ask again in a moment.";
        let refusal = Refusal::new(409, Code::ConcurrentMod.as_str(), message, hint);
        return Ok(Reply::refusal(&refusal.with("retry-after", "1".into())));
    }
    let done = once_alone(route, key, &mut asked, run);
    doing.all().remove(key.id.as_str());
    done
}

fn once_alone(
    route: &Route,
    key: &Key,
    asked: &mut Asked<'_>,
    run: fn(&Asked<'_>) -> Result<Reply>,
) -> Result<Reply> {
    let begun = asked
        .engine()
        .begin_request(asked.caller(), &key.id, &key.digest)?;
    match begun {
        Begun::Now => {}
        Begun::Before if route.again == Again::Unknown => {
            let message = "this began before, and the server ended before it could answer";
            let hint = "Look whether it was done; if not, send it under another key.";
            return Ok(Reply::refusal(&Refusal::misused(409, message, hint)));
        }
        Begun::Before => asked.begun_before = true,
        Begun::Done(answer) => {
            let reply = replayed(asked, &answer)?;
            return Ok(reply.with("idempotent-replay", "true"));
        }
        Begun::Other => {
            let message = "another request came under this Idempotency-Key";
            let hint = "Take a new key for every new request.";
            return Ok(Reply::refusal(&Refusal::misused(422, message, hint)));
        }
    }
    asked.seed = Some(key.seed);
    let done = run(asked);
    let (engine, caller) = (asked.engine(), asked.caller());
    match &done {
        // Whoever can't write that down has answered all the same: done again, it meets what is there.
        Ok(reply) => drop(engine.end_request(caller, &key.id, Some(&kept(route, reply)))),
        Err(error) if status_of(error.code()) < 500 => {
            drop(engine.end_request(caller, &key.id, None));
        }
        Err(_) => {}
    }
    done
}

/// An answer as it is written down: without what memories say.
fn kept(route: &Route, reply: &Reply) -> Value {
    let mut body: Value = match &reply.content {
        Content::Whole(_, bytes) => serde_json::from_slice(bytes).unwrap_or_default(),
        Content::Written(..) => Value::Null,
    };
    if route.answers == Answers::Json("Memory") {
        return json!({ "memory": body["id"], "version": body["version"] });
    }
    if let Some(Value::Array(items)) = body.get_mut("fallen_out") {
        for item in items.iter_mut().filter_map(Value::as_object_mut) {
            item.remove("text");
        }
    }
    if route.answers == Answers::Json("Session") {
        body =
            json!({ "session_id": body["session_id"], "id": body["id"], "state": body["state"] });
    }
    json!({ "status": route.status, "headers": reply.headers, "body": body })
}

fn replayed(asked: &Asked<'_>, answer: &Value) -> Result<Reply> {
    if let Some(id) = answer["memory"].as_str() {
        return as_it_was(asked, id, answer["version"].as_u64().unwrap_or(0));
    }
    let mut reply = Reply::json(&answer["body"]);
    let status = answer["status"]
        .as_u64()
        .and_then(|it| u16::try_from(it).ok());
    reply.status = status.unwrap_or(200);
    if let Some(location) = answer["headers"]
        .as_array()
        .into_iter()
        .flatten()
        .find(|it| it[0] == "location")
    {
        let location = location[1].as_str().unwrap_or_default();
        reply = reply.with("location", location);
    }
    Ok(reply)
}

/// A memory as a change had left it; gone if it was erased since.
fn as_it_was(asked: &Asked<'_>, id: &str, version: u64) -> Result<Reply> {
    let engine = asked.engine();
    let (_, changes) = engine.history(asked.caller(), id, None)?;
    let then = changes.iter().find_map(|change| match &change.what {
        What::Kept(then) | What::Revised(then) if then.version == version => Some(then),
        _ => None,
    });
    let then = then.ok_or_else(|| Error::NotFound {
        reference: id.to_owned(),
    })?;
    let faded = engine.fade(then)?;
    let shape = MemoryShape::of(then, asked.skew()).with_fading(&faded);
    Ok(Reply::json(&shape).with("etag", format!("\"{version}\"")))
}

/// Of several texts, told apart whatever they hold.
fn digest(parts: &[&[u8]]) -> [u8; 32] {
    let mut digest = Sha256::new();
    for part in parts {
        digest.update((part.len() as u64).to_be_bytes());
        digest.update(part);
    }
    digest.finalize().into()
}

pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut digits, byte| {
        let _ = write!(digits, "{byte:02x}");
        digits
    })
}
