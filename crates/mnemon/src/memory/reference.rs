//! References: the ways in which a person or an agent names a memory.

use crate::error::{Error, Result};
use crate::memory::{Handle, MemoryId, SessionId};

/// How a memory is asked for: by its id, or by its handle within a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reference {
    /// `dec_01J…`.
    Id(MemoryId),
    /// `S/DEC-001`, or `DEC-001` within the session that the caller works in.
    Handle(SessionId, Handle),
}

impl Reference {
    /// Reads what was typed, with the session in which bare handles are looked up.
    ///
    /// A caller may have given a memory an id that looks like a handle, so a
    /// bare text has up to two meanings, to be tried in this order: whoever
    /// names a session means the handle there.
    pub fn parse(text: &str, session: Option<&SessionId>) -> Result<Vec<Self>> {
        if let Some((session, handle)) = text.split_once('/') {
            return Ok(vec![Self::Handle(session.parse()?, handle.parse()?)]);
        }
        let id = text.parse::<MemoryId>();
        let handle = session.and_then(|session| Some((session, text.parse::<Handle>().ok()?)));
        let mut meanings = Vec::new();
        if let Some((session, handle)) = handle {
            meanings.push(Self::Handle(session.clone(), handle));
        }
        match id {
            Ok(id) => meanings.push(Self::Id(id)),
            Err(error) if meanings.is_empty() => return Err(error),
            Err(_) => {}
        }
        Ok(meanings)
    }

    /// One text for everything that means the same: ids as they are, handles
    /// with their session in lower case. No id has a slash, so the two never meet.
    pub fn key(&self) -> String {
        match self {
            Self::Id(id) => id.to_string(),
            Self::Handle(session, handle) => {
                format!("{}/{handle}", session.as_str().to_ascii_lowercase())
            }
        }
    }

    /// The error when nothing has that name.
    pub fn not_found(text: &str) -> Error {
        Error::NotFound {
            reference: text.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bare_handle_needs_a_session() {
        let session: SessionId = "s1".parse().unwrap();
        let id = |text: &str| Reference::Id(text.parse().unwrap());
        let handle = |text: &str| Reference::Handle(session.clone(), text.parse().unwrap());
        let cases = [
            ("DEC-001", None, vec![id("DEC-001")]),
            (
                "DEC-001",
                Some(&session),
                vec![handle("DEC-001"), id("DEC-001")],
            ),
            ("s1/dec-1", None, vec![handle("DEC-001")]),
            ("dec_01J", Some(&session), vec![id("dec_01J")]),
        ];
        for (text, within, meanings) in cases {
            assert_eq!(Reference::parse(text, within).unwrap(), meanings, "{text}");
        }
        for bad in [
            "",
            "a b",
            "../x",
            "s1/",
            "/DEC-001",
            "s1/nope",
            "s1/DEC-001/x",
        ] {
            assert!(Reference::parse(bad, None).is_err(), "{bad}");
        }
    }
}
