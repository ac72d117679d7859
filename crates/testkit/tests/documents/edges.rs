//! The crates: who may depend on whom, and who may read the environment.

use std::collections::{BTreeMap, BTreeSet};

use crate::{files_below, read};

/// Who may use whom. The store in tables is still to come.
const ALLOWED: [(&str, &[&str]); 9] = [
    ("mnemon", &[]),
    ("mnemon-endpoint", &["mnemon"]),
    ("mnemon-tokens", &[]),
    ("mnemon-wire", &["mnemon"]),
    ("mnemon-postgres", &["mnemon"]),
    ("mnemon-server", &["mnemon", "mnemon-tokens", "mnemon-wire"]),
    (
        "mnemon-cli",
        &[
            "mnemon",
            "mnemon-endpoint",
            "mnemon-tokens",
            "mnemon-wire",
            "mnemon-server",
            "mnemon-postgres",
        ],
    ),
    ("mnemon-testkit", &["mnemon", "mnemon-wire"]),
    ("mnemon-bench", &["mnemon", "mnemon-tokens"]),
];

/// These are for us alone.
const UNPUBLISHED: [&str; 2] = ["mnemon-testkit", "mnemon-bench"];

struct Manifest {
    folder: String,
    name: String,
    published: bool,
    dependencies: BTreeSet<String>,
    for_tests: BTreeSet<String>,
}

fn manifests() -> Vec<Manifest> {
    let workspace: toml::Table = read("Cargo.toml").parse().unwrap();
    let members = workspace["workspace"]["members"].as_array().unwrap();
    members
        .iter()
        .map(|member| {
            let folder = member.as_str().unwrap().to_owned();
            let table: toml::Table = read(&format!("{folder}/Cargo.toml")).parse().unwrap();
            let package = table["package"].as_table().unwrap();
            Manifest {
                name: package["name"].as_str().unwrap().to_owned(),
                published: package
                    .get("publish")
                    .is_none_or(|publish| publish.as_bool() != Some(false)),
                dependencies: ours(&table, &["dependencies", "build-dependencies"]),
                for_tests: ours(&table, &["dev-dependencies"]),
                folder,
            }
        })
        .collect()
}

/// Our own crates among the dependencies of these sorts, those for one platform included.
fn ours(table: &toml::Table, sorts: &[&str]) -> BTreeSet<String> {
    let platforms = table.get("target").and_then(toml::Value::as_table);
    let platforms = platforms.into_iter().flat_map(toml::Table::values);
    std::iter::once(table)
        .chain(platforms.filter_map(toml::Value::as_table))
        .flat_map(|table| sorts.iter().filter_map(|sort| table.get(*sort)?.as_table()))
        .flat_map(toml::Table::keys)
        .filter(|name| name.starts_with("mnemon"))
        .cloned()
        .collect()
}

#[test]
fn crates_depend_only_on_whom_they_may() {
    let allowed: BTreeMap<&str, &[&str]> = ALLOWED.into();
    let manifests = manifests();
    assert!(manifests.len() >= 7, "the workspace was not read");
    for manifest in &manifests {
        let may = allowed
            .get(manifest.name.as_str())
            .unwrap_or_else(|| panic!("{} is unknown", manifest.name));
        for other in &manifest.dependencies {
            assert!(
                may.contains(&other.as_str()),
                "{} may not use {other}",
                manifest.name
            );
        }
        for other in &manifest.for_tests {
            let fine = may.contains(&other.as_str()) || other == "mnemon-testkit";
            assert!(
                fine,
                "{} may not use {other}, not even in tests",
                manifest.name
            );
        }
    }
}

#[test]
fn what_is_for_us_alone_is_not_published() {
    let unpublished: BTreeSet<String> = manifests()
        .into_iter()
        .filter(|manifest| !manifest.published)
        .map(|manifest| manifest.name)
        .collect();
    assert_eq!(unpublished, UNPUBLISHED.map(str::to_owned).into());
}

#[test]
fn only_the_command_line_reads_the_environment() {
    let mut read_files = 0;
    for manifest in manifests() {
        if !manifest.published || manifest.name == "mnemon-cli" {
            continue;
        }
        for path in files_below(&format!("{}/src", manifest.folder), ".rs") {
            let source = read(&path);
            // Tests may ask where temporary files go.
            let code = source
                .split("#[cfg(test)]\nmod ")
                .next()
                .expect("something before it");
            for (number, line) in code.lines().enumerate() {
                let uses = line.contains("std::env") || line.contains("env::var");
                assert!(!uses, "{path}:{}: {line}", number + 1);
            }
            read_files += 1;
        }
    }
    assert!(read_files > 50, "only {read_files} files were read");
}
