//! Tokens: made, listed and revoked by the user alone, because whoever hands
//! them out could hand out more than it has itself.

use crate::caller::{Caller, Operation, Who};
use crate::engine::Mnemon;
use crate::error::{Error, Result};
use crate::memory::TokenId;
use crate::store::{Deed, Paper};
use crate::token::{self, Admission, NewToken, TOKENS_MAX, Token, Tokens};

impl Mnemon {
    /// Makes a token, and gives the secret that only its bearer has from now on.
    pub fn new_token(&self, caller: &Caller, new: NewToken) -> Result<(Token, String)> {
        caller.may(Operation::NewToken)?;
        refuse_agents(caller)?;
        let now = self.clock.now();
        new.check(now)?;
        let secret = token::secret();
        let token = Token {
            id: TokenId::generate((self.random)()),
            name: new.name,
            who: new.who,
            role: new.role,
            tier: new.tier,
            created_at: now,
            expires_at: new.expires_at,
        };
        self.store.edit_paper(&Paper::Tokens, &mut |before| {
            let mut tokens = before.map(Tokens::read).transpose()?.unwrap_or_default();
            if tokens.len() >= TOKENS_MAX {
                let rule = format!("one of {TOKENS_MAX} at most: revoke some first");
                return Err(Error::rule("token", rule, ""));
            }
            tokens.add(&token, &secret);
            Ok(Some(tokens.write()))
        })?;
        self.enter(caller, Deed::TokenMade, None, token.id.to_string())?;
        Ok((token, secret))
    }

    /// Every token that was not revoked, the oldest first.
    pub fn tokens(&self, caller: &Caller) -> Result<Vec<Token>> {
        caller.may(Operation::Tokens)?;
        refuse_agents(caller)?;
        Ok(self.kept_tokens()?.unwrap_or_default().all())
    }

    /// Takes a token away: from now on it opens nothing.
    pub fn revoke_token(&self, caller: &Caller, id: &TokenId) -> Result<Token> {
        caller.may(Operation::RevokeToken)?;
        refuse_agents(caller)?;
        let mut revoked = None;
        self.store.edit_paper(&Paper::Tokens, &mut |before| {
            let Some(before) = before else {
                return Ok(None);
            };
            let mut tokens = Tokens::read(before)?;
            revoked = tokens.remove(id);
            // The list stays when it is empty: nobody comes in because the last token went.
            Ok(Some(tokens.write()))
        })?;
        let revoked = revoked.ok_or_else(|| Error::Missing {
            what: format!("token {id}"),
            suggestion: "`mnemon token list` shows which there are.",
        })?;
        self.enter(caller, Deed::TokenRevoked, None, id.to_string())?;
        Ok(revoked)
    }

    /// Who comes in with this token, or without one.
    pub fn admit(&self, secret: Option<&str>) -> Result<Admission> {
        let Some(tokens) = self.kept_tokens()? else {
            return Ok(Admission::NoTokens);
        };
        let now = self.clock.now();
        let token = secret.and_then(|secret| tokens.of(secret));
        let token = token.filter(|token| !token.is_expired(now));
        Ok(token.map_or(Admission::Refused, Admission::Bearer))
    }

    fn kept_tokens(&self) -> Result<Option<Tokens>> {
        let bytes = self.store.paper(&Paper::Tokens)?;
        bytes.map(|bytes| Tokens::read(&bytes)).transpose()
    }
}

fn refuse_agents(caller: &Caller) -> Result<()> {
    match &caller.who {
        Who::User(_) => Ok(()),
        Who::Agent(_) => Err(caller.forbidden("look after tokens: they are the user's to give")),
    }
}
