//! One line of a log: its fields, its canonical form and its checksum.
//!
//! A line is written in canonical form (members sorted by name, no white
//! space) with the checksum as its last member, so that checking it costs one
//! hash over the bytes as they are. A line that an editor or `jq` wrote in
//! another form still has the same canonical form, and so the same checksum.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use crate::memory::{Link, Tag};
use crate::session::{Archived, SessionDetails};
use crate::time::Time;

/// The version of the lines written by this program.
pub const FORMAT: u64 = 1;

/// The version of a store that has keys: lines of it may be sealed.
pub const FORMAT_SEALED: u64 = 2;

const CHECKSUM_START: &[u8] = b",\"checksum\":\"sha256:";
const CHECKSUM_END: &[u8] = b"\"}";
const HEX_LENGTH: usize = 64;
/// The length of the checksum member with the brace that closes the line.
pub(crate) const CHECKSUM_LENGTH: usize = CHECKSUM_START.len() + HEX_LENGTH + CHECKSUM_END.len();

/// Every member that a line can have; `op` says which ones it has. They are
/// declared in the order of their names because that is the canonical order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[expect(
    missing_docs,
    reason = "docs/log-format.md describes each member with the lines that have it"
)]
pub struct Line {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub access_count: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub archived: Option<Box<Archived>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub body: Map<String, Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub counters: Map<String, Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_at: Option<Time>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub details: Option<SessionDetails>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub embedding: Option<Vec<f32>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_recorded_at: Option<Time>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forgotten_at: Option<Time>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub generation: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handle: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub importance: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_access: Option<Time>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<Link>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub metadata: Map<String, Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub op: Option<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub pinned: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recorded_at: Option<Time>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recover_until: Option<Time>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sealed: Option<SealedMember>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub sensitive: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shelf: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub space: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<Tag>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tx: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<u64>,
}

/// What a memory says, for whoever has the key.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SealedMember {
    /// Nonce and ciphertext, in base64.
    pub content: String,
    /// The id of the data key.
    pub key: String,
    /// The agents that alone may see it, if it is private.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub private_to: Option<Vec<String>>,
}

/// The SHA-256 of a line's canonical form.
pub type Checksum = [u8; 32];

/// Why a line can't be taken for what was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It is no JSON object with the members of a line.
    Unreadable(String),
    /// It has no checksum: somebody added it by hand.
    Unsigned,
    /// Its checksum belongs to other content: somebody changed it, or the disk did.
    Changed,
}

impl Line {
    /// The line as it is written, newline included, and its checksum.
    #[expect(
        clippy::missing_panics_doc,
        reason = "text keys and numbers always have a JSON form"
    )]
    pub fn encode(&self) -> (Vec<u8>, Checksum) {
        let mut bytes = Vec::with_capacity(512);
        serde_json::to_writer(&mut bytes, self)
            .expect("a line has only text keys and finite numbers");
        sign(bytes)
    }

    /// Reads a line without its newline, and checks it.
    pub fn decode(bytes: &[u8]) -> Result<(Self, Checksum), Fault> {
        let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
        let checksum = match check_as_written(bytes) {
            Some(checksum) => checksum,
            None => check_canonical_form(bytes)?,
        };
        let line =
            serde_json::from_slice(bytes).map_err(|error| Fault::Unreadable(error.to_string()))?;
        Ok((line, checksum))
    }

    /// The members of a line that fails its check, if it can be read at all.
    pub fn decode_unchecked(bytes: &[u8]) -> Option<Self> {
        serde_json::from_slice(bytes).ok()
    }
}

/// Writes a line anew with some members changed; those that we don't know stay.
pub(crate) fn sign_again(
    bytes: &[u8],
    change: impl FnOnce(&mut Map<String, Value>),
) -> Result<(Vec<u8>, Line), Fault> {
    let mut object = read_object(bytes)?;
    object.remove("checksum");
    change(&mut object);
    let (signed, _) = sign(canonical(object)?);
    let (line, _) = Line::decode(&signed[..signed.len() - 1])?;
    Ok((signed, line))
}

/// A checksum as it is written in a line: 64 hexadecimal digits.
pub(crate) fn hex(checksum: &Checksum) -> [u8; HEX_LENGTH] {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut text = [0; HEX_LENGTH];
    for (place, byte) in checksum.iter().enumerate() {
        text[2 * place] = DIGITS[usize::from(byte >> 4)];
        text[2 * place + 1] = DIGITS[usize::from(byte & 15)];
    }
    text
}

/// Appends the checksum of a canonical object to it as its last member.
fn sign(mut canonical: Vec<u8>) -> (Vec<u8>, Checksum) {
    let checksum: Checksum = Sha256::digest(&canonical).into();
    canonical.pop();
    canonical.extend_from_slice(CHECKSUM_START);
    canonical.extend_from_slice(&hex(&checksum));
    canonical.extend_from_slice(CHECKSUM_END);
    canonical.push(b'\n');
    (canonical, checksum)
}

/// The quick way: the line is in canonical form, so its own bytes are hashed.
fn check_as_written(bytes: &[u8]) -> Option<Checksum> {
    let split = bytes.len().checked_sub(CHECKSUM_LENGTH)?;
    let (content, member) = bytes.split_at(split);
    let stated = member
        .strip_prefix(CHECKSUM_START)?
        .strip_suffix(CHECKSUM_END)?;
    let checksum: Checksum = Sha256::new()
        .chain_update(content)
        .chain_update(b"}")
        .finalize()
        .into();
    (stated == hex(&checksum)).then_some(checksum)
}

/// The slow way, for a line that somebody wrote in another form.
fn check_canonical_form(bytes: &[u8]) -> Result<Checksum, Fault> {
    let mut object = read_object(bytes)?;
    let Some(Value::String(stated)) = object.remove("checksum") else {
        return Err(Fault::Unsigned);
    };
    let checksum: Checksum = Sha256::digest(canonical(object)?).into();
    if stated.strip_prefix("sha256:").map(str::as_bytes) == Some(&hex(&checksum)[..]) {
        Ok(checksum)
    } else {
        Err(Fault::Changed)
    }
}

/// The bytes that a checksum is about: members sorted by name, no white space.
fn canonical(object: Map<String, Value>) -> Result<Vec<u8>, Fault> {
    let mut value = Value::Object(object);
    // A program that uses this library may have switched sorted maps off.
    value.sort_all_objects();
    serde_json::to_vec(&value).map_err(|error| Fault::Unreadable(error.to_string()))
}

fn read_object(bytes: &[u8]) -> Result<Map<String, Value>, Fault> {
    serde_json::from_slice(bytes).map_err(|error| Fault::Unreadable(error.to_string()))
}

/// Where a signed line could end inside these bytes: after each checksum member.
pub(crate) fn possible_ends(bytes: &[u8]) -> impl Iterator<Item = usize> + '_ {
    let mut from = 0;
    std::iter::from_fn(move || {
        while let Some(found) = find(&bytes[from..], CHECKSUM_START) {
            let end = from + found + CHECKSUM_LENGTH;
            from += found + 1;
            if end <= bytes.len() && bytes[..end].ends_with(CHECKSUM_END) {
                return Some(end);
            }
        }
        None
    })
}

/// The place of a needle in a haystack.
pub(crate) fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    let first = *needle.first()?;
    let mut from = 0;
    while let Some(step) = haystack[from..].iter().position(|byte| *byte == first) {
        from += step;
        if haystack[from..].starts_with(needle) {
            return Some(from);
        }
        from += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Line {
        let body =
            serde_json::json!({"zeta": 1.5e300, "alpha": {"y": [1, -0.0, "é\u{0}\n"], "b": null}});
        Line {
            id: Some("fact_1".into()),
            kind: Some("fact".into()),
            text: Some("line one\nline two \"quoted\" \u{1F9E0} \u{202E}rtl".into()),
            importance: Some(0.1 + 0.2),
            embedding: Some(vec![0.1, -1e-7]),
            body: body.as_object().unwrap().clone(),
            recorded_at: Some("2026-01-10T14:23:45.678901+02:00".parse().unwrap()),
            ..Line::default()
        }
    }

    #[test]
    fn a_line_is_one_canonical_line_and_comes_back_the_same() {
        let (bytes, checksum) = sample().encode();
        let (text, newline) = bytes.split_at(bytes.len() - 1);
        assert_eq!(newline, b"\n");
        assert!(!text.contains(&b'\n'));
        assert_eq!(Line::decode(text), Ok((sample(), checksum)));
        assert_eq!(
            check_canonical_form(text),
            Ok(checksum),
            "both ways of checking agree"
        );
    }

    #[test]
    fn another_way_to_write_the_same_object_keeps_its_checksum() {
        let (bytes, checksum) = sample().encode();
        let value: Value = serde_json::from_slice(&bytes).unwrap();
        let pretty = serde_json::to_string_pretty(&value)
            .unwrap()
            .replace('\n', " ");
        assert_eq!(Line::decode(pretty.as_bytes()), Ok((sample(), checksum)));
        let mut with_return = bytes[..bytes.len() - 1].to_vec();
        with_return.push(b'\r');
        assert_eq!(Line::decode(&with_return), Ok((sample(), checksum)));
    }

    #[test]
    fn no_changed_byte_changes_the_meaning_unnoticed() {
        let (bytes, checksum) = sample().encode();
        let text = &bytes[..bytes.len() - 1];
        for place in 0..text.len() {
            let mut changed = text.to_vec();
            changed[place] ^= 0x01;
            // The last digit of 0.30000000000000004 may be another: the number is the same.
            let decoded = Line::decode(&changed);
            assert!(
                decoded.is_err() || decoded == Ok((sample(), checksum)),
                "byte {place}"
            );
        }
    }

    #[test]
    fn signing_again_keeps_members_that_are_not_known() {
        let line = br#"{"id":"a","later":{"b":1,"a":2},"tx":"t"}"#;
        let (signed, read) = sign_again(line, |object| drop(object.remove("tx"))).unwrap();
        assert_eq!(read.tx, None);
        let text = String::from_utf8(signed).unwrap();
        assert!(
            text.starts_with(r#"{"id":"a","later":{"a":2,"b":1},"checksum":"sha256:"#),
            "{text}"
        );
    }

    #[test]
    fn what_was_added_by_hand_has_no_checksum() {
        assert_eq!(
            Line::decode(br#"{"id":"a","text":"b"}"#),
            Err(Fault::Unsigned)
        );
        let (signed, line) = sign_again(br#"{ "text": "b", "id": "a" }"#, |_| {}).unwrap();
        assert_eq!(Line::decode(&signed[..signed.len() - 1]).unwrap().0, line);
    }
}
