//! `mnemon serve` and `mnemon token`, as a person uses them.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};

use serde_json::Value;

use crate::sandbox::Sandbox;

/// A server that runs, and where.
struct Server {
    child: Child,
    address: String,
}

impl Server {
    fn start(sandbox: &Sandbox) -> Self {
        let mut child = sandbox
            .command()
            .args(["serve", "--listen", "127.0.0.1:0", "--json"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        stdout.read_line(&mut line).unwrap();
        let told: Value = serde_json::from_str(&line).unwrap();
        let url = told["url"].as_str().unwrap();
        let address = url.strip_prefix("http://").unwrap().to_owned();
        Self { child, address }
    }

    /// The status and the body of an answer.
    fn get(&self, path: &str, token: Option<&str>) -> (String, String) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let token = token.map(|it| format!("authorization: Bearer {it}\r\n"));
        let head = format!(
            "GET {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n{}\r\n",
            self.address,
            token.unwrap_or_default()
        );
        stream.write_all(head.as_bytes()).unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap();
        (status.to_owned(), body.to_owned())
    }

    /// Interrupts it, as a person does; its exit code and its log.
    fn interrupt(mut self) -> (i32, String) {
        let pid = self.child.id().to_string();
        let kill = std::process::Command::new("kill")
            .args(["-INT", &pid])
            .status();
        assert!(kill.unwrap().success());
        let mut log = String::new();
        let mut stderr = self.child.stderr.take().unwrap();
        stderr.read_to_string(&mut log).unwrap();
        (self.child.wait().unwrap().code().unwrap(), log)
    }
}

#[test]
fn a_server_tells_its_address_answers_and_ends_in_order() {
    let sandbox = Sandbox::with_session();
    let server = Server::start(&sandbox);
    let (status, body) = server.get("/v1/sessions", None);
    assert_eq!(status, "200", "{body}");
    assert!(body.contains(r#""session_id":"s""#));
    let made = sandbox.json(&["token", "new", "--agent", "ada", "--expires", "30d"]);
    let secret = made["token"].as_str().unwrap();
    // It holds at once, for a server that was started before.
    assert_eq!(server.get("/v1/sessions", None).0, "401");
    assert_eq!(server.get("/v1/sessions", Some(secret)).0, "200");
    let id = made["id"].as_str().unwrap();
    let revoked = sandbox.json(&["token", "revoke", id]);
    assert_eq!(revoked["id"], made["id"]);
    assert_eq!(server.get("/v1/sessions", Some(secret)).0, "401");
    let (code, log) = server.interrupt();
    assert_eq!(code, 0, "{log}");
    assert!(
        log.lines().last().unwrap().contains("Server ended"),
        "{log}"
    );
}

#[test]
fn tokens_are_shown_once_listed_and_revoked() {
    let sandbox = Sandbox::with_session();
    let shown = sandbox.run(&["token", "new", "--role", "reader", "--name", "metrics"]);
    assert_eq!(shown.code, 0, "{shown:?}");
    let secret = shown.stdout.lines().next().unwrap();
    assert!(secret.starts_with("mnm_"));
    let listed = sandbox.run(&["token", "list"]);
    assert!(listed.stdout.contains("metrics") && listed.stdout.contains("reader"));
    assert!(!listed.stdout.contains(secret));
    let all = sandbox.json(&["token", "list"]);
    assert_eq!(all["tokens"][0]["user"], "user");
    let (code, _) = sandbox.refusal(&["token", "revoke", "tok_none"]);
    assert_eq!(code, "E_NOT_FOUND");
    for wrong in [
        &["token", "new", "--role", "king"][..],
        &["token", "new", "--expires", "2020-01-01"],
        &["token", "new", "--tier", "gold"],
    ] {
        assert_eq!(sandbox.refusal(wrong).0, "E_SCHEMA_INVALID");
    }
    let (code, _) = sandbox.refusal(&["--as", "ada", "token", "list"]);
    assert_eq!(code, "E_FORBIDDEN");
    // What is written down by mistake is not kept.
    let kept = sandbox.run(&["remember", "the token is", secret, "--session", "s"]);
    assert!(kept.stderr.contains("mnemon_token"), "{kept:?}");
}

#[test]
fn a_server_for_others_needs_a_token_and_an_address() {
    let sandbox = Sandbox::with_session();
    let (code, message) = sandbox.refusal(&["serve", "--listen", "0.0.0.0:0"]);
    assert_eq!(code, "E_SCHEMA_INVALID");
    assert!(message.contains("mnemon token new"), "{message}");
    let wrong = sandbox.run(&["serve", "--listen", "here"]);
    assert_eq!(wrong.code, 2);
    assert_eq!(sandbox.run(&["--as", "ada", "serve"]).code, 2);
}
