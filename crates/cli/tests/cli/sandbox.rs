//! A folder, an environment, and the program in it.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::SystemTime;

use serde_json::Value;
use tempfile::TempDir;

/// A home and a working folder that nothing else uses.
pub(crate) struct Sandbox {
    folder: TempDir,
}

/// What a run of the program left.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Sandbox {
    /// An empty folder.
    pub(crate) fn empty() -> Self {
        Self {
            folder: TempDir::new().unwrap(),
        }
    }

    /// With a store and a session `s`.
    pub(crate) fn with_session() -> Self {
        let sandbox = Self::empty();
        sandbox.json(&["init"]);
        sandbox.json(&["session", "new", "--id", "s"]);
        sandbox
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path().join(name);
        std::fs::write(&path, content).unwrap();
        path
    }

    /// Every file below the folder with its bytes and when they last changed.
    ///
    /// SQLite's shared memory is left out: it says who reads now, and no content.
    pub(crate) fn files(&self) -> BTreeMap<PathBuf, (Vec<u8>, SystemTime)> {
        let mut found = BTreeMap::new();
        let mut folders = vec![self.path().to_path_buf()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap().flatten() {
                let (path, metadata) = (entry.path(), entry.metadata().unwrap());
                if metadata.is_dir() {
                    folders.push(path);
                } else if !path.to_string_lossy().ends_with("-shm") {
                    let bytes = std::fs::read(&path).unwrap();
                    found.insert(path, (bytes, metadata.modified().unwrap()));
                }
            }
        }
        found
    }

    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mnemon"));
        command
            .current_dir(self.path())
            .env_clear()
            .env("HOME", self.path().join("home"))
            .env("TZ", "UTC");
        command
    }

    /// Imports a file, but is killed as soon as a transaction was written.
    pub(crate) fn kill_import(&self, path: &str) {
        let mut import = self.command();
        import.args(["import", path]);
        import.stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = import.spawn().unwrap();
        loop {
            let sessions = std::fs::read_dir(self.path().join(".mnemon/sessions"));
            let kept = sessions.into_iter().flatten().flatten().any(|session| {
                let log = std::fs::read_to_string(session.path().join("memory.jsonl"));
                log.is_ok_and(|log| log.contains(r#""op":"commit""#))
            });
            if kept || child.try_wait().unwrap().is_some() {
                break;
            }
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }

    /// Runs it with these arguments.
    pub(crate) fn run(&self, arguments: &[&str]) -> Ran {
        finish(self.command().args(arguments), b"")
    }

    /// Runs it with something on standard input.
    pub(crate) fn run_with_input(&self, arguments: &[&str], input: &[u8]) -> Ran {
        finish(self.command().args(arguments), input)
    }

    /// Runs it with `--json` and gives the answer.
    pub(crate) fn json(&self, arguments: &[&str]) -> Value {
        self.run(&[arguments, &["--json"]].concat()).json()
    }

    /// Runs it with `--json`, and gives the code and message of the refusal.
    pub(crate) fn refusal(&self, arguments: &[&str]) -> (String, String) {
        self.run(&[arguments, &["--json"]].concat()).refusal()
    }
}

/// Runs a command to its end.
pub(crate) fn finish(command: &mut Command, input: &[u8]) -> Ran {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A program that refuses early does not read all of it.
    let _ = child.stdin.take().unwrap().write_all(input);
    let output = child.wait_with_output().unwrap();
    Ran {
        code: output.status.code().unwrap(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

impl Ran {
    /// The one JSON value of a command that did what was asked.
    pub(crate) fn json(&self) -> Value {
        assert_eq!((self.code, self.stderr.as_str()), (0, ""), "{self:?}");
        serde_json::from_str(&self.stdout).unwrap()
    }

    /// Code and message of a refusal, which leaves nothing on standard output.
    pub(crate) fn refusal(&self) -> (String, String) {
        assert_eq!((self.code, self.stdout.as_str()), (1, ""), "{self:?}");
        let envelope: Value = serde_json::from_str(&self.stderr).unwrap();
        let error = envelope["error"].as_object().unwrap();
        assert!(!error["hint"].as_str().unwrap().is_empty());
        assert!(error["retryable"].is_boolean());
        let text = |name: &str| error[name].as_str().unwrap().to_owned();
        (text("code"), text("message"))
    }

    /// What a person read, with ids, times and folders replaced.
    pub(crate) fn human(&self, sandbox: &Sandbox) -> String {
        assert_eq!((self.code, self.stderr.as_str()), (0, ""), "{self:?}");
        redact(&self.stdout, sandbox)
    }
}

/// Replaces what differs from run to run, without changing how wide it is.
pub(crate) fn redact(text: &str, sandbox: &Sandbox) -> String {
    let root = sandbox.path().canonicalize().unwrap();
    let text = text.replace(root.to_str().unwrap(), "[folder]");
    let mut out = String::new();
    let mut rest = text.as_str();
    while let Some(c) = rest.chars().next() {
        let bytes = rest.as_bytes();
        let ulid = bytes.len() > 26
            && bytes[..27].starts_with(b"_01")
            && bytes[1..27].iter().all(u8::is_ascii_alphanumeric);
        let date = rest.len() >= 19
            && bytes.starts_with(b"20")
            && bytes[4] == b'-'
            && bytes[13] == b':'
            && bytes[16] == b':';
        if ulid {
            out.push_str("_01ULID00000000000000000000");
            rest = &rest[27..];
        } else if date {
            out.push_str("2026-01-01 00:00:00");
            rest = &rest[19..];
            if let Some(fraction) = rest.strip_prefix('.') {
                rest = fraction.trim_start_matches(|c: char| c.is_ascii_digit());
            }
        } else {
            out.push(c);
            rest = &rest[c.len_utf8()..];
        }
    }
    out
}
