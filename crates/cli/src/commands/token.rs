//! `mnemon token`

use clap::{Args, Subcommand};
use mnemon::Time;
use mnemon::caller::Who;
use mnemon::time::expression::parse_ahead;
use mnemon::token::{NewToken, Token as Made};
use mnemon_wire::{NewTokenShape, TokenShape, TokensShape};

use crate::context::Context;
use crate::failure::Outcome;
use crate::human::ago::ago;
use crate::human::table::{Column, Table};
use crate::human::{LABEL, NAME, count};

/// Make, list and revoke the tokens with which programs ask over HTTP
#[derive(Debug, Subcommand)]
pub(crate) enum Token {
    /// Make a token; it is shown once
    New(New),
    /// List the tokens
    List(List),
    /// Revoke a token: from then on it opens nothing
    Revoke(Revoke),
}

/// Make a token; it is shown once
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  mnemon token new --agent architect --expires 30d\n  \
    mnemon token new --role reader --name \"metrics\"\n\n\
    Once there is a token, every request needs one. The store keeps its hash alone."
)]
pub(crate) struct New {
    /// It asks as this agent [default: as the user, who sees all]
    #[arg(long, value_name = "A")]
    agent: Option<String>,
    /// How much it may do: reader, writer or admin
    #[arg(long, value_name = "ROLE", default_value = "writer")]
    role: String,
    /// How long it holds: 30d, 2w, 1y, or a date [default: for ever]
    #[arg(long, value_name = "TIME")]
    expires: Option<String>,
    /// What it is for
    #[arg(long)]
    name: Option<String>,
    #[arg(
        long,
        value_name = "TIER",
        help = "What is licensed for it: core, writer_pro, teams or enterprise [default: tier]"
    )]
    tier: Option<String>,
}

/// List the tokens
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mnemon token list --json")]
pub(crate) struct List {}

/// Revoke a token: from then on it opens nothing
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mnemon token revoke tok_4F7Q2M8K1ZPA")]
pub(crate) struct Revoke {
    /// Which
    #[arg(value_name = "ID")]
    id: String,
}

impl Token {
    pub(crate) fn run(&self, context: &Context) -> Outcome {
        match self {
            Self::New(command) => command.run(context),
            Self::List(_) => List::run(context),
            Self::Revoke(command) => command.run(context),
        }
    }
}

impl New {
    fn run(&self, context: &Context) -> Outcome {
        let engine = context.writer()?;
        let now = engine.now();
        let ahead = |text: &String| parse_ahead(text, now, &context.zone);
        let new = NewToken {
            name: self.name.clone(),
            who: match &self.agent {
                Some(agent) => Who::Agent(agent.parse()?),
                None => Who::User(context.config()?.defaults.user.clone()),
            },
            role: self.role.parse()?,
            tier: self.tier.as_ref().map(|tier| tier.parse()).transpose()?,
            expires_at: self.expires.as_ref().map(ahead).transpose()?,
        };
        let (token, secret) = engine.new_token(&context.caller()?, new)?;
        let shape = NewTokenShape::of(&token, &secret, now);
        context.output.answer(&shape, || {
            let id = &token.id;
            format!(
                "{secret}\n{LABEL}This is {id}, for {}. It is not shown again.{LABEL:#}\n",
                described(&token, now)
            )
        })
    }
}

impl List {
    fn run(context: &Context) -> Outcome {
        let engine = context.reader()?;
        let tokens = engine.tokens(&context.caller()?)?;
        let now = engine.now();
        context.output.answer(&TokensShape::of(&tokens, now), || {
            if tokens.is_empty() {
                return "There are no tokens.".into();
            }
            let mut table = Table::new(vec![
                Column::new("id").styled(NAME),
                Column::new("for").flexible(),
                Column::new("name").flexible(),
                Column::new("made").styled(LABEL),
            ]);
            for token in &tokens {
                table.row(&[
                    token.id.to_string(),
                    described(token, now),
                    token.name.clone().unwrap_or_default(),
                    ago(token.created_at, now),
                ]);
            }
            let total = count(tokens.len() as u64, "token", "tokens");
            let table = table.render(context.output.columns);
            format!("{table}{LABEL}{total}{LABEL:#}\n")
        })
    }
}

impl Revoke {
    fn run(&self, context: &Context) -> Outcome {
        let engine = context.reader()?;
        let revoked = engine.revoke_token(&context.caller()?, &self.id.parse()?)?;
        let shape = TokenShape::of(&revoked, engine.now());
        context.output.answer(&shape, || {
            format!("Revoked {NAME}{}{NAME:#}.\n", revoked.id)
        })
    }
}

/// `architect, writer, until 2026-02-10`
fn described(token: &Made, now: Time) -> String {
    let who = match &token.who {
        Who::Agent(agent) => agent.to_string(),
        Who::User(user) => format!("the user {user}"),
    };
    let until = match token.expires_at {
        None => String::new(),
        Some(_) if token.is_expired(now) => ", expired".into(),
        Some(end) => format!(", until {}", end.day()),
    };
    format!("{who}, {}{until}", token.role.as_str())
}
