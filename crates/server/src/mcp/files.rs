//! The file commands that models know as their memory tool: one tool, six
//! commands, on files below `/memories` that are memories of ours.
//!
//! `path` says which names there are, `tree` how files are kept, `lines` how
//! their text is shown and edited. Answers and refusals have the words that
//! the tool documents, because models were trained on them.

mod lines;
mod path;
mod tree;

use mnemon::Error;
use mnemon::caller::Operation;
use rmcp::model::{Tool, ToolAnnotations};
use serde_json::{Value, json};

use super::Shared;
use super::answer::Answer;
use super::door::Need;
use super::fields::{self, Arguments};
use super::schema::{input, text};
use super::table::{Entry, Turn};
use path::{FilePath, ROOT};
use tree::Tree;

pub(super) const TOOLS: [Entry; 1] = [Entry {
    name: "memory",
    describe,
    run,
    // Even a look must not fall between two edits of the same client.
    turn: Turn::Alone,
}];

pub(super) const INSTRUCTIONS: &str = "\
    Your memory is a folder of files, /memories. View it before you start, and write down there \
    what must survive the end of this conversation.";

/// The largest that is shown.
const LINES_MAX: usize = 999_999;

fn describe() -> Tool {
    let description = "Files that stay after the conversation, below /memories. view shows a file \
        with line numbers, or a folder; create makes a file; str_replace replaces a text that is \
        there exactly once; insert puts text after a line; delete and rename work on files and \
        folders.";
    let range = json!({ "type": "array", "items": { "type": "integer" },
        "description": "First and last line; -1 for the end" });
    let commands = [
        "view",
        "create",
        "str_replace",
        "insert",
        "delete",
        "rename",
    ];
    let fields = json!({
        "command": { "type": "string", "enum": commands },
        "path": text("For all but rename"),
        "view_range": range,
        "file_text": text("For create"),
        "old_str": text("For str_replace"),
        "new_str": text("For str_replace"),
        "insert_line": { "type": "integer", "description": "For insert; 0 is the beginning" },
        "insert_text": text("For insert"),
        "old_path": text("For rename"),
        "new_path": text("For rename"),
    });
    let hints = ToolAnnotations::new().destructive(true).idempotent(false);
    Tool::new("memory", description, input(&fields, &["command"]))
        .with_annotations(hints.open_world(false))
}

/// Why a command was not carried out.
enum Refusal {
    /// In the words of the tool.
    Said(String),
    /// The engine's own.
    Engine(Error),
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Self::Engine(error)
    }
}

type Outcome<T = String> = Result<T, Refusal>;

fn refuse<T>(message: String) -> Outcome<T> {
    Err(Refusal::Said(message))
}

fn run(shared: &Shared, arguments: Arguments) -> Answer {
    match carry_out(shared, arguments) {
        Ok(said) => Answer::text(said),
        Err(Refusal::Said(message)) => Answer::refusal_text(message),
        Err(Refusal::Engine(error)) => shared.refused(&error).without_structure(),
    }
}

fn carry_out(shared: &Shared, mut arguments: Arguments) -> Outcome {
    let command = fields::needed(&mut arguments, "command")?;
    if command != "view" {
        may_change(shared)?;
    }
    match command.as_str() {
        "view" => view(shared, &path(&mut arguments, "path")?, &mut arguments),
        "create" => create(shared, &path(&mut arguments, "path")?, &mut arguments),
        "str_replace" => replace(shared, &path(&mut arguments, "path")?, &mut arguments),
        "insert" => insert(shared, &path(&mut arguments, "path")?, &mut arguments),
        "delete" => delete(shared, &path(&mut arguments, "path")?),
        "rename" => {
            let old = path(&mut arguments, "old_path")?;
            let new = path(&mut arguments, "new_path")?;
            rename(shared, &old, &new)
        }
        other => refuse(format!("Error: Unknown command: {}", fields::short(other))),
    }
}

/// Refused before anything else: what is there is not for guessing.
fn may_change(shared: &Shared) -> mnemon::Result<()> {
    match shared.opened(Need::There) {
        Ok(opened) => opened.caller.may(Operation::Transact),
        Err(Error::NoStore { .. }) => Ok(()),
        Err(error) => Err(error),
    }
}

fn path(arguments: &mut Arguments, field: &'static str) -> Outcome<FilePath> {
    let given = fields::needed(arguments, field)?;
    match FilePath::parse(&given) {
        Some(path) => Ok(path),
        None => refuse(format!(
            "Error: {} is not a path below {ROOT}",
            fields::short(&given)
        )),
    }
}

fn view(shared: &Shared, path: &FilePath, arguments: &mut Arguments) -> Outcome {
    let tree = Tree::load(shared)?;
    let range = range(arguments)?;
    if let Some(file) = tree.file(path) {
        let content = file.content();
        let total = lines::count(&content);
        if total > LINES_MAX {
            return refuse(format!(
                "File {path} exceeds maximum line limit of 999,999 lines."
            ));
        }
        let shown = lines::range(range, total).map_err(Refusal::Said)?;
        let numbered = lines::numbered(&content, shown);
        return Ok(format!(
            "Here's the content of {path} with line numbers:\n{numbered}"
        ));
    }
    if !tree.has_folder(path) {
        return refuse(format!(
            "The path {path} does not exist. Please provide a valid path."
        ));
    }
    if range.is_some() {
        return refuse("Error: `view_range` is for files; this is a directory".into());
    }
    Ok(format!(
        "Here're the files and directories up to 2 levels deep in {path}, excluding hidden items \
         and node_modules:\n{}",
        tree.listing(path)
    ))
}

fn create(shared: &Shared, path: &FilePath, arguments: &mut Arguments) -> Outcome {
    let content = fields::needed(arguments, "file_text")?;
    let tree = Tree::load_or_make(shared)?;
    if tree.file(path).is_some() || tree.has_folder(path) {
        return refuse(format!("Error: File {path} already exists"));
    }
    tree.refuse_below_a_file(path)?;
    tree.create(path, content)?;
    Ok(format!("File created successfully at: {path}"))
}

fn replace(shared: &Shared, path: &FilePath, arguments: &mut Arguments) -> Outcome {
    let old = fields::needed(arguments, "old_str")?;
    let new = fields::text(arguments, "new_str")?.unwrap_or_default();
    let tree = Tree::load(shared)?;
    let Some(file) = tree.file(path) else {
        return refuse(format!(
            "Error: The path {path} does not exist. Please provide a valid path."
        ));
    };
    let content = file.content();
    match lines::occurrences(&content, &old).as_slice() {
        [] => refuse(format!(
            "No replacement was performed, old_str `{old}` did not appear verbatim in {path}."
        )),
        [at] => {
            let edited = content.replacen(&old, &new, 1);
            let around = lines::around(&edited, *at, lines::count(&new));
            let snippet = lines::numbered(&edited, around);
            tree.write(file, edited)?;
            Ok(format!("The memory file has been edited.\n{snippet}"))
        }
        several => {
            let numbers: Vec<String> = several.iter().map(ToString::to_string).collect();
            refuse(format!(
                "No replacement was performed. Multiple occurrences of old_str `{old}` in lines: \
                 {}. Please ensure it is unique",
                numbers.join(", ")
            ))
        }
    }
}

fn insert(shared: &Shared, path: &FilePath, arguments: &mut Arguments) -> Outcome {
    let line = fields::take(arguments, "insert_line").unwrap_or(Value::Null);
    let text = fields::needed(arguments, "insert_text")?;
    let tree = Tree::load(shared)?;
    let Some(file) = tree.file(path) else {
        return refuse(format!("Error: The path {path} does not exist"));
    };
    let content = file.content();
    let total = lines::count(&content);
    let place = line.as_u64().and_then(|line| usize::try_from(line).ok());
    match place.filter(|place| *place <= total) {
        Some(place) => tree.write(file, lines::insert(&content, place, &text))?,
        None => {
            return refuse(format!(
                "Error: Invalid `insert_line` parameter: {line}. It should be within the range of \
                 lines of the file: [0, {total}]"
            ));
        }
    }
    Ok(format!("The file {path} has been edited."))
}

fn delete(shared: &Shared, path: &FilePath) -> Outcome {
    if path.is_root() {
        return refuse(format!("Error: {ROOT} itself can't be deleted"));
    }
    let tree = Tree::load(shared)?;
    if !tree.delete(path)? {
        return refuse(format!("Error: The path {path} does not exist"));
    }
    Ok(format!("Successfully deleted {path}"))
}

fn rename(shared: &Shared, old: &FilePath, new: &FilePath) -> Outcome {
    let tree = Tree::load(shared)?;
    if old.is_root() || (tree.file(old).is_none() && !tree.has_folder(old)) {
        return refuse(format!("Error: The path {old} does not exist"));
    }
    if tree.file(new).is_some() || tree.has_folder(new) {
        return refuse(format!("Error: The destination {new} already exists"));
    }
    if new.is_below(old) {
        return refuse(format!("Error: {new} lies in {old} itself"));
    }
    tree.refuse_below_a_file(new)?;
    tree.rename(old, new)?;
    Ok(format!("Successfully renamed {old} to {new}"))
}

/// The first and the last line that are asked for.
fn range(arguments: &mut Arguments) -> Outcome<Option<(i64, i64)>> {
    let Some(value) = fields::take(arguments, "view_range") else {
        return Ok(None);
    };
    let numbers = value.as_array().map(Vec::as_slice);
    match numbers {
        Some([first, last]) => match (first.as_i64(), last.as_i64()) {
            (Some(first), Some(last)) => Ok(Some((first, last))),
            _ => refuse(lines::wrong_range(&value.to_string())),
        },
        _ => refuse(lines::wrong_range(&value.to_string())),
    }
}
