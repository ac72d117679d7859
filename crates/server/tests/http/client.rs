//! A client of our own: one connection for each request, everything under its control.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::Value;

/// Longer than anything here takes; so that a test fails instead of hanging.
const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) struct Client {
    address: SocketAddr,
    token: Option<String>,
}

/// What came back.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Client {
    pub(crate) fn new(address: SocketAddr) -> Self {
        Self {
            address,
            token: None,
        }
    }

    pub(crate) fn with_token(address: SocketAddr, token: &str) -> Self {
        Self {
            address,
            token: Some(token.to_owned()),
        }
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        self.send("GET", path, &[], b"")
    }

    pub(crate) fn delete(&self, path: &str) -> Answer {
        self.send("DELETE", path, &[], b"")
    }

    pub(crate) fn json(&self, method: &str, path: &str, body: &Value) -> Answer {
        self.json_with(method, path, &[], body)
    }

    pub(crate) fn json_with(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &Value,
    ) -> Answer {
        let mut all = vec![("content-type", "application/json")];
        all.extend(headers);
        self.send(method, path, &all, body.to_string().as_bytes())
    }

    pub(crate) fn send(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Answer {
        let mut stream = self.begin(method, path, headers, body.len());
        // A server that refuses early does not read all of it.
        let _ = stream.write_all(body);
        read(&mut BufReader::new(stream))
    }

    /// Sends the head of a request, and leaves its body to the caller.
    pub(crate) fn begin(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body_bytes: usize,
    ) -> TcpStream {
        let mut head = format!("{method} {path} HTTP/1.1\r\nconnection: close\r\n");
        let has = |name: &str| {
            headers
                .iter()
                .any(|(own, _)| own.eq_ignore_ascii_case(name))
        };
        if !has("host") {
            let _ = write!(head, "host: {}\r\n", self.address);
        }
        if let Some(token) = self.token.as_ref().filter(|_| !has("authorization")) {
            let _ = write!(head, "authorization: Bearer {token}\r\n");
        }
        if !has("transfer-encoding") {
            let _ = write!(head, "content-length: {body_bytes}\r\n");
        }
        for (name, value) in headers {
            let _ = write!(head, "{name}: {value}\r\n");
        }
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(b"\r\n").unwrap();
        stream
    }
}

/// The status and the headers of an answer; of none, if the connection ends, the status 0.
pub(crate) fn read_head(from: &mut impl BufRead) -> Answer {
    let mut line = String::new();
    let _ = from.read_line(&mut line);
    let status = line.split(' ').nth(1).unwrap_or("0").parse().unwrap();
    let mut headers = Vec::new();
    loop {
        line.clear();
        let _ = from.read_line(&mut line);
        match line.trim_end().split_once(": ") {
            Some((name, value)) => headers.push((name.to_owned(), value.to_owned())),
            None => break,
        }
    }
    Answer {
        status,
        headers,
        body: Vec::new(),
    }
}

/// A whole answer; of one that goes on its head alone.
pub(crate) fn read(from: &mut impl BufRead) -> Answer {
    let mut answer = read_head(from);
    if answer.header("content-type") == Some("text/event-stream") {
        return answer;
    }
    let mut bytes = Vec::new();
    // A server that closes on what it does not read to its end may reset the connection.
    let _ = from.read_to_end(&mut bytes);
    answer.body = match answer.header("transfer-encoding") {
        Some("chunked") => chunks(&bytes),
        _ => bytes,
    };
    answer
}

fn chunks(mut rest: &[u8]) -> Vec<u8> {
    let mut whole = Vec::new();
    while let Some(end) = rest.windows(2).position(|it| it == b"\r\n") {
        let length = std::str::from_utf8(&rest[..end]).unwrap();
        let length = usize::from_str_radix(length, 16).unwrap();
        whole.extend_from_slice(&rest[end + 2..][..length]);
        rest = &rest[end + 2 + length + 2..];
    }
    whole
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(own, _)| own == name);
        found.map(|(_, value)| value.as_str())
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The JSON of an answer of that status.
    pub(crate) fn json(&self, status: u16) -> Value {
        assert_eq!(self.status, status, "{}", self.text());
        serde_json::from_slice(&self.body).unwrap_or_else(|_| panic!("{}", self.text()))
    }

    /// The code of a refusal of that status, which has all its parts.
    pub(crate) fn refusal(&self, status: u16) -> String {
        let envelope = self.json(status);
        let error = &envelope["error"];
        for part in ["message", "hint"] {
            assert!(!error[part].as_str().unwrap().is_empty(), "{envelope}");
        }
        assert!(error["retryable"].is_boolean(), "{envelope}");
        error["code"].as_str().unwrap().to_owned()
    }
}
