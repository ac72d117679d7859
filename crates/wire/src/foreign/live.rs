//! What a client says in the middle of a conversation, where no file of it is
//! to be read: the words themselves, as its hooks hand them over.
//!
//! Invariant: the same words of the same moment of the same conversation get
//! the same ids, so that a hook that runs twice keeps nothing twice.

use mnemon::Result;
use mnemon::memory::{Body, Draft, Kind, Link, SessionId, Text};
use serde_json::{Map, json};

use super::reading::cut;
use super::{gemini, ids};

/// A client that hands over what was said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speaker {
    /// Cursor.
    Cursor,
    /// Gemini CLI.
    Gemini,
}

/// Who said something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The person.
    User,
    /// The model.
    Assistant,
}

/// Something that was said.
#[derive(Clone, Copy, Debug)]
pub struct Saying<'a> {
    /// The client that hands it over.
    pub speaker: Speaker,
    /// Its id of the conversation.
    pub conversation: &'a str,
    /// Its id of the moment: the answer that is being made, or a time.
    pub moment: &'a str,
    /// Who said it.
    pub role: Role,
    /// What was said.
    pub words: &'a str,
}

impl Speaker {
    /// The name of the model that answers, and of the client.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cursor => "cursor",
            Self::Gemini => gemini::MODEL,
        }
    }

    /// The session in which a conversation is kept.
    pub fn session(self, conversation: &str) -> SessionId {
        ids::session(self.prefix(), conversation)
    }

    fn prefix(self) -> &'static str {
        match self {
            Self::Cursor => "cursor",
            Self::Gemini => "gemini",
        }
    }
}

impl Saying<'_> {
    /// The turn that it is, or several if it is long; `user` is who talks with the model.
    pub fn drafts(&self, user: &str) -> Result<Vec<Draft>> {
        let (role, author) = match self.role {
            Role::User => ("user", user),
            Role::Assistant => ("assistant", self.speaker.name()),
        };
        let source = self.speaker.prefix();
        let words = match (self.speaker, self.role) {
            (Speaker::Gemini, Role::User) => gemini::without_context(self.words.to_owned()),
            _ => self.words.to_owned(),
        };
        let mut drafts: Vec<Draft> = Vec::new();
        for (number, part) in (1..).zip(cut(&words)) {
            let mut draft = Draft::new(Kind::Conversation, Text::try_from(part.to_owned())?);
            // Not every client tells its answers apart, so the words belong to the name.
            let parts = [source, self.conversation, self.moment, role, &words];
            let nth = if number == 1 {
                ""
            } else {
                &format!("part {number}")
            };
            let id = ids::memory(Kind::Conversation, &[&parts[..], &[nth]].concat());
            if let Some(before) = drafts.last().and_then(|before| before.id.clone()) {
                let rel = "continues".parse()?;
                draft.links.push(Link { rel, to: before });
                draft.metadata.insert("part".into(), json!(number));
            }
            draft.id = Some(id);
            draft.author = author.parse().ok();
            draft.metadata.insert("source".into(), json!(source));
            let body = Map::from_iter([("role".to_owned(), json!(role))]);
            draft.body = Body::from_map(Kind::Conversation, body)?;
            drafts.push(draft);
        }
        Ok(drafts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(saying: Saying<'_>) -> Vec<String> {
        let drafts = saying.drafts("ada").unwrap().into_iter();
        drafts.map(|it| it.id.unwrap().to_string()).collect()
    }

    #[test]
    fn every_part_of_what_names_a_saying_counts() {
        let one = Saying {
            speaker: Speaker::Cursor,
            conversation: "c",
            moment: "g",
            role: Role::User,
            words: "yes",
        };
        assert_eq!(ids(one), ids(one));
        for other in [
            Saying {
                speaker: Speaker::Gemini,
                ..one
            },
            Saying {
                conversation: "d",
                ..one
            },
            Saying { moment: "h", ..one },
            Saying {
                role: Role::Assistant,
                ..one
            },
            Saying { words: "no", ..one },
        ] {
            assert_ne!(ids(one), ids(other), "{other:?}");
        }
        assert!(
            ids(Saying {
                words: " \n",
                ..one
            })
            .is_empty()
        );
    }

    #[test]
    fn what_is_too_long_becomes_several_turns() {
        let words = "a line of sixteen\n".repeat(40_000);
        let saying = Saying {
            speaker: Speaker::Cursor,
            conversation: "c",
            moment: "g",
            role: Role::Assistant,
            words: &words,
        };
        let drafts = saying.drafts("ada").unwrap();
        assert_eq!(drafts.len(), 2);
        assert_eq!(drafts[1].links[0].to, drafts[0].id.clone().unwrap());
        let whole: String = drafts.iter().map(|it| it.text.as_str()).collect();
        assert_eq!(whole.len(), words.len());
    }
}
