//! Every path, link and name of code in the documents.
//!
//! A text in backticks is a path if it is made of path characters only and has
//! a slash or the ending of a file. Paths in a store are written `<root>/…` or
//! `.mnemon/…`, those in a home folder `~/…`; they are not looked for.

use crate::{files_below, read, workspace};

/// Texts with a slash that name a memory, not a file.
const NO_PATHS: [&str; 1] = ["S/DEC-001"];

const ENDINGS: [&str; 5] = [".md", ".rs", ".toml", ".json", ".jsonl"];

fn documents() -> Vec<String> {
    let mut documents = files_below("docs", ".md");
    documents.extend(
        [
            "README.md",
            "ARCHITECTURE.md",
            "CONTRIBUTING.md",
            "CHANGELOG.md",
        ]
        .map(str::to_owned),
    );
    documents
}

/// A document without its blocks of code.
fn prose(document: &str) -> String {
    let text = read(document);
    let parts = text.split("\n```").step_by(2);
    parts.collect::<Vec<_>>().join("\n")
}

/// The texts in backticks.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.lines()
        .flat_map(|line| line.split('`').skip(1).step_by(2))
}

fn is_path(text: &str) -> bool {
    let characters = |c: char| c.is_ascii_alphanumeric() || "._-/".contains(c);
    let elsewhere = text.starts_with(".mnemon/") || NO_PATHS.contains(&text);
    text.len() > 1
        && text.chars().all(characters)
        && !elsewhere
        && (text.contains('/') || ENDINGS.iter().any(|ending| text.ends_with(ending)))
}

#[test]
fn every_path_in_backticks_exists() {
    let mut found = 0;
    for document in documents() {
        for path in quoted(&prose(&document)).filter(|text| is_path(text)) {
            assert!(workspace().join(path).exists(), "{document}: {path}");
            found += 1;
        }
    }
    assert!(found > 40, "only {found} paths were found");
}

#[test]
fn every_link_leads_somewhere() {
    let mut found = 0;
    for document in documents() {
        let text = prose(&document);
        let targets = text
            .split("](")
            .skip(1)
            .filter_map(|rest| rest.split(')').next());
        for target in targets.filter(|target| !target.starts_with("https://")) {
            let file = target.split('#').next().expect("something before the mark");
            let folder = workspace().join(&document);
            let folder = folder.parent().expect("a document is in a folder");
            assert!(folder.join(file).exists(), "{document}: {target}");
            found += 1;
        }
    }
    assert!(found > 5, "only {found} links were found");
}

#[test]
fn every_name_that_is_said_to_be_in_a_file_is_in_it() {
    let mut found = 0;
    for document in documents() {
        let text = prose(&document).replace('\n', " ");
        let pieces: Vec<&str> = text.split('`').collect();
        for window in pieces.windows(3).skip(1).step_by(2) {
            let (name, between, file) = (window[0], window[1], window[2]);
            if between == " in " && is_path(file) {
                let item = name.rsplit("::").next().expect("a name has an end");
                assert!(
                    read(file).contains(item),
                    "{document}: {name} is not in {file}"
                );
                found += 1;
            }
        }
    }
    assert!(found > 10, "only {found} names were found");
}

#[test]
fn every_name_of_code_in_the_architecture_exists() {
    let sources: String = files_below("crates", ".rs")
        .iter()
        .map(|path| read(path))
        .collect();
    let text = prose("ARCHITECTURE.md");
    let is_name = |text: &&str| {
        let characters = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == ':';
        text.chars().all(characters) && (text.contains("::") || text.contains('_'))
    };
    let names: Vec<&str> = quoted(&text).filter(is_name).collect();
    assert!(names.len() > 30, "only {} names were found", names.len());
    for name in names {
        let item = name.rsplit("::").next().expect("a name has an end");
        let is_there = ["fn ", "const ", "enum ", "struct ", "mod "]
            .iter()
            .any(|keyword| {
                [" ", "(", "<", ":", ";"]
                    .iter()
                    .any(|after| sources.contains(&format!("{keyword}{item}{after}")))
            });
        // Variants of an enum have no keyword of their own.
        let is_variant = name.contains("::") && sources.contains(&format!("    {item},"));
        assert!(is_there || is_variant, "ARCHITECTURE.md: {name}");
    }
}
