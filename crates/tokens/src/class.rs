//! The class of a character, looked up in two steps.

use crate::layout::{BLOCK, Class};

static INDEX: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/class_index"));
static BLOCKS: &[[u8; BLOCK]] = include_bytes!(concat!(env!("OUT_DIR"), "/class_blocks"))
    .as_chunks()
    .0;

/// In the order of their numbers.
const CLASSES: [Class; 8] = [
    Class::Upper,
    Class::Lower,
    Class::Caseless,
    Class::Mark,
    Class::Number,
    Class::Space,
    Class::Newline,
    Class::Other,
];

pub(crate) fn class(character: char) -> Class {
    let code = character as usize;
    let block = INDEX[code / BLOCK];
    let number = BLOCKS[usize::from(block)][code % BLOCK];
    CLASSES[usize::from(number)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_is_found_by_its_number() {
        for (number, class) in CLASSES.into_iter().enumerate() {
            assert_eq!(class as usize, number);
        }
    }

    #[test]
    fn characters_have_the_class_that_unicode_gives_them() {
        let cases = [
            ('A', Class::Upper),
            ('ǅ', Class::Upper),
            ('z', Class::Lower),
            ('ß', Class::Lower),
            ('文', Class::Caseless),
            ('ʰ', Class::Caseless),
            ('\u{301}', Class::Mark),
            ('7', Class::Number),
            ('Ⅷ', Class::Number),
            ('½', Class::Number),
            ('\t', Class::Space),
            ('\u{a0}', Class::Space),
            ('\u{2028}', Class::Space),
            ('\n', Class::Newline),
            ('\r', Class::Newline),
            ('\0', Class::Other),
            ('\u{200b}', Class::Other),
            ('🙂', Class::Other),
            (char::MAX, Class::Other),
        ];
        for (character, expected) in cases {
            assert_eq!(class(character), expected, "{character:?}");
        }
    }
}
