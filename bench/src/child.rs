//! What this program does when it starts itself: being another process.
//!
//! A child says `ready` once it has a store open, does its work when it is
//! sent a line, and answers each line with one of its own.

use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use mnemon::memory::Space;
use mnemon::recall::{Query, Question};
use mnemon::store::Filter;
use rustix::time::ClockId;

use crate::corpus::Corpus;
use crate::corpus::natural::Natural;
use crate::place::{self, caller};
use crate::{Result, measure};

/// The word that makes a process a child.
pub(crate) const COMMAND: &str = "child";

/// A child that waits for lines.
pub(crate) struct Helper {
    process: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
}

impl Helper {
    /// Starts a child and waits until it is ready.
    pub(crate) fn start(role: &str, root: &Path, rest: &[&str]) -> Result<Self> {
        let mut process = Command::new(std::env::current_exe()?)
            .args([COMMAND, role])
            .arg(root)
            .args(rest)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let to = process.stdin.take().ok_or("the child has no input")?;
        let from = process.stdout.take().ok_or("the child has no output")?;
        let mut helper = Self {
            process,
            to,
            from: BufReader::new(from),
        };
        match helper.read()?.as_str() {
            "ready" => Ok(helper),
            other => Err(format!("the child said {other:?} instead of ready").into()),
        }
    }

    pub(crate) fn send(&mut self, line: &str) -> Result<()> {
        writeln!(self.to, "{line}")?;
        Ok(self.to.flush()?)
    }

    pub(crate) fn read(&mut self) -> Result<String> {
        let mut line = String::new();
        self.from.read_line(&mut line)?;
        Ok(line.trim_end().to_owned())
    }

    /// Lets it end, and makes sure that it ended well.
    pub(crate) fn finish(mut self) -> Result<()> {
        drop(self.to);
        if self.process.wait()?.success() {
            Ok(())
        } else {
            Err("a child failed".into())
        }
    }
}

/// What one start of a process cost until its first answer.
pub(crate) struct StartUp {
    pub(crate) cpu_ms: f64,
    pub(crate) resident_mib: f64,
}

/// Starts a process that asks for one memory and ends.
pub(crate) fn open_and_get(root: &Path, id: &str) -> Result<StartUp> {
    start_up("get", root, id)
}

/// Starts a process that asks one question and ends.
pub(crate) fn open_and_recall(root: &Path, question: &str) -> Result<StartUp> {
    start_up("ask", root, question)
}

fn start_up(role: &str, root: &Path, wanted: &str) -> Result<StartUp> {
    let output = Command::new(std::env::current_exe()?)
        .args([COMMAND, role])
        .arg(root)
        .arg(wanted)
        .stderr(Stdio::inherit())
        .output()?;
    let text = String::from_utf8(output.stdout)?;
    let mut numbers = text.split_whitespace().map(str::parse);
    match (numbers.next(), numbers.next()) {
        (Some(Ok(cpu_ms)), Some(Ok(resident_mib))) => Ok(StartUp {
            cpu_ms,
            resident_mib,
        }),
        _ => Err(format!("the child said {text:?}").into()),
    }
}

/// Plays the part that the arguments name.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["get", root, id] => get(Path::new(root), id),
        ["ask", root, question] => ask(Path::new(root), question),
        ["recall", root] => recall(Path::new(root)),
        ["write", root, space, seed] => write(Path::new(root), &space.parse()?, seed.parse()?),
        ["look", root] => look(Path::new(root)),
        ["echo", _] => answer(|line| Ok(line.to_owned())),
        _ => Err("a child needs to know what to do".into()),
    }
}

fn get(root: &Path, id: &str) -> Result<()> {
    let engine = place::open(root)?;
    engine.get(&caller(), id, None)?;
    tell_costs()
}

fn ask(root: &Path, question: &str) -> Result<()> {
    let engine = place::open(root)?;
    engine.recall(&caller(), &query(question)?)?;
    tell_costs()
}

fn query(question: &str) -> Result<Query> {
    let everything = Filter::all(Natural::now_micros());
    Ok(Query::new(Question::parse(question)?, everything))
}

fn tell_costs() -> Result<()> {
    let cpu_ms = measure::millis(measure::processor_time(ClockId::ProcessCPUTime));
    writeln!(io::stdout(), "{cpu_ms} {}", resident_mib_max()?)?;
    Ok(())
}

/// The most memory that this process had at a time.
fn resident_mib_max() -> Result<f64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let kib = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .and_then(|rest| rest.split_whitespace().next())
        .ok_or("the system does not say how much memory a process has")?;
    Ok(kib.parse::<f64>()? / 1024.0)
}

/// Remembers as many as each line says.
fn write(root: &Path, space: &Space, seed: u64) -> Result<()> {
    let engine = place::open(root)?;
    let mut corpus = Corpus::seeded(seed);
    engine.remember(&caller(), space, corpus.next())?;
    answer(|line| {
        for draft in corpus.take(line.parse()?) {
            engine.remember(&caller(), space, draft)?;
        }
        Ok("done".into())
    })
}

/// Says for each line whether there is a memory of that id.
fn look(root: &Path) -> Result<()> {
    let engine = place::open(root)?;
    engine.stats(&caller())?;
    answer(|id| {
        let found = engine.find(&caller(), id, None).is_ok();
        Ok(if found { "seen" } else { "not seen" }.into())
    })
}

/// Says for each line, an id and a question, whether the one answers the other.
fn recall(root: &Path) -> Result<()> {
    let engine = place::open(root)?;
    engine.recall(&caller(), &query("anything")?)?;
    answer(|line| {
        let (id, question) = line.split_once(' ').ok_or("an id and a question")?;
        let answer = engine.recall(&caller(), &query(question)?)?;
        let found = answer.hits.iter().any(|hit| hit.memory.id.as_str() == id);
        Ok(if found { "seen" } else { "not seen" }.into())
    })
}

fn answer(mut each: impl FnMut(&str) -> Result<String>) -> Result<()> {
    let mut output = io::stdout();
    writeln!(output, "ready")?;
    for line in io::stdin().lines() {
        let reply = each(&line?)?;
        writeln!(output, "{reply}")?;
    }
    Ok(())
}
