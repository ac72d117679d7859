//! Tokens as they are printed; the secret of one only when it is made.

use mnemon::Time;
use mnemon::caller::Who;
use mnemon::memory::{AgentId, TokenId};
use mnemon::token::Token;
use serde::Serialize;

/// A token without its secret.
#[derive(Debug, Serialize)]
pub struct TokenShape<'a> {
    id: &'a TokenId,
    name: Option<&'a str>,
    /// The agent on whose behalf it asks; null if it asks for the user.
    agent: Option<&'a AgentId>,
    user: Option<&'a str>,
    role: &'static str,
    tier: Option<&'static str>,
    created_at: Time,
    expires_at: Option<Time>,
    expired: bool,
}

impl<'a> TokenShape<'a> {
    /// The shape of a token at that moment.
    pub fn of(token: &'a Token, now: Time) -> Self {
        let (agent, user) = match &token.who {
            Who::Agent(agent) => (Some(agent), None),
            Who::User(user) => (None, Some(user.as_str())),
        };
        Self {
            id: &token.id,
            name: token.name.as_deref(),
            agent,
            user,
            role: token.role.as_str(),
            tier: token.tier.map(mnemon::Tier::as_str),
            created_at: token.created_at,
            expires_at: token.expires_at,
            expired: token.is_expired(now),
        }
    }
}

/// A token that was made a moment ago.
#[derive(Debug, Serialize)]
pub struct NewTokenShape<'a> {
    #[serde(flatten)]
    shown: TokenShape<'a>,
    /// What its bearer sends.
    token: &'a str,
}

impl<'a> NewTokenShape<'a> {
    /// The shape of a token and its secret.
    pub fn of(token: &'a Token, secret: &'a str, now: Time) -> Self {
        Self {
            shown: TokenShape::of(token, now),
            token: secret,
        }
    }
}

/// Tokens, the oldest first.
#[derive(Debug, Serialize)]
pub struct TokensShape<'a> {
    tokens: Vec<TokenShape<'a>>,
    total: usize,
}

impl<'a> TokensShape<'a> {
    /// The shape of them.
    pub fn of(tokens: &'a [Token], now: Time) -> Self {
        Self {
            tokens: tokens.iter().map(|it| TokenShape::of(it, now)).collect(),
            total: tokens.len(),
        }
    }
}
