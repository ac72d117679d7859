//! Files as memories: kind `artifact`, tag `file`, the name in the metadata,
//! the content as the text.
//!
//! Folders are there as long as a file is in them. A content of nothing but
//! white space can't be the text of a memory; it stands in the metadata then.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use mnemon::engine::Action;
use mnemon::memory::{Draft, Kind, Memory, Revision, Space, Tag, Text};
use mnemon::store::{Filter, OnFull, Sort};
use mnemon::{Error, Result};
use serde_json::{Map, Value, json};

use super::path::{FilePath, ROOT};
use super::{Outcome, refuse};
use crate::mcp::Shared;
use crate::mcp::door::Need;
use crate::mcp::remember::make_session;
use crate::opened::Opened;

const TAG: &str = "file";
/// Where the name stands in the metadata.
const PATH: &str = "path";
/// Where white space stands in the metadata.
const BLANK: &str = "blank";

/// One file: its name, and the memory that it is.
pub(super) struct File(FilePath, Memory);

impl File {
    pub(super) fn content(&self) -> String {
        match self.1.metadata.get(BLANK).and_then(Value::as_str) {
            Some(blank) => blank.to_owned(),
            None => self.1.text.as_str().to_owned(),
        }
    }
}

/// All files, by name.
pub(super) struct Tree<'a> {
    shared: &'a Shared,
    /// Nothing as long as there is no store.
    opened: Option<Arc<Opened>>,
    space: Space,
    files: BTreeMap<FilePath, File>,
}

impl<'a> Tree<'a> {
    /// What there is, which may be nothing.
    pub(super) fn load(shared: &'a Shared) -> Result<Self> {
        match shared.opened(Need::There) {
            Err(Error::NoStore { .. }) => Ok(Self {
                shared,
                opened: None,
                space: shared.default_space(),
                files: BTreeMap::new(),
            }),
            opened => Self::of(shared, opened?),
        }
    }

    /// As [`Self::load`], with a store made if there is none.
    pub(super) fn load_or_make(shared: &'a Shared) -> Result<Self> {
        Self::of(shared, shared.opened(Need::Made)?)
    }

    fn of(shared: &'a Shared, opened: Arc<Opened>) -> Result<Self> {
        let engine = &opened.engine;
        let space = shared.default_space();
        let filter = Filter {
            spaces: vec![space.clone()],
            kinds: vec![Kind::Artifact],
            tags: vec![TAG.parse()?],
            sort: Sort::Oldest,
            limit: usize::MAX,
            ..Filter::all(engine.now().micros())
        };
        let memories = match engine.list(&opened.caller, &filter) {
            Err(Error::SessionNotFound { .. }) => Vec::new(),
            listed => listed?.memories,
        };
        // Two processes may make the same file at once; then the newer one is it.
        let named = memories.into_iter().filter_map(|memory| {
            let name = memory.metadata.get(PATH)?.as_str()?;
            let path = FilePath::parse(name)?;
            Some((path.clone(), File(path, memory)))
        });
        Ok(Self {
            files: named.collect(),
            space,
            opened: Some(opened),
            shared,
        })
    }

    pub(super) fn file(&self, path: &FilePath) -> Option<&File> {
        self.files.get(path)
    }

    pub(super) fn has_folder(&self, path: &FilePath) -> bool {
        path.is_root() || self.files.keys().any(|file| file.is_below(path))
    }

    /// A file is no folder.
    pub(super) fn refuse_below_a_file(&self, path: &FilePath) -> Outcome<()> {
        match self.files.keys().find(|file| path.is_below(file)) {
            Some(file) => refuse(format!("Error: {file} is a file, not a directory")),
            None => Ok(()),
        }
    }

    /// The folder and what is in it, two levels deep, with sizes.
    pub(super) fn listing(&self, folder: &FilePath) -> String {
        let mut sizes: BTreeMap<String, usize> = BTreeMap::new();
        sizes.insert(folder.to_string(), 0);
        for (path, file) in &self.files {
            let Some(parts) = path.parts_below(folder) else {
                continue;
            };
            let size = file.content().len();
            let is_hidden = |part: &&str| part.starts_with('.') || *part == "node_modules";
            if parts.iter().any(is_hidden) {
                continue;
            }
            *sizes.entry(folder.to_string()).or_default() += size;
            for depth in 1..=parts.len().min(2) {
                let slash = if depth < parts.len() { "/" } else { "" };
                let name = format!("{folder}/{}{slash}", parts[..depth].join("/"));
                *sizes.entry(name).or_default() += size;
            }
        }
        let mut out = String::new();
        for (name, bytes) in sizes {
            let _ = writeln!(out, "{}\t{name}", human(bytes));
        }
        out.truncate(out.trim_end().len());
        out
    }

    pub(super) fn create(&self, path: &FilePath, content: String) -> Result<()> {
        let opened = self.opened()?;
        if let Space::Session(id) = &self.space {
            make_session(opened, id)?;
        }
        let (text, mut metadata) = said(path, content)?;
        metadata.retain(|_, value| !value.is_null());
        let mut draft = Draft::new(Kind::Artifact, text);
        draft.tags = vec![TAG.parse::<Tag>()?];
        draft.metadata = metadata;
        // A session that fills up must not lose a file.
        draft.pinned = self.space.session().is_some();
        opened.engine.remember(&opened.caller, &self.space, draft)?;
        self.wake(opened);
        Ok(())
    }

    /// Another content for a file that nobody changed meanwhile.
    pub(super) fn write(&self, file: &File, content: String) -> Result<()> {
        let opened = self.opened()?;
        let (text, metadata) = said(&file.0, content)?;
        let revision = Revision {
            text: Some(text),
            metadata,
            ..Revision::default()
        };
        let version = Some(file.1.version);
        let (engine, caller) = (&opened.engine, &opened.caller);
        engine.revise(caller, &file.1, version, revision)?;
        self.wake(opened);
        Ok(())
    }

    /// Forgets a file, or all files of a folder; false if there is neither.
    pub(super) fn delete(&self, path: &FilePath) -> Result<bool> {
        let gone = self.at(path).map(|(_, file)| file.1.clone());
        let gone: Vec<Memory> = gone.collect();
        if gone.is_empty() {
            return Ok(false);
        }
        let opened = self.opened()?;
        let reason = format!("{path} was deleted");
        opened.engine.forget(&opened.caller, &gone, &reason)?;
        Ok(true)
    }

    /// Other names for a file, or for all files of a folder, together or not at all.
    pub(super) fn rename(&self, old: &FilePath, new: &FilePath) -> Result<()> {
        let opened = self.opened()?;
        let mut actions = Vec::new();
        for (path, file) in self.at(old) {
            let Some(moved) = path.moved(old, new) else {
                return Err(Error::Rule {
                    field: "new_path",
                    rule: "a path that is not too long for what is in the folder".into(),
                    given: new.to_string(),
                });
            };
            actions.push(Action::Revise {
                id: file.1.id.clone(),
                expected: Some(file.1.version),
                revision: Box::new(Revision {
                    metadata: Map::from_iter([(PATH.to_owned(), json!(moved.as_str()))]),
                    ..Revision::default()
                }),
            });
        }
        let (engine, caller) = (&opened.engine, &opened.caller);
        engine.transact(caller, &self.space, actions, OnFull::Refuse)?;
        Ok(())
    }

    /// The file of that name, or those in the folder.
    fn at(&self, path: &FilePath) -> impl Iterator<Item = (&FilePath, &File)> {
        self.files
            .iter()
            .filter(move |(file, _)| *file == path || file.is_below(path))
    }

    fn opened(&self) -> Result<&Arc<Opened>> {
        self.opened.as_ref().ok_or_else(|| Error::NotFound {
            reference: ROOT.to_owned(),
        })
    }

    fn wake(&self, opened: &Arc<Opened>) {
        self.shared.background.after_write(opened);
    }
}

/// The text and the metadata of a file; a null takes away what was there.
fn said(path: &FilePath, content: String) -> Result<(Text, Map<String, Value>)> {
    let is_blank = content.trim().is_empty();
    let (text, blank) = if is_blank {
        (format!("{path} is blank"), Value::String(content))
    } else {
        (content, Value::Null)
    };
    let metadata = [
        (PATH.to_owned(), json!(path.as_str())),
        (BLANK.to_owned(), blank),
    ];
    Ok((Text::try_from(text)?, Map::from_iter(metadata)))
}

/// `12B`, `1.5K`, `2.0M`
#[expect(clippy::cast_precision_loss, reason = "one digit after the point")]
fn human(bytes: usize) -> String {
    let mut size = bytes as f64;
    if bytes < 1024 {
        return format!("{bytes}B");
    }
    let mut unit = "B";
    for larger in ["K", "M", "G"] {
        if size >= 1024.0 {
            size /= 1024.0;
            unit = larger;
        }
    }
    format!("{size:.1}{unit}")
}
