//! Who writes in a store, with the words of their names.

use super::document::name_words;

/// The authors of a store, in the order of their numbers.
#[derive(Clone, Debug, Default)]
pub struct Authors(Vec<Author>);

/// Somebody who wrote a memory.
#[derive(Clone, Debug)]
pub(crate) struct Author {
    pub(crate) number: u32,
    pub(crate) name: String,
    /// The words of the name, folded.
    pub(crate) words: Vec<String>,
}

impl Author {
    /// Whether it is written like the name of a person, and not like what somebody does.
    pub(crate) fn is_proper_name(&self) -> bool {
        let letters_only = |word: &str| word.chars().all(|it| it.is_alphabetic() || it == '\'');
        let mut words = self.name.split_whitespace().peekable();
        words.peek().is_some()
            && words.all(|word| word.starts_with(char::is_uppercase) && letters_only(word))
    }
}

impl Authors {
    /// Reads the names, so that no question has to.
    pub fn new(names: impl IntoIterator<Item = (u32, String)>) -> Self {
        let author = |(number, name): (u32, String)| Author {
            number,
            words: name_words(&name),
            name,
        };
        let mut authors: Vec<Author> = names.into_iter().map(author).collect();
        authors.sort_by_key(|author| author.number);
        Self(authors)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Author> {
        self.0.iter()
    }
}
