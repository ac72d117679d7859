//! One request, tried until it succeeds or it is no use.

use std::time::{Duration, Instant};

use mnemon::embed::Vector;
use mnemon::{EmbeddingFailure, Result};
use serde::Serialize;

use crate::answer;
use crate::failure::Failed;
use crate::options::Options;

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    input: &'a [&'a str],
}

/// The vectors of these texts, at that moment at the latest.
pub(crate) fn ask(
    agent: &ureq::Agent,
    options: &Options,
    texts: &[&str],
    retries: u32,
    deadline: Instant,
) -> Result<Vec<Option<Vector>>> {
    let body = Body {
        model: &options.model,
        input: texts,
    };
    let body = serde_json::to_vec(&body).expect("texts are JSON");
    let mut wait = options.first_wait;
    let mut tries = 0;
    loop {
        tries += 1;
        let failed = match attempt(agent, options, &body, texts.len(), deadline) {
            Ok(vectors) => return Ok(vectors),
            Err(failed) => failed,
        };
        let pause = failed.retry_after.unwrap_or_else(|| jittered(wait));
        let is_last = failed.failure != EmbeddingFailure::Away
            || tries > retries
            || Instant::now() + pause >= deadline;
        if is_last {
            return Err(failed.into_error(options, tries));
        }
        std::thread::sleep(pause);
        wait *= 2;
    }
}

fn attempt(
    agent: &ureq::Agent,
    options: &Options,
    body: &[u8],
    texts: usize,
    deadline: Instant,
) -> Result<Vec<Option<Vector>>, Failed> {
    let left = deadline.saturating_duration_since(Instant::now());
    let timeout = options.timeout.min(left).max(Duration::from_millis(1));
    let transport = |error: ureq::Error| Failed::of_transport(&error, timeout);
    let mut request = agent
        .post(options.address())
        .config()
        .timeout_global(Some(timeout))
        .build()
        .header("content-type", "application/json");
    if let Some(key) = &options.key {
        request = request.header("authorization", key.bearer());
    }
    let mut response = request.send(body).map_err(transport)?;
    let status = response.status().as_u16();
    let retry_after = seconds(response.headers().get("retry-after"));
    let limit = answer::bytes_max(texts, options.dimension);
    let answered = response.body_mut().with_config().limit(limit).read_to_vec();
    if !(200..300).contains(&status) {
        // The status says enough, even if the rest of it did not arrive.
        let said = answered.unwrap_or_default();
        return Err(Failed {
            retry_after,
            ..Failed::of_status(status, &said, options)
        });
    }
    answer::read(&answered.map_err(transport)?, texts, options)
}

/// As a number; a date is left out, because its clock may not be ours.
fn seconds(value: Option<&ureq::http::HeaderValue>) -> Option<Duration> {
    let seconds: u64 = value?.to_str().ok()?.trim().parse().ok()?;
    // More than a day is as good as for ever, and a sum of times stays possible.
    Some(Duration::from_secs(seconds.min(86_400)))
}

/// Between half and all of it, so that those who failed together don't come back together.
fn jittered(wait: Duration) -> Duration {
    let mut byte = [0];
    // Without randomness it is the whole wait.
    let random = getrandom::fill(&mut byte).map_or(255, |()| byte[0]);
    wait / 2 + wait * u32::from(random) / 510
}
