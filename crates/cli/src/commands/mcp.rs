//! `mnemon mcp`

use std::io::ErrorKind;
use std::sync::Arc;

use clap::{Args, ValueEnum};
use mnemon_server::Opened;
use mnemon_server::mcp::{Need, Options, Profile, Setting, serve_stdio};

use crate::context::{Context, session_of};
use crate::failure::{Failure, Outcome};

/// Serve agents over the Model Context Protocol, on standard input and output
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    mnemon mcp --session review\n  \
    mnemon mcp --profile reference\n  \
    claude mcp add mnemon -- mnemon mcp\n\n\
    The program ends when its input ends. docs/mcp.md shows how to add it to other clients.")]
pub(crate) struct Mcp {
    /// Keep what is not said to belong anywhere in this session [default: shared memory]
    #[arg(long, value_name = "S")]
    session: Option<String>,
    /// Which tools to offer
    #[arg(long, value_enum, value_name = "P", default_value_t = Tools::Memory)]
    profile: Tools,
}

/// The sets of tools.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Tools {
    /// Our own: remember, recall and more
    Memory,
    /// Those of the reference memory server: entities, relations, observations
    Reference,
    /// Files below /memories, as models know them from their memory tool
    Files,
}

impl From<Tools> for Profile {
    fn from(tools: Tools) -> Self {
        match tools {
            Tools::Memory => Self::Memory,
            Tools::Reference => Self::Reference,
            Tools::Files => Self::Files,
        }
    }
}

impl Mcp {
    pub(crate) fn run(&self, context: Context) -> Outcome {
        let options = Options {
            setting: Setting {
                session: session_of(self.session.as_ref())?,
                zone: context.zone.clone(),
                profile: self.profile.into(),
            },
            // Nothing is read before the first call: clients wait for the handshake.
            open: Box::new(move |need| {
                Ok(Opened {
                    caller: context.caller()?,
                    engine: Arc::new(match need {
                        Need::There => context.reader()?,
                        Need::Made => context.writer()?,
                    }),
                })
            }),
        };
        serve_stdio(options).map_err(|error| match error.kind() {
            ErrorKind::InvalidData => Failure::misused(
                format!("what came in is not MCP: {error}"),
                "Let an MCP client start this command; docs/mcp.md shows how.",
            ),
            _ => Failure::output(error),
        })
    }
}
