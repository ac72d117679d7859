//! One file of a client: read, changed as little as can be, written whole.
//!
//! Before the first change the file is copied beside itself. Taking mnemon
//! out again gives back those bytes if nothing else was changed since.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use mnemon::Error;

use super::client::Servers;
use super::diff::diff;
use super::entry::{Entry, NAME};
use super::hooks::Hooks;
use super::jsonc::Document;
use super::{hooks, toml};
use crate::failure::{Failure, Outcome};

/// What is to be different.
pub(super) enum Edit {
    SetServer(Servers, Entry),
    RemoveServer(Servers),
    SetHooks(Hooks, Entry),
    RemoveHooks(Hooks),
}

impl Edit {
    fn removes(&self) -> bool {
        matches!(self, Self::RemoveServer(_) | Self::RemoveHooks(_))
    }

    /// The text with what is to be different, and nothing else.
    fn done_to(&self, text: &str) -> Result<String, String> {
        match self {
            Self::SetServer(servers, entry) => set(text, *servers, entry),
            Self::SetHooks(own, entry) => hooks::set(*own, text, entry),
            Self::RemoveServer(Servers::Toml) => {
                let removed = toml::remove(text)?;
                Ok(removed.unwrap_or_else(|| text.to_owned()))
            }
            Self::RemoveServer(Servers::Json { key, .. }) => {
                let removed = Document::parse(text)?.remove(&[key, NAME]);
                Ok(removed.unwrap_or_else(|| text.to_owned()))
            }
            Self::RemoveHooks(own) => hooks::remove(*own, text),
        }
    }

    /// A text with what another one has of it.
    fn done_again(&self, text: &str, with: &str) -> Result<String, String> {
        match self {
            Self::SetServer(servers, _) | Self::RemoveServer(servers) => {
                added_again(text, with, *servers)
            }
            Self::SetHooks(own, _) | Self::RemoveHooks(own) => {
                hooks::put_back(*own, text, &hooks::present(*own, with))
            }
        }
    }

    /// Whether a text has nothing of it.
    fn is_new_to(&self, text: &str) -> bool {
        match self {
            Self::SetServer(servers, _) | Self::RemoveServer(servers) => {
                !has_server(text, *servers)
            }
            Self::SetHooks(own, _) | Self::RemoveHooks(own) => {
                hooks::present(*own, text).is_empty()
            }
        }
    }
}

/// A file as it is, and as it shall be.
pub(super) struct Change {
    pub(super) path: PathBuf,
    /// Nothing if it is not there.
    before: Option<String>,
    /// Nothing if it shall not be there.
    after: Option<String>,
    /// Whether it is free of mnemon before.
    is_untouched: bool,
}

impl Change {
    /// Reads the file and decides; nothing is written. All the edits add, or all remove.
    pub(super) fn plan(path: &Path, edits: &[Edit]) -> Outcome<Self> {
        // What is a link stays one: the file behind it is written.
        let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let before = read(&path)?;
        let refuse = |problem: String| Error::Unparsable {
            what: "the configuration of a client that can be changed, and it was left alone",
            input: path.display().to_string(),
            problem,
        };
        let text = before.as_deref().unwrap_or_default();
        let removes = edits.iter().all(Edit::removes);
        let after = if removes && before.is_none() {
            None
        } else if removes {
            let original = read(&backup_of(&path))?;
            removed(text, original.as_deref(), edits).map_err(refuse)?
        } else {
            let done = |text: String, edit: &Edit| edit.done_to(&text);
            let after = edits.iter().try_fold(text.to_owned(), done);
            Some(ended(text, after.map_err(refuse)?))
        };
        let is_untouched = !removes && edits.iter().all(|edit| edit.is_new_to(text));
        Ok(Self {
            path,
            before,
            after,
            is_untouched,
        })
    }

    /// `written`, `removed` or `unchanged`.
    pub(super) fn what(&self) -> &'static str {
        match (&self.before, &self.after) {
            (before, after) if before == after => "unchanged",
            (_, None) => "removed",
            (_, Some(_)) => "written",
        }
    }

    pub(super) fn diff(&self) -> String {
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        diff(&text(&self.before), &text(&self.after))
    }

    /// Writes it; the copy of what was there before, if one was made.
    pub(super) fn carry_out(&self) -> Outcome<Option<PathBuf>> {
        if self.before == self.after {
            return Ok(None);
        }
        let backup = backup_of(&self.path);
        let Some(after) = &self.after else {
            fs::remove_file(&self.path).map_err(Failure::file("remove", &self.path))?;
            return Ok(None);
        };
        let mut made = None;
        if let (Some(before), true) = (&self.before, self.is_untouched) {
            write(&backup, before, &self.path)?;
            made = Some(backup.clone());
        }
        if let Some(folder) = self.path.parent() {
            fs::create_dir_all(folder).map_err(Failure::file("make", folder))?;
        }
        write(&self.path, after, &self.path)?;
        if !self.is_untouched && read(&backup)?.as_ref() == Some(after) {
            // It is as it was, and needs no copy any more.
            fs::remove_file(&backup).map_err(Failure::file("remove", &backup))?;
        }
        Ok(made)
    }
}

fn set(text: &str, servers: Servers, entry: &Entry) -> Result<String, String> {
    match servers {
        Servers::Toml => toml::set(text, entry),
        Servers::Json { key, typed } => {
            let document = Document::parse(text)?;
            let path = [key, NAME];
            let value = entry.json(typed);
            let parsed = |text: &str| serde_json::from_str::<serde_json::Value>(text).ok();
            let there = document.get(&path).and_then(parsed);
            if there.is_some() && there == parsed(&value) {
                return Ok(text.to_owned());
            }
            document.set(&path, &value)
        }
    }
}

fn has_server(text: &str, servers: Servers) -> bool {
    match servers {
        Servers::Toml => toml::present(text).is_some(),
        Servers::Json { key, .. } => {
            let document = Document::parse(text);
            document.is_ok_and(|it| it.get(&[key, NAME]).is_some())
        }
    }
}

/// The text without mnemon; nothing if the file was made for it alone.
fn removed(text: &str, original: Option<&str>, edits: &[Edit]) -> Result<Option<String>, String> {
    // What was there before is right if adding the same again gives what is there now.
    for candidate in [original, Some("")].into_iter().flatten() {
        let again = |so_far: String, edit: &Edit| edit.done_again(&so_far, text);
        let again = edits.iter().try_fold(candidate.to_owned(), again);
        let again = again.map(|again| ended(candidate, again));
        if again.as_deref() == Ok(text) {
            let was_there = original.is_some() || !candidate.is_empty();
            return Ok(was_there.then(|| candidate.to_owned()));
        }
    }
    let done = |text: String, edit: &Edit| edit.done_to(&text);
    edits.iter().try_fold(text.to_owned(), done).map(Some)
}

/// A text with the entry that another one has.
fn added_again(text: &str, with: &str, servers: Servers) -> Result<String, String> {
    let entry = match servers {
        Servers::Toml => toml::present(with),
        Servers::Json { key, .. } => {
            let document = Document::parse(with)?;
            document.get(&[key, NAME]).and_then(Entry::read)
        }
    };
    let entry = entry.ok_or("it has no entry of ours")?;
    set(text, servers, &entry)
}

/// A file that was empty or not there ends with a line break; the others end as they did.
fn ended(before: &str, mut after: String) -> String {
    if before.is_empty() && !after.ends_with('\n') {
        after.push('\n');
    }
    after
}

/// Beside the file, with a name that no client reads.
fn backup_of(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".before-mnemon");
    path.with_file_name(name)
}

/// The text of a file, or nothing if it is not there.
fn read(path: &Path) -> Outcome<Option<String>> {
    match fs::read(path) {
        Ok(bytes) => match String::from_utf8(bytes) {
            Ok(text) => Ok(Some(text)),
            Err(_) => Err(Error::Unparsable {
                what: "the configuration of a client that can be changed, and it was left alone",
                input: path.display().to_string(),
                problem: "it is not UTF-8".into(),
            }
            .into()),
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Failure::file("read", path)(error)),
    }
}

/// Whole or not at all, readable by whoever could read `like`.
fn write(path: &Path, text: &str, like: &Path) -> Outcome {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".mnemon-new");
    let beside = path.with_file_name(name);
    let attempt = || -> io::Result<()> {
        let mut file = fs::File::create(&beside)?;
        if let Ok(like) = fs::metadata(like) {
            file.set_permissions(like.permissions())?;
        }
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(&beside, path)
    };
    attempt().map_err(|error| {
        let _ = fs::remove_file(&beside);
        Failure::file("write", path)(error)
    })
}
