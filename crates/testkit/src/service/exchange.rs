//! One exchange of the service: read the question, answer it or fail.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::{Value, json};

use super::{Fault, Received, Shared, lock};

/// How long a byte of a dribbling answer takes.
const DRIBBLE: Duration = Duration::from_millis(5);

pub(super) fn serve(mut stream: TcpStream, shared: &Shared) -> io::Result<()> {
    let received = read(&stream)?;
    let fault = shared.fault_for(&received);
    if matches!(fault, Some(Fault::Hang)) {
        lock(&shared.hung).push(stream.try_clone()?);
    }
    lock(&shared.received).push(received.clone());
    let whole = answer(&received, shared, fault.as_ref()).to_string();
    match fault {
        Some(Fault::Status(code, headers, body)) => {
            respond(&mut stream, code, headers, body.as_bytes())
        }
        Some(Fault::Body(body)) => respond(&mut stream, 200, "", body.as_bytes()),
        Some(Fault::Hang) => {
            // Ends when whoever asked gives up, or the service stops.
            io::copy(&mut stream, &mut io::sink()).map(drop)
        }
        Some(Fault::Truncate) => {
            head(&mut stream, 200, "", whole.len())?;
            stream.write_all(&whole.as_bytes()[..whole.len() / 2])
        }
        Some(Fault::Dribble) => {
            head(&mut stream, 200, "", 1 << 20)?;
            loop {
                stream.write_all(b" ")?;
                std::thread::sleep(DRIBBLE);
            }
        }
        Some(Fault::LongVectors | Fault::MissingVector) | None => {
            respond(&mut stream, 200, "", whole.as_bytes())
        }
    }
}

fn read(stream: &TcpStream) -> io::Result<Received> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let path = line.split(' ').nth(1).unwrap_or_default().to_owned();
    let (mut authorization, mut length) = (None, 0);
    loop {
        line.clear();
        reader.read_line(&mut line)?;
        let Some((name, value)) = line.trim_end().split_once(':') else {
            break;
        };
        match name.to_ascii_lowercase().as_str() {
            "authorization" => authorization = Some(value.trim().to_owned()),
            "content-length" => length = value.trim().parse().unwrap_or(0),
            _ => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let body: Value = serde_json::from_slice(&body)?;
    let texts = body["input"].as_array().into_iter().flatten();
    Ok(Received {
        path,
        authorization,
        model: body["model"].as_str().unwrap_or_default().to_owned(),
        input: texts
            .map(|text| text.as_str().unwrap_or_default().to_owned())
            .collect(),
    })
}

/// What either style expects; those of OpenAI come in reverse, as they may.
fn answer(received: &Received, shared: &Shared, fault: Option<&Fault>) -> Value {
    let mut rows: Vec<Vec<f32>> = (received.input.iter())
        .map(|text| (shared.numbers)(text))
        .collect();
    match fault {
        Some(Fault::LongVectors) => rows.iter_mut().for_each(|row| row.push(1.0)),
        Some(Fault::MissingVector) => drop(rows.pop()),
        _ => {}
    }
    if received.path.ends_with("/api/embed") {
        return json!({ "embeddings": rows });
    }
    let items = rows.iter().enumerate().rev();
    let items: Vec<Value> = items
        .map(|(index, row)| json!({ "index": index, "embedding": row }))
        .collect();
    json!({ "data": items })
}

fn head(stream: &mut TcpStream, code: u16, headers: &str, length: usize) -> io::Result<()> {
    write!(
        stream,
        "HTTP/1.1 {code} X\r\ncontent-length: {length}\r\nconnection: close\r\n{headers}\r\n"
    )
}

fn respond(stream: &mut TcpStream, code: u16, headers: &str, body: &[u8]) -> io::Result<()> {
    head(stream, code, headers, body.len())?;
    stream.write_all(body)
}
