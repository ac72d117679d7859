//! Bytes of a file in pieces that fit into memory: its lines, or the items of
//! the list that it is. A bad piece takes no other with it.

use std::io::BufRead;
use std::sync::Arc;

use mnemon::{Error, Result};
use serde_json::Value;

use crate::halves::mend;

/// No message is longer than this.
pub(super) const PIECE_BYTES_MAX: usize = 32 << 20;

/// A piece of a file, or why it is none.
pub(super) type Cut = std::result::Result<Vec<u8>, &'static str>;

const TOO_LONG: &str = "it is longer than 256 MiB";
const CUT_SHORT: &str = "the file ends in the middle of it";

/// Each line that is not empty, with its number.
pub(super) fn lines(
    input: &mut dyn BufRead,
    mut each: impl FnMut(u64, Cut) -> Result<()>,
) -> Result<()> {
    let mut line = Vec::new();
    let mut number = 0;
    loop {
        number += 1;
        line.clear();
        let (is_end, is_whole) = read_line(input, &mut line)?;
        if is_end && line.is_empty() {
            return Ok(());
        }
        let text = if number == 1 {
            without_mark(&line)
        } else {
            &line
        };
        let text = text.trim_ascii();
        if !is_whole {
            each(number, Err(TOO_LONG))?;
        } else if !text.is_empty() {
            each(number, Ok(text.to_vec()))?;
        }
        if is_end {
            return Ok(());
        }
    }
}

/// Whether the file is at its end, and whether the line fits.
fn read_line(input: &mut dyn BufRead, line: &mut Vec<u8>) -> Result<(bool, bool)> {
    let mut is_whole = true;
    loop {
        let bytes = input.fill_buf().map_err(unreadable)?;
        if bytes.is_empty() {
            return Ok((true, is_whole));
        }
        let end = bytes.iter().position(|byte| *byte == b'\n');
        let taken = end.map_or(bytes.len(), |end| end + 1);
        if line.len() + taken > PIECE_BYTES_MAX {
            is_whole = false;
        } else {
            line.extend_from_slice(&bytes[..taken]);
        }
        input.consume(taken);
        if end.is_some() {
            return Ok((false, is_whole));
        }
    }
}

/// Each item of a list of JSON, with its number from 0; what is no list is its only item.
pub(super) fn items(
    input: &mut dyn BufRead,
    mut each: impl FnMut(u64, Cut) -> Result<()>,
) -> Result<()> {
    let mut scan = Scan::default();
    loop {
        let bytes = input.fill_buf().map_err(unreadable)?;
        if bytes.is_empty() {
            break;
        }
        let length = bytes.len();
        // A copy, because handing on an item may take long and `bytes` is the reader's.
        let copy = bytes.to_vec();
        input.consume(length);
        for byte in copy {
            if let Some((number, item)) = scan.take(byte) {
                each(number, item)?;
            }
        }
    }
    match scan.rest() {
        Some((number, rest)) => each(number, rest),
        None => Ok(()),
    }
}

/// Where in a list of JSON the reader is.
#[derive(Default)]
struct Scan {
    /// Whether the list has begun; nothing before it is known of a file that is none.
    is_list: Option<bool>,
    depth: u32,
    text: InText,
    is_over: bool,
    is_too_long: bool,
    number: u64,
    item: Vec<u8>,
}

/// Whether brackets and commas are only letters here.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum InText {
    #[default]
    No,
    Yes,
    /// Behind a backslash.
    Escaped,
}

impl Scan {
    fn take(&mut self, byte: u8) -> Option<(u64, Cut)> {
        let Some(is_list) = self.is_list else {
            if !byte.is_ascii_whitespace() && !b"\xef\xbb\xbf".contains(&byte) {
                self.is_list = Some(byte == b'[');
                if byte != b'[' {
                    self.item.push(byte);
                }
            }
            return None;
        };
        if !is_list {
            self.push(byte);
            return None;
        }
        if self.text != InText::No {
            self.push(byte);
            self.text = match (self.text, byte) {
                (InText::Yes, b'\\') => InText::Escaped,
                (InText::Yes, b'"') => InText::No,
                _ => InText::Yes,
            };
            return None;
        }
        match byte {
            b',' | b']' if self.depth == 0 => {
                self.is_over |= byte == b']';
                return self.cut();
            }
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => self.depth = self.depth.saturating_sub(1),
            b'"' => self.text = InText::Yes,
            _ if byte.is_ascii_whitespace() && self.item.is_empty() => return None,
            _ => {}
        }
        self.push(byte);
        None
    }

    fn push(&mut self, byte: u8) {
        if self.is_over {
            return;
        }
        if self.item.len() < PIECE_BYTES_MAX {
            self.item.push(byte);
        } else {
            self.is_too_long = true;
        }
    }

    fn cut(&mut self) -> Option<(u64, Cut)> {
        let item = std::mem::take(&mut self.item);
        let number = self.number;
        let is_too_long = std::mem::take(&mut self.is_too_long);
        if item.is_empty() {
            return None;
        }
        self.number += 1;
        let cut = if is_too_long { Err(TOO_LONG) } else { Ok(item) };
        Some((number, cut))
    }

    /// What is left at the end of the file.
    fn rest(mut self) -> Option<(u64, Cut)> {
        match self.is_list {
            None => None,
            Some(false) => self.cut(),
            Some(true) if self.is_over => None,
            Some(true) => Some((self.number, Err(CUT_SHORT))),
        }
    }
}

/// The value that a piece is.
///
/// Halves of letters, which programs write when they cut a text, don't spoil the rest.
pub(super) fn value(bytes: &[u8]) -> std::result::Result<Value, String> {
    let read = serde_json::from_slice(bytes).or_else(|error| match mended(bytes) {
        Some(mended) => serde_json::from_slice(&mended),
        None => Err(error),
    });
    read.map_err(|error| {
        let problem = error.to_string();
        let problem = problem.split(" at line ").next().unwrap_or_default();
        format!("it is not JSON: {problem}, column {}", error.column())
    })
}

/// The bytes with a sign of replacement for what is no UTF-8 and for every half of a letter;
/// nothing if there is nothing to mend.
fn mended(bytes: &[u8]) -> Option<Vec<u8>> {
    let mended = mend(String::from_utf8_lossy(bytes).as_bytes());
    (mended != bytes).then_some(mended)
}

/// Without the mark that some editors put before the first line of UTF-8.
fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

/// A whole text; what is no UTF-8 in it is replaced.
pub(super) fn text(input: &mut dyn BufRead) -> Result<std::result::Result<String, &'static str>> {
    let mut bytes = Vec::new();
    loop {
        let part = input.fill_buf().map_err(unreadable)?;
        if part.is_empty() {
            break;
        }
        let length = part.len();
        if bytes.len() + length > PIECE_BYTES_MAX {
            return Ok(Err(TOO_LONG));
        }
        bytes.extend_from_slice(part);
        input.consume(length);
    }
    Ok(Ok(
        String::from_utf8_lossy(without_mark(&bytes)).into_owned()
    ))
}

fn unreadable(source: std::io::Error) -> Error {
    Error::Io {
        action: "read",
        path: "the file".into(),
        source: Arc::new(source),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str) -> Vec<std::result::Result<String, &'static str>> {
        // Three bytes at a time, so that no boundary is spared.
        let mut input = std::io::BufReader::with_capacity(3, text.as_bytes());
        let mut found = Vec::new();
        items(&mut input, |number, item| {
            assert_eq!(number, found.len() as u64);
            found.push(item.map(|item| String::from_utf8(item).unwrap()));
            Ok(())
        })
        .unwrap();
        found
    }

    #[test]
    fn a_list_is_cut_into_its_items() {
        let ok = |text: &str| Ok(text.to_owned());
        assert_eq!(cut(" [ ] "), []);
        assert_eq!(cut(""), []);
        assert_eq!(
            cut("[{\"a\":\"],\\\"[\"}, [1,2] ,3]"),
            [ok("{\"a\":\"],\\\"[\"}"), ok("[1,2] "), ok("3")]
        );
        assert_eq!(cut("{\"a\":[1,2]}\n"), [ok("{\"a\":[1,2]}\n")]);
        assert_eq!(cut("[1,{\"a\":"), [ok("1"), Err(CUT_SHORT)]);
        assert_eq!(cut("[1]] rest"), [ok("1")]);
    }

    #[test]
    fn halves_of_letters_do_not_spoil_the_rest() {
        let cases: [(&[u8], Option<&str>); 6] = [
            (br#""a\ud83d""#, Some("a\u{fffd}")),
            (br#""a\ud83d b""#, Some("a\u{fffd} b")),
            (br#""\ud83d\ude00""#, Some("😀")),
            (br#""x\ude00\n""#, Some("x\u{fffd}\n")),
            (b"\"x\xff\"", Some("x\u{fffd}")),
            (b"\"x", None),
        ];
        for (bytes, expected) in cases {
            let read = value(bytes).ok();
            let read = read.as_ref().and_then(Value::as_str);
            assert_eq!(read, expected, "{}", String::from_utf8_lossy(bytes));
        }
    }

    #[test]
    fn lines_come_with_their_numbers() {
        let mut found = Vec::new();
        let mut input = std::io::BufReader::with_capacity(2, "\u{feff}a\r\n\n b \nc".as_bytes());
        lines(&mut input, |number, line| {
            found.push((number, String::from_utf8(line.unwrap()).unwrap()));
            Ok(())
        })
        .unwrap();
        let expected = [(1, "a"), (3, "b"), (4, "c")];
        assert_eq!(
            found,
            expected.map(|(number, line)| (number, line.to_owned()))
        );
    }
}
