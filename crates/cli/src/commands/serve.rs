//! `mnemon serve`

use std::net::SocketAddr;

use clap::Args;
use mnemon_server::http::{Options, Server};
use serde::Serialize;

use crate::context::Context;
use crate::failure::{Failure, Outcome};
use crate::human::LABEL;

/// Serve programs over HTTP
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  mnemon serve\n  \
    mnemon serve --listen 127.0.0.1:0 --json\n  \
    mnemon token new --agent architect && mnemon serve --listen 0.0.0.0:7077\n\n\
    What is offered is told at /v1/openapi.json; docs/http.md explains it. The program ends when \
    it is interrupted, after what has begun is finished.")]
pub(crate) struct Serve {
    /// Where: an address and a port; 0 takes any free one [default: server.listen]
    #[arg(long, value_name = "ADDR")]
    listen: Option<String>,
}

#[derive(Serialize)]
struct Answer<'a> {
    url: &'a str,
}

impl Serve {
    pub(crate) fn run(&self, context: &Context) -> Outcome {
        if context.agent.is_some() {
            return Err(Failure::misused(
                "a server is not an agent's: each of its callers is known by its token",
                "Leave --as and MNEMON_AGENT out; `mnemon token new --agent A` makes a token.",
            ));
        }
        let config = &context.config()?.server;
        let listen = address(self.listen.as_deref().unwrap_or(&config.listen))?;
        let server = Server::bind(Options {
            engine: context.writer()?,
            user: context.caller()?,
            zone: context.zone.clone(),
            listen,
            log: Box::new(std::io::stderr()),
        })?;
        let url = format!("http://{}", server.address());
        context.output.answer(&Answer { url: &url }, || {
            format!(
                "Listening at {url}\n{LABEL}{url}/v1/openapi.json tells what is offered{LABEL:#}"
            )
        })?;
        server.run().map_err(Failure::file("serve", url))
    }
}

fn address(text: &str) -> Outcome<SocketAddr> {
    let plain = match text.strip_prefix("localhost:") {
        Some(port) => format!("127.0.0.1:{port}"),
        None => text.to_owned(),
    };
    plain.parse().map_err(|_| {
        Failure::misused(
            format!("{text:?} is no address with a port"),
            "Give one such as 127.0.0.1:7077 or [::1]:7077.",
        )
    })
}
