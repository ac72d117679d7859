//! Who asks: the token that a request brings, and how often it may.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Instant;

use hyper::header::{AUTHORIZATION, HeaderMap};
use mnemon::Caller;
use mnemon::config::LogLevel;
use mnemon::token::Admission;
use mnemon_wire::ErrorShape;
use serde_json::json;

use super::state::State;
use super::status::Refusal;
use crate::blocking::on_blocking_thread;

/// Who was let in.
pub(super) struct Admitted {
    pub(super) caller: Caller,
    /// Whose requests are counted together.
    pub(super) who: String,
    /// What to ask again with, where a request goes on for long.
    pub(super) token: Option<String>,
}

pub(super) async fn admit(
    state: &State,
    reached: SocketAddr,
    secret: Option<String>,
) -> Result<Admitted, Refusal> {
    let engine = Arc::clone(&state.opened.engine);
    let given = secret.clone();
    let admission = on_blocking_thread(move || engine.admit(given.as_deref())).await;
    match admission {
        Ok(Ok(Admission::Bearer(token))) => Ok(Admitted {
            caller: token.caller(),
            who: token.id.to_string(),
            token: secret,
        }),
        // Tokens may have been taken away since the server began to listen.
        Ok(Ok(Admission::NoTokens)) if reached.ip().is_loopback() => Ok(Admitted {
            caller: state.opened.caller.clone(),
            who: String::new(),
            token: None,
        }),
        Ok(Ok(_)) if secret.is_none() => Err(Refusal::unauthorized("there is no token")),
        Ok(Ok(_)) => Err(Refusal::unauthorized(
            "the token is not known, or its time is over",
        )),
        Ok(Err(_)) | Err(_) => {
            state.say(
                LogLevel::Error,
                "http",
                "Tokens could not be read",
                json!({}),
            );
            let hint = "Look at the log of the server.";
            Err(Refusal::new(
                503,
                ErrorShape::UNAUTHORIZED,
                "who asks can't be found out now",
                hint,
            ))
        }
    }
}

/// The token that a request brings.
pub(super) fn bearer(headers: &HeaderMap) -> Result<Option<String>, Refusal> {
    let mut all = headers.get_all(AUTHORIZATION).iter();
    let (Some(first), None) = (all.next(), all.next()) else {
        if headers.contains_key(AUTHORIZATION) {
            return Err(Refusal::unauthorized("there are several tokens"));
        }
        return Ok(None);
    };
    let text = first.to_str().unwrap_or_default();
    match text.split_once(' ') {
        Some((scheme, token)) if scheme.eq_ignore_ascii_case("bearer") => {
            Ok(Some(token.trim().to_owned()))
        }
        _ => Err(Refusal::unauthorized("the token is not a bearer's")),
    }
}

pub(super) fn take_turn(state: &State, who: &str) -> Result<(), Refusal> {
    state.rate.take(who, Instant::now()).map_err(|wait| {
        let rate = state.config().rate_per_second;
        let message = format!("a token has {rate} requests a second, and these are used up");
        let hint = "Ask again a little later, or raise server.rate_per_second.";
        let seconds = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
        Refusal::limit(429, message, hint).with("retry-after", seconds.max(1).to_string())
    })
}
