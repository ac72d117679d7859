//! docs/errors.md against the codes of the library.

use mnemon::Code;
use mnemon_wire::ErrorShape;

use crate::{files_below, read, table_rows};

/// What interfaces refuse before they ask the library.
const OF_INTERFACES: [&str; 4] = [
    ErrorShape::USAGE,
    ErrorShape::INTERNAL,
    ErrorShape::UNAUTHORIZED,
    ErrorShape::LIMIT,
];

#[test]
fn the_table_has_every_code_in_order_with_its_number() {
    let rows = table_rows(&read("docs/errors.md"));
    let written: Vec<(String, String)> = rows
        .iter()
        .map(|row| (row[0].trim_matches('`').to_owned(), row[1].clone()))
        .collect();
    let known: Vec<(String, String)> = Code::ALL
        .iter()
        .map(|code| {
            (
                code.to_string(),
                code.bmad_number().unwrap_or("").to_owned(),
            )
        })
        .collect();
    assert_eq!(written, known);
}

#[test]
fn the_codes_of_the_interfaces_are_explained() {
    let text = read("docs/errors.md");
    for code in OF_INTERFACES {
        assert!(text.contains(&format!("`{code}`")), "{code}");
    }
}

#[test]
fn a_code_is_raised_now_with_advice_or_later_without() {
    for row in table_rows(&read("docs/errors.md")) {
        assert_eq!(row.len(), 7, "{row:?}");
        let advice = !row[5].is_empty() && !row[6].is_empty();
        assert!(!row[4].is_empty(), "{row:?}");
        match row[3].as_str() {
            "now" => assert!(advice, "{row:?}"),
            "later" => assert!(!advice, "{row:?}"),
            other => panic!("{other} is neither now nor later"),
        }
    }
}

#[test]
fn no_document_names_a_code_that_does_not_exist() {
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
    let mut named = 0;
    for document in documents {
        let text = read(&document);
        let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
        for word in words.filter(|word| word.starts_with("E_")) {
            assert!(
                OF_INTERFACES.contains(&word) || Code::ALL.iter().any(|code| code.as_str() == word),
                "{document}: {word}"
            );
            named += 1;
        }
    }
    assert!(named >= Code::ALL.len(), "the documents were not read");
}
