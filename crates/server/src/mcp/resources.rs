//! Resources: sessions and memories that a client can show or attach.

use mnemon::{Error, Result};
use rmcp::model::{Resource, ResourceContents, ResourceTemplate};

use super::door::Need;
use super::{Shared, view};

const SESSIONS: &str = "mnemon://sessions";
const SESSION: &str = "mnemon://sessions/";
const MEMORY: &str = "mnemon://memories/";
const MARKDOWN: &str = "text/markdown";

/// The last used sessions; the others are found by their ids.
const LISTED_MAX: usize = 50;

/// What there is to be read.
pub(super) fn list(shared: &Shared) -> Result<Vec<Resource>> {
    let mut resources = vec![
        Resource::new(SESSIONS, "sessions")
            .with_description("All sessions, the last used first")
            .with_mime_type(MARKDOWN),
    ];
    let opened = match shared.opened(Need::There) {
        Err(Error::NoStore { .. }) => return Ok(resources),
        opened => opened?,
    };
    let sessions = opened.engine.sessions(&opened.caller)?;
    resources.extend(sessions.iter().take(LISTED_MAX).map(|session| {
        Resource::new(format!("{SESSION}{}", session.id), session.id.as_str())
            .with_description(view::session_line(&opened.engine, session))
            .with_mime_type(MARKDOWN)
    }));
    Ok(resources)
}

/// How the addresses of the rest are made.
pub(super) fn templates() -> Vec<ResourceTemplate> {
    vec![
        ResourceTemplate::new(format!("{SESSION}{{id}}"), "session")
            .with_description("What a session comes to, and its latest memories")
            .with_mime_type(MARKDOWN),
        ResourceTemplate::new(format!("{MEMORY}{{id}}"), "memory")
            .with_description("A memory in full with its history; by id, or SESSION/HANDLE")
            .with_mime_type(MARKDOWN),
    ]
}

/// What stands at an address.
pub(super) fn read(shared: &Shared, uri: &str) -> Result<ResourceContents> {
    // The only sign in our names that clients may write otherwise.
    let plain = uri.replace("%2F", "/").replace("%2f", "/");
    let text = if plain == SESSIONS {
        match shared.opened(Need::There) {
            Err(Error::NoStore { .. }) => "# Sessions\n".to_owned(),
            opened => view::sessions(&*opened?)?,
        }
    } else if let Some(id) = plain.strip_prefix(SESSION) {
        let id = id.parse()?;
        view::session(&*shared.opened(Need::There)?, &id)?
    } else if let Some(name) = plain.strip_prefix(MEMORY) {
        view::memory(&*shared.opened(Need::There)?, name)?
    } else {
        return Err(Error::NotFound {
            reference: super::fields::short(uri),
        });
    };
    Ok(ResourceContents::text(text, uri).with_mime_type(MARKDOWN))
}
