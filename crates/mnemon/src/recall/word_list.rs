//! Words one after the other in one text: a memory has many, and a text for
//! each would be most of what it takes to look at it.

use std::fmt;

/// Words in order.
#[derive(Clone, Default, PartialEq)]
pub(super) struct WordList {
    text: String,
    /// Where each word ends in the text.
    ends: Vec<u32>,
}

impl WordList {
    /// With room for the words of so many bytes of text.
    pub(super) fn for_text(bytes: usize) -> Self {
        Self {
            text: String::with_capacity(bytes),
            // Words and the spaces between them are that long, mostly.
            ends: Vec::with_capacity(bytes / 5),
        }
    }

    pub(super) fn push(&mut self, word: &str) {
        self.text.push_str(word);
        let end = u32::try_from(self.text.len());
        self.ends.push(end.expect("a memory is no four gigabytes"));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &str> {
        let begins = [0].into_iter().chain(self.ends.iter().copied());
        begins
            .zip(&self.ends)
            .map(|(begin, end)| &self.text[begin as usize..*end as usize])
    }

    /// The words in the order of the alphabet, each once.
    pub(super) fn into_set(self) -> Self {
        let mut words: Vec<(u64, &str)> = self.iter().map(|word| (beginning(word), word)).collect();
        words.sort_unstable();
        words.dedup();
        let mut set = Self {
            text: String::with_capacity(self.text.len()),
            ends: Vec::with_capacity(words.len()),
        };
        for (_, word) in words {
            set.push(word);
        }
        set
    }
}

impl fmt::Debug for WordList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// The first eight bytes: they tell most words apart, and in their order.
fn beginning(word: &str) -> u64 {
    let mut bytes = [0; 8];
    let length = word.len().min(8);
    bytes[..length].copy_from_slice(&word.as_bytes()[..length]);
    u64::from_be_bytes(bytes)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn words_come_back_and_a_set_is_sorted(words in proptest::collection::vec("[ab\0é水]{0,12}", 0..40)) {
            let mut list = WordList::default();
            for word in &words {
                list.push(word);
            }
            prop_assert_eq!(list.iter().collect::<Vec<_>>(), words.clone());
            prop_assert_eq!(list.is_empty(), words.is_empty());
            let expected: BTreeSet<String> = words.into_iter().collect();
            prop_assert!(list.into_set().iter().eq(&expected));
        }
    }
}
