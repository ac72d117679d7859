//! Steps done by another process, which stays alive from one to the next.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use mnemon::config::Durability;
use mnemon::store::local::{LocalOptions, LocalStore};
use serde::{Deserialize, Serialize};

use super::Step;

/// What the other process is told, one JSON value a line; it answers each with a JSON text.
#[derive(Debug, Serialize, Deserialize)]
enum Order {
    /// Close the store that is open, if any, and open this one.
    Open { root: PathBuf, always: bool },
    /// Close the store.
    Close,
    /// Do a step.
    Do(Step),
}

/// Options that wait for the disk, or leave it to the operating system.
pub fn options(always: bool) -> LocalOptions {
    LocalOptions {
        durability: if always {
            Durability::Always
        } else {
            Durability::Os
        },
        // Small, so that scripts get to it.
        pending_max: 3,
        // Of use only where the store has a ring.
        ..crate::sealed::options(false)
    }
}

/// Another process with a store open; it ends when this is dropped.
#[derive(Debug)]
pub struct Remote {
    process: Child,
    orders: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Remote {
    /// Starts the program at `path`, which must call [`serve`].
    pub fn start(path: &Path) -> Self {
        let mut process = Command::new(path)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program was built with the tests");
        let orders = process.stdin.take().expect("asked for above");
        let answers = process.stdout.take().expect("asked for above");
        Self {
            process,
            orders,
            answers: BufReader::new(answers),
        }
    }

    /// Opens the store in a folder, in place of the one that was open.
    pub fn open(&mut self, root: &Path, always: bool) {
        let root = root.into();
        let answer = self.order(&Order::Open { root, always });
        assert_eq!(answer, "opened");
    }

    /// Closes the store.
    pub fn close(&mut self) {
        assert_eq!(self.order(&Order::Close), "closed");
    }

    /// Does a step there.
    pub fn answer(&mut self, step: &Step) -> String {
        self.order(&Order::Do(step.clone()))
    }

    fn order(&mut self, order: &Order) -> String {
        let mut line = serde_json::to_string(order).expect("orders are JSON");
        line.push('\n');
        let sent = self.orders.write_all(line.as_bytes());
        let mut answer = String::new();
        let read = self.answers.read_line(&mut answer);
        serde_json::from_str(&answer)
            .unwrap_or_else(|_| panic!("no answer to {line}: {sent:?}, {read:?}, {answer:?}"))
    }
}

impl Drop for Remote {
    /// Ends it as a crash would, with the store open.
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The other side: does what it is told until `orders` end.
pub fn serve(orders: impl BufRead, mut answers: impl Write) -> std::io::Result<()> {
    let mut store: Option<LocalStore> = None;
    for line in orders.lines() {
        let answer = match serde_json::from_str(&line?)? {
            Order::Open { root, always } => {
                drop(store.take());
                match LocalStore::open(&root, options(always)) {
                    Ok(opened) => {
                        store = Some(opened);
                        "opened".to_owned()
                    }
                    Err(error) => error.to_string(),
                }
            }
            Order::Close => {
                drop(store.take());
                "closed".to_owned()
            }
            Order::Do(step) => match &store {
                Some(store) => step.answer(store),
                None => "no store is open".to_owned(),
            },
        };
        serde_json::to_writer(&mut answers, &answer)?;
        answers.write_all(b"\n")?;
        answers.flush()?;
    }
    Ok(())
}
