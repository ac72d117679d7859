//! Names that are the same at every run, made of what the source calls a thing.

use mnemon::Result;
use mnemon::memory::{Kind, MemoryId, SessionId};
use sha2::{Digest, Sha256};

const LETTERS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
/// Of 256 bits so many letters are enough that no two things meet.
pub(crate) const LETTERS_KEPT: usize = 26;
/// The longest id of a session.
const SESSION_CHARS_MAX: usize = 64;

/// The id of a memory: its kind, and a digest of the parts that name it.
pub(crate) fn memory(kind: Kind, parts: &[&str]) -> MemoryId {
    let id = format!("{}_{}", kind.id_prefix(), digest(parts, LETTERS_KEPT));
    id.parse().expect("letters and digits")
}

/// The id of a memory whose kind its name does not tell.
pub(super) fn unknown(parts: &[&str]) -> MemoryId {
    let id = format!("mem_{}", digest(parts, LETTERS_KEPT));
    id.parse().expect("letters and digits")
}

/// `chatgpt-<id>`, or a digest in its place if the source's id can't be one of ours.
pub(super) fn session(prefix: &str, own: &str) -> SessionId {
    let plain: Result<SessionId> = format!("{prefix}-{own}").parse();
    plain.unwrap_or_else(|_| readable(prefix, own, &[own]))
}

/// As much of a name as an id may hold, and a digest of what makes it different from others.
pub(super) fn readable(prefix: &str, name: &str, parts: &[&str]) -> SessionId {
    let mut id = format!("{prefix}-");
    let room = SESSION_CHARS_MAX - 11;
    for c in name.chars() {
        if id.len() >= room {
            break;
        }
        if c.is_ascii_alphanumeric() {
            id.push(c.to_ascii_lowercase());
        } else if !id.ends_with('-') {
            id.push('-');
        }
    }
    if !id.ends_with('-') {
        id.push('-');
    }
    id.push_str(&digest(parts, 8));
    id.parse().expect("letters, digits and dashes")
}

/// Letters that stand for the parts; where one ends and the next begins counts.
pub(crate) fn digest(parts: &[&str], letters: usize) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part.as_bytes());
    }
    let bytes = hash.finalize();
    let bits = bytes
        .iter()
        .flat_map(|byte| (0..8).rev().map(move |bit| byte >> bit & 1));
    let bits: Vec<u8> = bits.collect();
    bits.chunks_exact(5)
        .take(letters)
        .map(|five| five.iter().fold(0u8, |number, bit| number << 1 | bit))
        .map(|number| char::from(LETTERS[usize::from(number)]))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_follow_from_their_parts_alone() {
        let one = memory(Kind::Conversation, &["a", "bc"]);
        assert_eq!(one, memory(Kind::Conversation, &["a", "bc"]));
        assert_ne!(one, memory(Kind::Conversation, &["ab", "c"]));
        assert_eq!(one.as_str(), "turn_7yqt3ksf36kw24mvxcgcy2c3yw");
    }

    #[test]
    fn what_can_be_no_id_is_digested() {
        assert_eq!(session("chatgpt", "1-a").as_str(), "chatgpt-1-a");
        assert_eq!(
            session("chat", "../Été & co").as_str(),
            "chat-t-co-v7emzzww"
        );
        let long = session("chat", &"x".repeat(300));
        assert!(long.as_str().len() <= 64);
        assert_ne!(long, session("chat", &"x".repeat(301)));
    }
}
