//! A client that speaks the protocol line by line.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use crate::sandbox::Sandbox;

/// A server in a process of its own.
pub(super) struct Client {
    process: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    last_id: u64,
}

/// How a server ended.
#[derive(Debug, PartialEq)]
pub(super) struct Ended {
    pub(super) code: i32,
    /// Lines that nobody had read.
    pub(super) rest: Vec<Value>,
    pub(super) stderr: String,
}

impl Client {
    /// Starts `mnemon mcp` with more arguments.
    pub(super) fn start(sandbox: &Sandbox, arguments: &[&str]) -> Self {
        let mut command = sandbox.command();
        command.args(["mcp"]).args(arguments);
        Self::spawn(command)
    }

    fn spawn(mut command: Command) -> Self {
        let mut process = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        Self {
            input: process.stdin.take(),
            output: BufReader::new(process.stdout.take().unwrap()),
            process,
            last_id: 0,
        }
    }

    /// Starts it and shakes hands.
    pub(super) fn ready(sandbox: &Sandbox, arguments: &[&str]) -> Self {
        let mut client = Self::start(sandbox, arguments);
        client.initialize("2025-06-18");
        client.notify("notifications/initialized");
        client
    }

    /// The answer to the handshake.
    pub(super) fn initialize(&mut self, version: &str) -> Value {
        let about = json!({ "name": "test", "version": "1" });
        let parameters =
            json!({ "protocolVersion": version, "capabilities": {}, "clientInfo": about });
        self.request("initialize", &parameters)["result"].clone()
    }

    pub(super) fn notify(&mut self, method: &str) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method }));
    }

    /// The whole reply to a request.
    pub(super) fn request(&mut self, method: &str, parameters: &Value) -> Value {
        let id = self.ask(method, parameters);
        let reply = self.read();
        assert_eq!(reply["id"], id, "{reply}");
        reply
    }

    /// Asks without waiting; the id of the question.
    pub(super) fn ask(&mut self, method: &str, parameters: &Value) -> u64 {
        self.last_id += 1;
        let id = self.last_id;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": parameters }));
        id
    }

    /// Calls a tool without waiting.
    pub(super) fn ask_tool(&mut self, tool: &str, arguments: &Value) -> u64 {
        self.ask(
            "tools/call",
            &json!({ "name": tool, "arguments": arguments }),
        )
    }

    /// The result of a tool, whether it did what was asked or not.
    pub(super) fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        let parameters = json!({ "name": tool, "arguments": arguments });
        let reply = self.request("tools/call", &parameters);
        assert!(reply["result"].is_object(), "{arguments}: {reply}");
        reply["result"].clone()
    }

    /// The result of a tool that did what was asked.
    pub(super) fn done(&mut self, tool: &str, arguments: &Value) -> Value {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], false, "{result}");
        result
    }

    /// Text and code of a refusal.
    pub(super) fn refused(&mut self, tool: &str, arguments: &Value) -> (String, String) {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], true, "{result}");
        let error = &result["structuredContent"]["error"];
        let part = |name: &str| error[name].as_str().unwrap();
        let text = text_of(&result);
        for name in ["code", "message", "hint"] {
            assert!(text.contains(part(name)), "{name}: {text}");
        }
        (part("code").to_owned(), text)
    }

    pub(super) fn send(&mut self, message: &Value) {
        self.send_raw(format!("{message}\n").as_bytes());
    }

    pub(super) fn send_raw(&mut self, bytes: &[u8]) {
        self.input.as_mut().unwrap().write_all(bytes).unwrap();
    }

    /// The next line of the server, which is JSON whatever was sent.
    pub(super) fn read(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|_| panic!("no JSON: {line:?}"))
    }

    /// Closes its input and waits for its end.
    pub(super) fn close(mut self) -> Ended {
        drop(self.input.take());
        let mut rest = String::new();
        self.output.read_to_string(&mut rest).unwrap();
        let mut stderr = String::new();
        let mut errors = self.process.stderr.take().unwrap();
        errors.read_to_string(&mut stderr).unwrap();
        Ended {
            code: self.process.wait().unwrap().code().unwrap(),
            rest: rest
                .lines()
                .map(|line| serde_json::from_str(line).unwrap())
                .collect(),
            stderr,
        }
    }

    /// Ends it without a chance to finish anything.
    pub(super) fn kill(mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    /// What it has cost the processor so far.
    #[cfg(target_os = "linux")]
    pub(super) fn processor_micros(&self) -> u64 {
        let mut nanos = 0;
        let threads = format!("/proc/{}/task", self.process.id());
        for thread in std::fs::read_dir(threads).unwrap().flatten() {
            let spent = std::fs::read_to_string(thread.path().join("schedstat")).unwrap();
            nanos += spent.split(' ').next().unwrap().parse::<u64>().unwrap();
        }
        nanos / 1000
    }

    /// Closes it when all was said and nothing went wrong.
    pub(super) fn end(self) {
        let quiet = Ended {
            code: 0,
            rest: Vec::new(),
            stderr: String::new(),
        };
        assert_eq!(self.close(), quiet);
    }
}

/// The text that a model reads.
pub(super) fn text_of(result: &Value) -> String {
    result["content"][0]["text"].as_str().unwrap().to_owned()
}

/// What the hits of a recall say, the best first.
pub(super) fn texts_of(result: &Value) -> Vec<String> {
    let hits = result["structuredContent"]["hits"].as_array().unwrap();
    let text = |hit: &Value| hit["memory"]["text"].as_str().unwrap().to_owned();
    hits.iter().map(text).collect()
}
