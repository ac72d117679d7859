//! Tokens: who may ask over a connection, in which role, and for how long.
//!
//! A token is 256 random bits that are shown once. The store keeps their
//! SHA-256, which is enough to know a token and useless to whoever reads it:
//! what is random needs no slow hash. [`Mnemon::admit`](crate::Mnemon::admit)
//! decides who comes in.

use base64ct::{Base64UrlUnpadded, Encoding as _};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

use crate::caller::{Caller, Role, Who};
use crate::error::{Error, Result};
use crate::memory::{AgentId, TokenId};
use crate::seal::hex;
use crate::tier::Tier;
use crate::time::Time;

/// What every token begins with, so that people and redaction know one when they see it.
pub const PREFIX: &str = "mnm_";

/// More than this nobody can look after.
pub(crate) const TOKENS_MAX: usize = 1000;

const NAME_CHARS_MAX: usize = 128;

/// Something that may be shown: whose token it is, and what it is good for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// What it is called when it is revoked.
    pub id: TokenId,
    /// What it is for, in words.
    pub name: Option<String>,
    /// On whose behalf it asks.
    pub who: Who,
    /// How much it may do.
    pub role: Role,
    /// What is licensed for it, if it is not what the settings say.
    pub tier: Option<Tier>,
    /// Since when.
    pub created_at: Time,
    /// Until when; none for ever.
    pub expires_at: Option<Time>,
}

impl Token {
    /// On whose behalf its bearer asks.
    pub fn caller(&self) -> Caller {
        Caller {
            who: self.who.clone(),
            role: self.role,
            tier: self.tier,
        }
    }

    /// Whether its time is over.
    pub fn is_expired(&self, now: Time) -> bool {
        self.expires_at
            .is_some_and(|end| end.micros() <= now.micros())
    }
}

/// A token that is to be made.
#[derive(Clone, Debug)]
pub struct NewToken {
    /// What it is for, in words.
    pub name: Option<String>,
    /// On whose behalf it asks.
    pub who: Who,
    /// How much it may do.
    pub role: Role,
    /// What is licensed for it, if it is not what the settings say.
    pub tier: Option<Tier>,
    /// Until when; none for ever.
    pub expires_at: Option<Time>,
}

impl NewToken {
    pub(crate) fn check(&self, now: Time) -> Result<()> {
        let user = match &self.who {
            Who::User(user) => Some(user),
            Who::Agent(_) => None,
        };
        for (field, name) in [("name", self.name.as_ref()), ("user", user)] {
            if let Some(name) = name
                && (name.trim().is_empty()
                    || name.chars().count() > NAME_CHARS_MAX
                    || name.chars().any(char::is_control))
            {
                let rule = format!("1 to {NAME_CHARS_MAX} characters on one line");
                return Err(Error::rule(field, rule, name));
            }
        }
        match self.expires_at {
            Some(end) if end.micros() <= now.micros() => {
                Err(Error::rule("expires", "in the future", &end.to_string()))
            }
            _ => Ok(()),
        }
    }
}

/// Who comes in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Admission {
    /// Nobody ever made a token, so none can be asked for.
    NoTokens,
    /// The bearer of this token.
    Bearer(Token),
    /// Nobody: the token is missing, unknown, or its time is over.
    Refused,
}

/// A secret that is shown once.
pub(crate) fn secret() -> String {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).expect("the operating system has randomness");
    format!("{PREFIX}{}", Base64UrlUnpadded::encode_string(&bytes))
}

/// All tokens of a store, as the paper holds them.
#[derive(Debug, Default)]
pub(crate) struct Tokens(Vec<Written>);

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    id: TokenId,
    name: Option<String>,
    agent: Option<AgentId>,
    user: Option<String>,
    role: Role,
    tier: Option<Tier>,
    created_at: Time,
    expires_at: Option<Time>,
    sha256: String,
}

impl Tokens {
    pub(crate) fn read(bytes: &[u8]) -> Result<Self> {
        let read = serde_json::from_slice::<Vec<Written>>(bytes);
        let problem = match read {
            Ok(all) if all.iter().all(|it| it.agent.is_some() != it.user.is_some()) => {
                return Ok(Self(all));
            }
            Ok(_) => "a token is an agent's or a user's".to_owned(),
            Err(error) => error.to_string(),
        };
        Err(Error::Paper {
            paper: "the list of tokens".into(),
            problem,
        })
    }

    pub(crate) fn write(&self) -> Vec<u8> {
        let mut text = serde_json::to_vec_pretty(&self.0).expect("plain fields");
        text.push(b'\n');
        text
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn add(&mut self, token: &Token, secret: &str) {
        let (agent, user) = match &token.who {
            Who::Agent(agent) => (Some(agent.clone()), None),
            Who::User(user) => (None, Some(user.clone())),
        };
        self.0.push(Written {
            id: token.id.clone(),
            name: token.name.clone(),
            agent,
            user,
            role: token.role,
            tier: token.tier,
            created_at: token.created_at,
            expires_at: token.expires_at,
            sha256: digest(secret),
        });
    }

    /// Takes one away; what it was.
    pub(crate) fn remove(&mut self, id: &TokenId) -> Option<Token> {
        let place = self.0.iter().position(|it| it.id == *id)?;
        Some(shown(self.0.remove(place)))
    }

    pub(crate) fn all(self) -> Vec<Token> {
        self.0.into_iter().map(shown).collect()
    }

    /// The token of that secret. All are compared, and each to its end, whatever was given.
    pub(crate) fn of(self, secret: &str) -> Option<Token> {
        let given = digest(secret);
        let mut found = None;
        for own in self.0 {
            if bool::from(own.sha256.as_bytes().ct_eq(given.as_bytes())) {
                found = Some(own);
            }
        }
        found.map(shown)
    }
}

fn shown(own: Written) -> Token {
    Token {
        who: match (own.agent, own.user) {
            (Some(agent), _) => Who::Agent(agent),
            (None, user) => Who::User(user.unwrap_or_default()),
        },
        id: own.id,
        name: own.name,
        role: own.role,
        tier: own.tier,
        created_at: own.created_at,
        expires_at: own.expires_at,
    }
}

fn digest(secret: &str) -> String {
    hex(&Sha256::digest(secret.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_that_names_nobody_or_two_is_refused_and_so_is_what_is_not_known() {
        let time = "2026-01-01T00:00:00Z";
        for who in [
            r#""agent":null,"user":null"#,
            r#""agent":"a","user":"b""#,
            r#""agent":"../a","user":null"#,
            r#""agent":"a","user":null,"colour":1"#,
        ] {
            let text = format!(
                r#"[{{"id":"tok_1","name":null,{who},"role":"reader","tier":null,
                "created_at":"{time}","expires_at":null,"sha256":"00"}}]"#
            );
            let refused = Tokens::read(text.as_bytes()).unwrap_err();
            assert_eq!(refused.code().as_str(), "E_STORAGE_CORRUPT", "{who}");
        }
        assert_eq!(Tokens::read(b"[]").unwrap().len(), 0);
    }

    #[test]
    fn secrets_differ_and_have_256_bits() {
        let (one, other) = (secret(), secret());
        assert_ne!(one, other);
        let bits = one.strip_prefix(PREFIX).unwrap();
        assert_eq!(Base64UrlUnpadded::decode_vec(bits).unwrap().len(), 32);
    }
}
