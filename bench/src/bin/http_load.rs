//! Many clients at once against a running `mnemon serve`.
//!
//! ```text
//! http_load ADDRESS [CLIENTS] [SECONDS] [TOKEN]
//! ```
//!
//! Each client keeps one connection and asks one thing after the other: of ten
//! requests two keep a memory, five recall, two read one by its id, one lists.

use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::ExitCode;
use std::time::{Duration, Instant};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error + Send + Sync>>;

/// What was measured: the times of each sort of request, and the statuses that were not expected.
#[derive(Default)]
struct Measured {
    micros: BTreeMap<&'static str, Vec<u128>>,
    refused: BTreeMap<u16, u64>,
}

struct Client {
    stream: BufReader<TcpStream>,
    head: String,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[String]) -> Result<()> {
    let address = arguments.first().ok_or("an address is needed")?;
    let number = |place: usize, default: u64| match arguments.get(place) {
        Some(text) => text.parse(),
        None => Ok(default),
    };
    let (clients, seconds) = (number(1, 64)?, number(2, 60)?);
    let token = arguments.get(3).map(String::as_str);
    let until = Instant::now() + Duration::from_secs(seconds);
    let measured = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..clients)
            .map(|client| scope.spawn(move || ask(address, token, client, until)))
            .collect();
        threads
            .into_iter()
            .map(|thread| {
                thread
                    .join()
                    .unwrap_or_else(|_| Err("a client failed".into()))
            })
            .collect::<Result<Vec<Measured>>>()
    })?;
    tell(measured, clients, seconds)
}

/// One client, until the time is over.
fn ask(address: &str, token: Option<&str>, number: u64, until: Instant) -> Result<Measured> {
    let mut client = Client::new(address, token)?;
    let mut measured = Measured::default();
    let mut last = String::new();
    for turn in number.. {
        if Instant::now() >= until {
            return Ok(measured);
        }
        let (sort, method, path, body) = match turn % 10 {
            0 | 5 => {
                let text = format!("client {number} notes in turn {turn} that the queue is long");
                let body = serde_json::json!({ "text": text, "tags": ["load"] });
                (
                    "remember",
                    "POST",
                    "/v1/memories".to_owned(),
                    body.to_string(),
                )
            }
            3 | 8 if !last.is_empty() => {
                ("get", "GET", format!("/v1/memories/{last}"), String::new())
            }
            9 => (
                "list",
                "GET",
                "/v1/memories?limit=10".to_owned(),
                String::new(),
            ),
            _ => {
                let query = format!("how long was the queue of client {}", turn % 64);
                let body = serde_json::json!({ "query": query });
                ("recall", "POST", "/v1/recall".to_owned(), body.to_string())
            }
        };
        let began = Instant::now();
        let (status, answer) = client.send(method, &path, &body)?;
        let micros = began.elapsed().as_micros();
        if !matches!(status, 200 | 201) {
            *measured.refused.entry(status).or_default() += 1;
            continue;
        }
        measured.micros.entry(sort).or_default().push(micros);
        if sort == "remember" {
            let kept: serde_json::Value = serde_json::from_slice(&answer)?;
            kept["id"]
                .as_str()
                .unwrap_or_default()
                .clone_into(&mut last);
        }
    }
    Ok(measured)
}

impl Client {
    fn new(address: &str, token: Option<&str>) -> Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        let token = token.map(|token| format!("authorization: Bearer {token}\r\n"));
        let token = token.unwrap_or_default();
        Ok(Self {
            stream: BufReader::new(stream),
            head: format!("host: {address}\r\ncontent-type: application/json\r\n{token}"),
        })
    }

    fn send(&mut self, method: &str, path: &str, body: &str) -> Result<(u16, Vec<u8>)> {
        let request = format!(
            "{method} {path} HTTP/1.1\r\n{}content-length: {}\r\n\r\n{body}",
            self.head,
            body.len()
        );
        self.stream.get_mut().write_all(request.as_bytes())?;
        let mut line = String::new();
        self.stream.read_line(&mut line)?;
        let status = line.split(' ').nth(1).unwrap_or_default().parse()?;
        let mut length = 0;
        loop {
            line.clear();
            self.stream.read_line(&mut line)?;
            match line.trim_end().split_once(": ") {
                Some(("content-length", value)) => length = value.parse()?,
                Some(_) => {}
                None => break,
            }
        }
        let mut answer = vec![0; length];
        self.stream.read_exact(&mut answer)?;
        Ok((status, answer))
    }
}

fn tell(measured: Vec<Measured>, clients: u64, seconds: u64) -> Result<()> {
    let mut all = Measured::default();
    for own in measured {
        for (sort, micros) in own.micros {
            all.micros.entry(sort).or_default().extend(micros);
        }
        for (status, count) in own.refused {
            *all.refused.entry(status).or_default() += count;
        }
    }
    let total: usize = all.micros.values().map(Vec::len).sum();
    let mut out = io::stdout().lock();
    writeln!(
        out,
        "{clients} clients, {seconds} s: {} a second",
        total as u64 / seconds.max(1)
    )?;
    for (sort, mut micros) in all.micros {
        micros.sort_unstable();
        let at = |percent: usize| micros[(micros.len() - 1) * percent / 100];
        let (p50, p95, p99) = (at(50), at(95), at(99));
        writeln!(
            out,
            "{sort:10} {:8}  p50 {p50} µs  p95 {p95} µs  p99 {p99} µs",
            micros.len()
        )?;
    }
    for (status, count) in all.refused {
        writeln!(out, "status {status}: {count}")?;
    }
    Ok(())
}
