//! What the server does itself.

use mnemon::caller::Operation;

use crate::http::route::{Body, ID, Method, Parameter, Route, Run, Sort};
use crate::mcp::Profile;

pub(super) const ROUTES: &[Route] = &[
    Route::own(
        Method::Get,
        "/health",
        &[],
        "Tell that the server answers, and that the store does",
        Run::Health,
    )
    .answers("Health"),
    Route::own(
        Method::Get,
        "/v1/openapi.json",
        &[],
        "This document",
        Run::OpenApi,
    )
    .answers("Object"),
    Route::own(
        Method::Get,
        "/metrics",
        &[Operation::Stats],
        "Tell how the server does, for Prometheus; the user may ask, agents may not",
        Run::Metrics,
    )
    .media("text/plain; version=0.0.4"),
    Route::own(
        Method::Get,
        "/v1/events",
        &[Operation::Subscribe],
        "Tell what happens, as it happens; Last-Event-ID goes on where it was",
        Run::Events,
    )
    .with(&[Parameter {
        name: "after",
        sort: Sort::Text,
        about: "The id of the last event that was seen, where a header can't be sent",
    }])
    .media("text/event-stream"),
    Route::own(
        Method::Post,
        "/mcp",
        &[Operation::List],
        "The Model Context Protocol, as streamable HTTP",
        Run::Mcp,
    )
    .with(&[
        Parameter {
            name: "profile",
            sort: Sort::OneOf(&Profile::NAMES),
            about: "Which tools",
        },
        Parameter {
            name: "session",
            sort: Sort::Matching(ID),
            about: "Where what is not said to belong anywhere is kept",
        },
    ])
    .takes(Body::Json("Object"))
    .answers("Object")
    .long(),
];
