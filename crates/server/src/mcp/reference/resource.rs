//! The graph as a resource, at the address that clients of the reference server know.

use mnemon::{Error, Result};
use rmcp::model::{Resource, ResourceContents};

use super::{graph, pretty};
use crate::mcp::{Shared, fields};

const GRAPH: &str = "memory://knowledge-graph";
const JSON: &str = "application/json";

#[expect(
    clippy::unnecessary_wraps,
    reason = "other profiles look into the store"
)]
pub(in crate::mcp) fn list(_shared: &Shared) -> Result<Vec<Resource>> {
    Ok(vec![
        Resource::new(GRAPH, "knowledge-graph")
            .with_description("All entities and relations")
            .with_mime_type(JSON),
    ])
}

pub(in crate::mcp) fn read(shared: &Shared, uri: &str) -> Result<ResourceContents> {
    if uri != GRAPH {
        return Err(Error::NotFound {
            reference: fields::short(uri),
        });
    }
    let text = pretty(&graph(shared)?.said());
    Ok(ResourceContents::text(text, uri).with_mime_type(JSON))
}
