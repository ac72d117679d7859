//! The documents say what is true: paths, error codes, crate edges, log lines and queries.

#![expect(clippy::unwrap_used, reason = "what is missing here fails the test")]

#[path = "documents/edges.rs"]
mod edges;
#[path = "documents/errors.rs"]
mod errors;
#[path = "documents/log_format.rs"]
mod log_format;
#[path = "documents/mcp.rs"]
mod mcp;
#[path = "documents/paths.rs"]
mod paths;
#[path = "documents/query.rs"]
mod query;
#[path = "documents/schema.rs"]
mod schema;

use std::fs;
use std::path::{Path, PathBuf};

/// The folder of the workspace.
fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .expect("this crate lies two folders below the workspace")
        .into()
}

/// A document of the workspace.
fn read(path: &str) -> String {
    fs::read_to_string(workspace().join(path)).expect(path)
}

/// The files below a folder of the workspace that have this ending, sorted.
fn files_below(folder: &str, ending: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![workspace().join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder of the workspace") {
            let path = entry.expect("an entry of a folder").path();
            let name = path.strip_prefix(workspace()).expect("below it").display();
            if path.is_dir() {
                folders.push(path);
            } else if name.to_string().ends_with(ending) {
                found.push(name.to_string());
            }
        }
    }
    found.sort();
    found
}

/// The rows of the tables in a text, each as its cells; heads and rules are left out.
fn table_rows(text: &str) -> Vec<Vec<String>> {
    let lines: Vec<&str> = text.lines().collect();
    let is_rule = |line: &str| line.starts_with("| ---");
    let is_head = |place: usize| lines.get(place + 1).is_some_and(|next| is_rule(next));
    let cells = |line: &str| {
        let inner = line
            .strip_prefix('|')
            .and_then(|line| line.strip_suffix('|'));
        let inner = inner.expect("a row has a bar at both ends");
        inner
            .split('|')
            .map(|cell| cell.trim().to_owned())
            .collect()
    };
    (0..lines.len())
        .filter(|place| {
            lines[*place].starts_with('|') && !is_rule(lines[*place]) && !is_head(*place)
        })
        .map(|place| cells(lines[place]))
        .collect()
}
