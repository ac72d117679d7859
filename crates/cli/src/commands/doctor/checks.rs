//! What the doctor looks at, one function for each.

use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use mnemon::Mnemon;
use mnemon::embed::Embedder;
use mnemon::store::local::{LocalOptions, LocalStore, sqlite_version};

use super::Check;
use crate::context::Context;
use crate::human::{bytes, count};

/// How long a service has to answer.
const SERVICE_WAIT: Duration = Duration::from_secs(5);

/// Everything, as far as there is something to look at.
pub(super) fn all(context: &Context) -> Vec<Check> {
    let root = &context.root.path;
    let chosen_by = context.root.chosen_by.as_str();
    let mut checks = vec![
        Check::ok("program", format!("mnemon {}", env!("CARGO_PKG_VERSION"))),
        Check::ok("sqlite", sqlite_version()),
        settings(context),
    ];
    let place = format!("{} ({chosen_by})", root.display());
    // The settings may be what is wrong, and must not hide the rest.
    let options = context
        .options()
        .unwrap_or_else(|_| LocalOptions::default());
    match LocalStore::open(root, options) {
        Ok(store) => {
            checks.push(Check::ok("root", place));
            checks.push(format(root));
            checks.push(lock(&store));
            checks.push(writing(root, &store));
            checks.extend(lost_logs(&store));
            checks.push(permissions(root));
            checks.push(index(context, store));
            checks.extend(sealing(context));
            // Without settings nobody knows who embeds, and that is told already.
            checks.extend(context.loaded().is_ok().then(|| embedding(context)));
        }
        Err(error) => checks.push(Check::problem(
            "root",
            format!("{place}: {error}"),
            error.hint(),
        )),
    }
    checks
}

fn settings(context: &Context) -> Check {
    match context.loaded() {
        Ok(loaded) => {
            let own = loaded
                .settings
                .iter()
                .filter(|setting| setting.value != setting.default);
            let number = count(own.count() as u64, "setting differs", "settings differ");
            Check::ok("settings", format!("fine; {number} from the default"))
        }
        Err(error) => Check::problem("settings", error.to_string(), error.hint()),
    }
}

/// Whether what is sealed can be opened; nothing to say of a store without keys.
fn sealing(context: &Context) -> Option<Check> {
    let engine = context.reader().ok()?;
    let caller = context.caller().ok()?;
    let sealing = match engine.sealing(&caller) {
        Ok(sealing) if sealing.has_keys => sealing,
        Ok(_) => return None,
        Err(error) => return Some(Check::problem("sealing", error.to_string(), error.hint())),
    };
    let sealed = count(sealing.sealed, "memory", "memories");
    Some(match engine.master(&caller) {
        Ok(Some(_)) => Check::ok("sealing", format!("{sealed} sealed; the key fits")),
        Ok(None) => Check::note(
            "sealing",
            format!("{sealed} sealed; no key was given"),
            "`mnemon key show` tells which one is looked for.",
        ),
        Err(error) => Check::problem("sealing", error.to_string(), error.hint()),
    })
}

fn format(root: &Path) -> Check {
    let file = root.join("store.json");
    let content = std::fs::read(&file)
        .ok()
        .and_then(|bytes| serde_json::from_slice::<serde_json::Value>(&bytes).ok());
    match content
        .as_ref()
        .and_then(|content| content["format"].as_u64())
    {
        Some(format) => Check::ok("format", format.to_string()),
        None => Check::problem(
            "format",
            format!("{} does not say which format the store has", file.display()),
            "Restore this file from a copy.",
        ),
    }
}

fn lock(store: &LocalStore) -> Check {
    let note = match store.lock_note() {
        Ok(note) => note,
        Err(error) => return Check::problem("lock", error.to_string(), error.hint()),
    };
    match (note.pid, note.holder()) {
        (Some(pid), Some(holder)) if is_running(pid) => Check::note(
            "lock",
            format!("held by {holder}"),
            "Writers wait for it; it is given back when that process is done or dies.",
        ),
        (Some(_), Some(holder)) => Check::note(
            "lock",
            format!("free; {holder} died while it had it"),
            "Nothing to do: whoever comes next tidies up.",
        ),
        _ => Check::ok("lock", "free"),
    }
}

fn is_running(pid: u32) -> bool {
    Path::new("/proc").join(pid.to_string()).exists()
}

/// Nothing if all logs are there.
fn lost_logs(store: &LocalStore) -> Option<Check> {
    let lost = store.lost_logs().ok().filter(|lost| !lost.is_empty())?;
    let told: Vec<String> = lost
        .iter()
        .map(|log| {
            let memories = count(log.memories, "memory", "memories");
            format!("that of {} is gone, with {memories}", log.space)
        })
        .collect();
    Some(Check::problem(
        "logs",
        told.join("; "),
        "Bring it back from a back-up, or go on without it with `mnemon repair`.",
    ))
}

/// As much as a short line needs, on the disk and away again.
fn try_to_write(root: &Path) -> std::io::Result<()> {
    let path = root.join(format!(".doctor-{}", std::process::id()));
    let mut file = std::fs::File::create_new(&path)?;
    let written = file
        .write_all(&[b'x'; 4096])
        .and_then(|()| file.sync_data());
    std::fs::remove_file(&path)?;
    written
}

fn writing(root: &Path, store: &LocalStore) -> Check {
    match store.poisoned() {
        Ok(None) => match try_to_write(root) {
            Ok(()) => Check::ok("writing", "possible"),
            Err(error) => Check::problem(
                "writing",
                format!("not possible: {error}"),
                "Check the permissions of the folder and the space on the disk; reading still works.",
            ),
        },
        Ok(Some(reason)) => Check::problem(
            "writing",
            format!("stopped after a failed sync: {reason}"),
            "Check the disk, then run `mnemon repair`.",
        ),
        Err(error) => Check::problem("writing", error.to_string(), error.hint()),
    }
}

/// Who embeds and who answers; a service is asked for a vector, of a word that says nothing.
fn embedding(context: &Context) -> Check {
    let report = context
        .reader()
        .and_then(|engine| engine.embedding(&mnemon::Caller::user("doctor")));
    let asked = context.endpoint().and_then(|endpoint| match endpoint {
        Some(endpoint) => endpoint
            .embed_once(&["mnemon"], Instant::now() + SERVICE_WAIT)
            .map(drop),
        None => Ok(()),
    });
    match (report, asked) {
        (Ok(report), Ok(())) if report.waiting == 0 => {
            let (embedder, dimension) = (report.embedder, report.dimension);
            Check::ok("embedding", format!("{embedder}, {dimension} numbers"))
        }
        (Ok(report), Ok(())) => Check::note(
            "embedding",
            format!(
                "{} no vector of {} yet; {} answers questions",
                count(report.waiting, "memory has", "memories have"),
                report.embedder,
                report.answering
            ),
            "`mnemon embed` makes them.",
        ),
        // Everything works without it, so it is no problem of the store.
        (Ok(_), Err(error)) => Check::note("embedding", error.to_string(), error.hint()),
        (Err(error), _) => Check::problem("embedding", error.to_string(), error.hint()),
    }
}

/// Nobody but the owner may look into a store.
fn permissions(root: &Path) -> Check {
    let mut open = Vec::new();
    find_open_to_others(root, &mut open);
    if open.is_empty() {
        return Check::ok("permissions", "only the owner may read the store");
    }
    let number = count(open.len() as u64, "file or folder", "files and folders");
    Check::problem(
        "permissions",
        format!(
            "others may read or write {number}, for example {}",
            open[0].display()
        ),
        format!("chmod -R go= '{}'", root.display()),
    )
}

fn find_open_to_others(path: &Path, found: &mut Vec<PathBuf>) {
    // A link's own permissions mean nothing, and what it leads to is not the store's.
    let Ok(metadata) = std::fs::symlink_metadata(path) else {
        return;
    };
    if metadata.is_symlink() {
        return;
    }
    if metadata.permissions().mode() & 0o077 != 0 {
        found.push(path.to_owned());
    }
    if metadata.is_dir()
        && let Ok(entries) = std::fs::read_dir(path)
    {
        for entry in entries.flatten() {
            find_open_to_others(&entry.path(), found);
        }
    }
}

fn index(context: &Context, store: LocalStore) -> Check {
    let config = context.config().cloned().unwrap_or_default();
    let engine = Mnemon::new(std::sync::Arc::new(store), config);
    let caller = mnemon::Caller::user("doctor");
    match engine.stats(&caller) {
        Ok(stats) if stats.damaged_lines > 0 => Check::problem(
            "logs",
            count(stats.damaged_lines, "line is damaged", "lines are damaged"),
            "`mnemon verify` shows them, `mnemon repair` sets them aside.",
        ),
        Ok(stats) => Check::ok(
            "index",
            format!(
                "{}, {} in all",
                count(stats.memories + stats.forgotten, "memory", "memories"),
                bytes(stats.index_bytes)
            ),
        ),
        Err(error) => Check::problem(
            "index",
            error.to_string(),
            "`mnemon reindex` makes it anew.",
        ),
    }
}
