//! Tokens: who may ask. The secret of one is told once, when it is made.

use mnemon::caller::{Operation, Role, Who};
use mnemon::time::expression::parse_ahead;
use mnemon::token::NewToken;
use mnemon::{Error, Result, Tier};
use mnemon_wire::{NewTokenShape, TokenShape, TokensShape};

use crate::http::asked::Asked;
use crate::http::reply::Reply;
use crate::http::route::{Again, Body, Route};
use crate::request::fields;

pub(super) const ROUTES: &[Route] = &[
    Route::get(
        "/v1/tokens",
        &[Operation::Tokens],
        "List the tokens, without their secrets",
        list,
    )
    .answers("Tokens"),
    Route::post(
        "/v1/tokens",
        &[Operation::NewToken],
        "Make a token; the answer alone has its secret",
        create,
    )
    .takes(Body::Json("NewToken"))
    .answers("MadeToken")
    .makes()
    .again(Again::Never),
    Route::delete(
        "/v1/tokens/{token}",
        &[Operation::RevokeToken],
        "Revoke a token: from now on it opens nothing",
        revoke,
    )
    .answers("Token"),
];

fn list(asked: &Asked<'_>) -> Result<Reply> {
    let tokens = asked.engine().tokens(asked.caller())?;
    let shape = TokensShape::of(&tokens, asked.engine().now());
    Ok(Reply::json(&shape))
}

fn create(asked: &Asked<'_>) -> Result<Reply> {
    let known = ["name", "agent", "user", "role", "tier", "expires"];
    let mut arguments = asked.members(&known)?;
    let engine = asked.engine();
    let agent = fields::text(&mut arguments, "agent")?;
    let user = fields::text(&mut arguments, "user")?;
    let who = match (agent, user) {
        (Some(agent), None) => Who::Agent(agent.parse()?),
        (None, Some(user)) => Who::User(user),
        (None, None) => Who::User(engine.config().defaults.user.clone()),
        (Some(_), Some(_)) => {
            return Err(Error::Rule {
                field: "agent",
                rule: "the only one of agent and user".into(),
                given: "both".into(),
            });
        }
    };
    let role = fields::text(&mut arguments, "role")?;
    let tier = fields::text(&mut arguments, "tier")?;
    let expires = fields::text(&mut arguments, "expires")?;
    let new = NewToken {
        name: fields::text(&mut arguments, "name")?,
        who,
        role: role.map_or(Ok(Role::Writer), |it| it.parse())?,
        tier: tier.map(|it| it.parse::<Tier>()).transpose()?,
        expires_at: expires
            .map(|it| parse_ahead(&it, engine.now(), asked.zone))
            .transpose()?,
    };
    let (token, secret) = engine.new_token(asked.caller(), new)?;
    Ok(Reply::json(&NewTokenShape::of(
        &token,
        &secret,
        engine.now(),
    )))
}

fn revoke(asked: &Asked<'_>) -> Result<Reply> {
    let id = asked.part("token").parse()?;
    let revoked = asked.engine().revoke_token(asked.caller(), &id)?;
    Ok(Reply::json(&TokenShape::of(&revoked, asked.engine().now())))
}
