//! The documents say what the server does.

use std::collections::BTreeSet;
use std::path::Path;

use mnemon::Code;
use mnemon_server::http::{openapi, routes, status_of};

fn read(name: &str) -> String {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    std::fs::read_to_string(docs.join(name)).unwrap()
}

#[test]
fn every_route_is_in_the_table_with_what_it_does_and_needs() {
    let text = read("http.md");
    let (_, table) = text.split_once("| Route |").unwrap();
    let written: BTreeSet<&str> = table.lines().filter(|it| it.starts_with("| `")).collect();
    let document = openapi();
    let known: BTreeSet<String> = routes()
        .iter()
        .map(|(method, path, needs)| {
            let operation = &document["paths"][path][method.as_str().to_lowercase()];
            let about = operation["summary"].as_str().unwrap();
            let role = match needs {
                Some(role) => role.as_str(),
                None if *path == "/health" => "everybody",
                None => "any",
            };
            format!("| `{} {path}` | {about} | {role} |", method.as_str())
        })
        .collect();
    let known: BTreeSet<&str> = known.iter().map(String::as_str).collect();
    let missing: Vec<_> = known.difference(&written).collect();
    assert!(missing.is_empty(), "{missing:#?}");
    assert_eq!(written, known);
}

#[test]
fn the_table_of_errors_has_the_status_of_each() {
    let text = read("errors.md");
    for code in Code::ALL {
        let row = text
            .lines()
            .find(|it| it.starts_with(&format!("| `{code}` |")));
        let status = row.unwrap().split('|').nth(3).unwrap().trim();
        assert_eq!(status, status_of(code).to_string(), "{code}");
    }
}
