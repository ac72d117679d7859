//! A process for the tests to watch, to stop and to kill.
//!
//! `mnemon-writer ROOT MODE [key=value]...` with the modes
//! - `write`: writes numbered memories and says `kept ID COUNT` after each call returned;
//! - `serve`: says `serving`, and writes for others until stdin closes;
//! - `hold`: stops in the middle of a write, with the lock, until stdin closes;
//! - `read`: answers each id on stdin with its text or `absent`;
//! - `reindex`: builds the index anew;
//! - `compact`: compacts the session `one`, as at the time `now`;
//! - `bring-back`: brings back what was compacted of it;
//! - `erase`: erases the memories of these `ids`, which commas part;
//! - `session`: makes the session called `name`;
//! - `live`: does `what` (archive, restore, delete, undelete, purge) to the session called `name`;
//! - `check`: looks for everything that stdin says was kept, and for what must not be.
//!
//! What it says goes to stdout, a line in one piece; the test is at the other end.

use std::io::{self, BufRead, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use mnemon::compact::Reach;
use mnemon::memory::Space;
use mnemon::store::OnFull;
use mnemon::store::local::disk::{Disk, RealDisk};
use mnemon::store::local::{LocalOptions, LocalStore};
use mnemon::{Caller, Clock, Config, Error, Mnemon, Result, Time};
use mnemon_testkit::driver::Journal;
use mnemon_testkit::hooked::{HookedDisk, Step};
use mnemon_testkit::inspect;
use mnemon_testkit::numbered::{self, Stream};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [root, mode, settings @ ..] = arguments.as_slice() else {
        say("usage: mnemon-writer ROOT MODE [key=value]...");
        return ExitCode::from(2);
    };
    let settings = Settings {
        root: root.into(),
        pairs: settings.to_vec(),
    };
    let outcome = match mode.as_str() {
        "write" => write(&settings),
        "serve" => serve(&settings),
        "hold" => hold(&settings),
        "read" => read(&settings),
        "reindex" => reindex(&settings),
        "compact" => compact(&settings),
        "bring-back" => bring_back(&settings),
        "erase" => erase(&settings),
        "session" => {
            inspect::make_sessions(&settings.root, &[settings.text("name").unwrap_or("one")]);
            Ok(())
        }
        "live" => live(&settings),
        "check" => {
            check(&settings.root);
            Ok(())
        }
        _ => {
            say("no such mode");
            return ExitCode::from(2);
        }
    };
    match outcome {
        Ok(()) => {
            say("done");
            ExitCode::SUCCESS
        }
        Err(error) => {
            say(&format!("failed {} {error}", error.code()));
            ExitCode::FAILURE
        }
    }
}

/// What the command line says.
struct Settings {
    root: PathBuf,
    pairs: Vec<String>,
}

impl Settings {
    fn text(&self, key: &str) -> Option<&str> {
        self.pairs
            .iter()
            .filter_map(|pair| pair.split_once('='))
            .find(|(name, _)| *name == key)
            .map(|(_, value)| value)
    }

    fn number(&self, key: &str, default: u64) -> u64 {
        self.text(key).map_or(default, |text| {
            text.parse().expect("a number after the equals sign")
        })
    }

    fn spaces(&self) -> Result<Vec<Space>> {
        self.text("spaces")
            .unwrap_or("shared")
            .split(',')
            .map(str::parse)
            .collect()
    }

    fn engine(&self, disk: Arc<dyn Disk>) -> Result<Mnemon> {
        let mut config = Config::default();
        config.storage.session_bytes_max = u64::MAX / 2;
        config.lock.timeout_ms = self.number("lock_ms", 60_000);
        config.storage.retry_backoff_ms = self.number("retry_ms", config.storage.retry_backoff_ms);
        let options = LocalOptions::from(&config);
        let pending_max = self.number("pending_max", options.pending_max.into());
        let options = LocalOptions {
            pending_max: u32::try_from(pending_max).unwrap_or(u32::MAX),
            expects_others: self.text("others").is_some(),
            ..options
        };
        let store = LocalStore::create_on(disk, &self.root, options)?;
        Ok(Mnemon::new(Arc::new(store), config))
    }
}

/// One line in one piece, so that the lines of several threads don't mix.
fn say(line: &str) {
    let mut stdout = io::stdout().lock();
    // Nobody listens any more: the test is over, and so are we.
    if writeln!(stdout, "{line}")
        .and_then(|()| stdout.flush())
        .is_err()
    {
        std::process::exit(1);
    }
}

fn write(settings: &Settings) -> Result<()> {
    let engine = settings.engine(Arc::new(RealDisk))?;
    let threads = settings.number("threads", 1);
    if threads == 1 {
        // On the main thread, where the system calls are easy to count.
        return write_stream(settings, &engine, 0);
    }
    std::thread::scope(|scope| {
        let running: Vec<_> = (0..threads)
            .map(|thread| {
                let engine = &engine;
                scope.spawn(move || write_stream(settings, engine, thread))
            })
            .collect();
        running
            .into_iter()
            .try_for_each(|thread| thread.join().expect("no writer panics"))
    })
}

fn write_stream(settings: &Settings, engine: &Mnemon, thread: u64) -> Result<()> {
    let caller = Caller::user("tester");
    let spaces = settings.spaces()?;
    let stream = Stream {
        writer: settings.text("name").unwrap_or("w").to_owned(),
        batch: settings.number("batch", 1),
        thread,
    };
    let from = settings.number("from", 0);
    let end = from.saturating_add(settings.number("count", u64::MAX));
    let mut first = from;
    while first < end {
        let turn = (first / stream.batch + thread) % spaces.len() as u64;
        let space = &spaces[usize::try_from(turn).expect("a small number")];
        let ids: Vec<String> = stream.together_with(first).collect();
        let drafts = ids
            .iter()
            .map(|id| numbered::draft(id))
            .collect::<Result<_>>()?;
        if settings.text("begins").is_some() {
            say(&format!("begin {} {}", ids[0], stream.batch));
        }
        engine.remember_all(&caller, space, drafts, OnFull::Refuse)?;
        say(&format!("kept {} {}", ids[0], stream.batch));
        first += stream.batch;
    }
    Ok(())
}

/// Has its post open; whoever comes later sends it what is to be written.
fn serve(settings: &Settings) -> Result<()> {
    let engine = settings.engine(Arc::new(RealDisk))?;
    say("serving");
    // Nobody speaks to it: this is the end, or the test is over.
    let _ = io::stdin().read_to_end(&mut Vec::new());
    drop(engine);
    Ok(())
}

/// Writes one memory, but stops before its bytes reach the log.
fn hold(settings: &Settings) -> Result<()> {
    let held = AtomicBool::new(false);
    let disk = HookedDisk::new(move |step, path: &Path| {
        let is_log = path.ends_with("memory.jsonl");
        if step == Step::Write && is_log && !held.swap(true, Ordering::SeqCst) {
            say("holding");
            io::stdin().read_to_end(&mut Vec::new())?;
        }
        Ok(())
    });
    let engine = settings.engine(disk)?;
    write_stream(settings, &engine, 0)
}

fn read(settings: &Settings) -> Result<()> {
    let engine = settings.engine(Arc::new(RealDisk))?;
    let caller = Caller::user("tester");
    for id in io::stdin().lock().lines().map_while(io::Result::ok) {
        match engine.find(&caller, &id, None) {
            Ok(memory) => say(memory.text.as_str()),
            Err(Error::NotFound { .. }) => say("absent"),
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn reindex(settings: &Settings) -> Result<()> {
    let engine = settings.engine(Arc::new(RealDisk))?;
    let done = engine.reindex(&Caller::user("tester"), &mut |_| {})?;
    say(&format!("reindexed {}", done.memories));
    Ok(())
}

/// The engine at the time that the settings say.
fn engine_then(settings: &Settings) -> Result<Mnemon> {
    let now: Time = settings.text("now").unwrap_or_default().parse()?;
    let engine = settings.engine(Arc::new(RealDisk))?;
    let random = || {
        let id = std::process::id().to_le_bytes();
        let mut random = [7; 10];
        random[..4].copy_from_slice(&id);
        random
    };
    Ok(engine.with_sources(Clock::fixed_at(now), Arc::new(random)))
}

fn compact(settings: &Settings) -> Result<()> {
    let engine = engine_then(settings)?;
    let reach = Reach::Aggressive;
    let report = engine.compact(&Caller::user("tester"), &"one".parse()?, reach)?;
    say(&format!("compacted {}", report.plan.actions.len()));
    Ok(())
}

fn bring_back(settings: &Settings) -> Result<()> {
    let engine = engine_then(settings)?;
    let caller = Caller::user("tester");
    let brought = engine.bring_back(&caller, &"one".parse()?, None, "needed")?;
    say(&format!("brought back {}", brought.len()));
    Ok(())
}

fn erase(settings: &Settings) -> Result<()> {
    let engine = settings.engine(Arc::new(RealDisk))?;
    let ids = settings.text("ids").unwrap_or_default().split(',');
    let ids = ids.map(str::parse).collect::<Result<_>>()?;
    let erased = engine.erase_ids(&Caller::user("tester"), ids, "asked to")?;
    say(&format!("erased {}", erased.ids.len()));
    Ok(())
}

fn live(settings: &Settings) -> Result<()> {
    let engine = settings.engine(Arc::new(RealDisk))?;
    let caller = Caller::user("tester");
    let id = settings.text("name").unwrap_or("one").parse()?;
    match settings.text("what") {
        Some("archive") => drop(engine.archive_session(&caller, &id, None)?),
        Some("restore") => drop(engine.restore_session(&caller, &id)?),
        Some("delete") => drop(engine.delete_session(&caller, &id, "over")?),
        Some("undelete") => drop(engine.undelete_session(&caller, &id, "not over")?),
        Some("purge") => drop(engine.purge_session(&caller, &id)?),
        other => panic!("nothing is called {other:?}"),
    }
    Ok(())
}

/// Panics, and so fails, if anything is not as it must be.
fn check(root: &Path) {
    let journal = Journal::default();
    for line in io::stdin().lock().lines().map_while(io::Result::ok) {
        journal.take(&line);
    }
    let acknowledged = journal.kept();
    let found = inspect::check(root, &acknowledged);
    say(&format!(
        "{} acknowledged, {} found",
        acknowledged.len(),
        found.len()
    ));
}
