//! The other end of `mnemon-writer`: starts it, listens to it, kills it.
//!
//! What was acknowledged is written down here, outside the processes that get
//! killed: a line that arrived was said after the call had returned.

use std::collections::{BTreeSet, HashMap};
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use crate::numbered::Stream;

/// Everything that writers said.
#[derive(Debug, Default)]
pub struct Journal {
    kept: Mutex<BTreeSet<String>>,
    next: Mutex<HashMap<Stream, u64>>,
    failures: Mutex<Vec<String>>,
}

impl Journal {
    /// The ids that were acknowledged.
    pub fn kept(&self) -> BTreeSet<String> {
        lock(&self.kept).clone()
    }

    /// What went wrong anywhere.
    pub fn failures(&self) -> Vec<String> {
        lock(&self.failures).clone()
    }

    /// The first number of a stream that is not acknowledged.
    pub fn next(&self, stream: &Stream) -> u64 {
        lock(&self.next).get(stream).copied().unwrap_or(0)
    }

    /// Writes down what a line says; the ids if it is an acknowledgement.
    pub fn take(&self, line: &str) -> Vec<String> {
        let words: Vec<&str> = line.split(' ').collect();
        match words.as_slice() {
            ["kept", first, count] => {
                let (stream, number) = Stream::parse(first).expect("an id of ours");
                let end = number + count.parse::<u64>().expect("a count");
                let ids: Vec<String> = (number..end).map(|number| stream.id(number)).collect();
                lock(&self.kept).extend(ids.iter().cloned());
                let mut next = lock(&self.next);
                let known = next.entry(stream).or_insert(0);
                *known = end.max(*known);
                ids
            }
            ["failed", ..] => {
                lock(&self.failures).push(line.to_owned());
                Vec::new()
            }
            _ => Vec::new(),
        }
    }
}

/// How to start a driver.
#[derive(Clone, Debug)]
pub struct Driver {
    /// The program `mnemon-writer`.
    pub program: PathBuf,
    /// The store.
    pub root: PathBuf,
    /// Where its acknowledgements are written down.
    pub journal: Arc<Journal>,
}

/// A driver that was started.
pub struct Running {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    listener: JoinHandle<()>,
}

impl Driver {
    /// The command, to be started or to be wrapped.
    pub fn command(&self, mode: &str, settings: &[String]) -> Command {
        let mut command = Command::new(&self.program);
        command.arg(&self.root).arg(mode).args(settings);
        command
    }

    /// Starts it and listens to it.
    pub fn start(&self, mode: &str, settings: &[String]) -> Running {
        self.start_command(self.command(mode, settings))
    }

    /// Starts it as another program wrapped it, and listens to it.
    pub fn start_command(&self, mut command: Command) -> Running {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the driver was built with the tests");
        let stdout = child.stdout.take().expect("it is piped");
        let (sender, lines) = channel();
        let journal = self.journal.clone();
        let listener = std::thread::spawn(move || {
            // A line without its newline was cut by a kill: it says nothing.
            let mut stdout = BufReader::new(stdout);
            let mut line = String::new();
            while stdout.read_line(&mut line).is_ok_and(|count| count > 0) {
                if let Some(whole) = line.strip_suffix('\n') {
                    journal.take(whole);
                    let _ = sender.send(whole.to_owned());
                }
                line.clear();
            }
        });
        Running {
            stdin: child.stdin.take(),
            child,
            lines,
            listener,
        }
    }
}

impl Running {
    /// The process.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// The next line that it says; none once it has ended.
    pub fn line(&self) -> Option<String> {
        self.lines.recv().ok()
    }

    /// Gives it a line and waits for its answer.
    pub fn ask(&mut self, line: &str) -> Option<String> {
        let stdin = self.stdin.as_mut()?;
        writeln!(stdin, "{line}").ok()?;
        self.line()
    }

    /// Kills it as `kill -9` does, and returns once all that it said is written down.
    pub fn kill(mut self) {
        // It may have ended by itself a moment ago, which is as good.
        let _ = self.child.kill();
        self.finish();
    }

    /// Closes its stdin and waits for its end.
    pub fn finish(mut self) -> ExitStatus {
        drop(self.stdin.take());
        let status = self.child.wait().expect("it is our child");
        self.listener.join().expect("listening does not panic");
        status
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}
