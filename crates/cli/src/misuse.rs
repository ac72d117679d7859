//! What was typed and makes no sense, said to people or to programs.

use std::fmt::Write as _;
use std::process::ExitCode;

use clap::error::ErrorKind;
use mnemon_wire::ErrorShape;

use crate::failure::{MISUSED, say_json};

/// Help and version are answers; the rest is a misuse.
pub(crate) fn explain(error: &clap::Error) -> ExitCode {
    let json = std::env::args_os().any(|argument| argument == "--json");
    if !error.use_stderr() {
        let _ = error.print();
        return ExitCode::SUCCESS;
    }
    if json {
        let (message, hint) = match error.kind() {
            ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => (
                "a command is missing".to_owned(),
                "--help lists the commands.".to_owned(),
            ),
            _ => sentence_and_hint(&error.render().to_string()),
        };
        say_json(&ErrorShape::new(ErrorShape::USAGE, message, hint));
    } else {
        let _ = error.print();
    }
    ExitCode::from(MISUSED)
}

/// What clap prints in paragraphs, as one sentence and what to type instead.
fn sentence_and_hint(rendered: &str) -> (String, String) {
    let mut paragraphs = rendered.split("\n\n").map(str::trim);
    let first = paragraphs.next().unwrap_or_default();
    let first = first.strip_prefix("error: ").unwrap_or(first);
    let mut lines = first.lines().map(str::trim);
    let mut message = lines.next().unwrap_or_default().to_owned();
    // What is missing, or what is possible, stands below.
    for (number, line) in lines.enumerate() {
        let list = message.contains(':') && number > 0;
        message.push_str(if list { ", " } else { " " });
        message.push_str(line);
    }
    let mut hint = String::new();
    for paragraph in paragraphs {
        if let Some(usage) = paragraph.strip_prefix("Usage: ") {
            let ways: Vec<&str> = usage.lines().map(str::trim).collect();
            let _ = write!(hint, "Type `{}`. ", ways.join("` or `"));
        }
        for tip in paragraph
            .lines()
            .filter_map(|line| line.trim().strip_prefix("tip: "))
        {
            let _ = write!(hint, "{}. ", capitalised(tip));
        }
    }
    hint.push_str("--help tells more.");
    (message, hint)
}

fn capitalised(text: &str) -> String {
    let mut characters = text.chars();
    let first = characters.next().map(|c| c.to_ascii_uppercase());
    first.into_iter().chain(characters).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::Arguments;
    use clap::Parser;

    #[test]
    fn a_program_gets_a_sentence_and_what_to_type() {
        for (typed, message, hint) in [
            (
                "recall",
                "the following required arguments were not provided: <QUERY>...",
                "Type `mnemon recall <QUERY>...`. --help tells more.",
            ),
            (
                "recall x --limt 3",
                "unexpected argument '--limt' found",
                "A similar argument exists: '--limit'. Type `mnemon recall --limit <N> \
                 <QUERY>...`. --help tells more.",
            ),
            (
                "list --open --resolved",
                "the argument '--open' cannot be used with '--resolved'",
                "Type `mnemon list --open`. --help tells more.",
            ),
            (
                "frobnicate",
                "unrecognized subcommand 'frobnicate'",
                "Type `mnemon [OPTIONS] <COMMAND>`. --help tells more.",
            ),
        ] {
            let typed = ["mnemon"].into_iter().chain(typed.split(' '));
            let error = Arguments::try_parse_from(typed).unwrap_err();
            let said = sentence_and_hint(&error.render().to_string());
            assert_eq!(said, (message.to_owned(), hint.to_owned()));
        }
    }
}
