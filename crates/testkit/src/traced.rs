//! A driver under `strace`, which kills it or fails its calls at a chosen one.

use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::driver::Driver;

/// What happens at a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blow {
    /// `kill -9` before the call is made.
    Kill,
    /// The call fails with this error, this one time.
    Fail(&'static str),
    /// The call fails with this error from then on.
    FailFromThenOn(&'static str),
}

/// How a run under `strace` ended.
#[derive(Debug)]
pub struct Ended {
    /// Whether the call was reached at all.
    pub struck: bool,
    /// What the driver said, line by line.
    pub said: Vec<String>,
}

/// Whether `strace` is here and may trace; without it such tests can't be run.
pub fn is_possible() -> bool {
    Command::new("strace")
        .args(["-qq", "-o", "/dev/null", "true"])
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// A driver that is killed at its `nth` call of that name; for tests that talk to it.
pub fn killed_at(
    driver: &Driver,
    (mode, settings): (&str, &[String]),
    (call, nth): (&str, usize),
) -> Command {
    let command = driver.command(mode, settings);
    let mut traced = Command::new("strace");
    traced
        .args(["-f", "-qq", "-o", "/dev/null"])
        .arg(format!("--trace={call}"))
        .arg(format!("--inject={call}:signal=KILL:when={nth}"))
        .arg(command.get_program())
        .args(command.get_args())
        .stderr(Stdio::null());
    traced
}

/// Runs a driver and strikes at its `nth` call of that name, on that path if one is given.
pub fn run(
    driver: &Driver,
    (mode, settings): (&str, &[String]),
    (call, nth): (&str, usize),
    path: Option<&Path>,
    blow: Blow,
) -> Ended {
    let inject = match blow {
        Blow::Kill => format!("{call}:signal=KILL:when={nth}"),
        Blow::Fail(error) => format!("{call}:error={error}:when={nth}"),
        Blow::FailFromThenOn(error) => format!("{call}:error={error}:when={nth}+"),
    };
    let notes = tempfile::NamedTempFile::new().expect("a temporary file");
    let mut arguments: Vec<OsString> = vec!["-f".into(), "-qq".into(), "-o".into()];
    arguments.push(notes.path().into());
    arguments.push(format!("--trace={call}").into());
    arguments.push(format!("--inject={inject}").into());
    if let Some(path) = path {
        arguments.extend(["-P".into(), path.into()]);
    }
    let output = strace(driver, mode, settings, &arguments);
    let trace = std::fs::read_to_string(notes.path()).unwrap_or_default();
    let said = String::from_utf8_lossy(&output).into_owned();
    // A line without its newline was cut by the kill.
    let said: Vec<String> = said
        .split_inclusive('\n')
        .filter_map(|line| line.strip_suffix('\n').map(str::to_owned))
        .collect();
    for line in &said {
        driver.journal.take(line);
    }
    Ended {
        struck: match blow {
            Blow::Kill => !said.iter().any(|line| line == "done"),
            _ => trace.contains("(INJECTED)"),
        },
        said,
    }
}

/// How many calls of each of these names a run makes before it first touches the store.
pub fn calls_before_the_store(
    driver: &Driver,
    (mode, settings): (&str, &[String]),
    names: &[&'static str],
) -> Vec<(&'static str, usize)> {
    let notes = tempfile::NamedTempFile::new().expect("a temporary file");
    let arguments = ["-f".into(), "-qq".into(), "-o".into(), notes.path().into()];
    strace(driver, mode, settings, &arguments);
    let trace = std::fs::read_to_string(notes.path()).expect("strace wrote it");
    let root = driver.root.display().to_string();
    // The first line starts the program and names the root too.
    let before = trace
        .lines()
        .skip(1)
        .take_while(|line| !line.contains(&root));
    let mut counts: Vec<_> = names.iter().map(|name| (*name, 0)).collect();
    for line in before {
        let call = line.split_whitespace().nth(1).unwrap_or_default();
        for (name, count) in &mut counts {
            if call.split('(').next() == Some(*name) {
                *count += 1;
            }
        }
    }
    counts
}

fn strace(driver: &Driver, mode: &str, settings: &[String], arguments: &[OsString]) -> Vec<u8> {
    let command = driver.command(mode, settings);
    Command::new("strace")
        .args(arguments)
        .arg(command.get_program())
        .args(command.get_args())
        .stderr(Stdio::null())
        .output()
        .expect("strace runs")
        .stdout
}
