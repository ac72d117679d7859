//! Passwords that are plain words, in sentences that say so: `my password is swordfish`.
//!
//! `the password is required` has the same form, so words that describe a
//! password are known, and endings that most such words have. What whose
//! password it is says, is told more plainly, and fewer endings count.

use super::super::gap::Gap;
use super::name::Told;
use super::value::is_prose;

/// Longer words are no passwords that somebody tells.
const WORD_BYTES_MAX: usize = 32;

/// How far before a name the word may stand that says whose it is.
const WHOSE_BYTES_MAX: usize = 32;

const WHOSE: [&str; 7] = ["my", "our", "your", "his", "her", "their", "whose"];

/// Words that say how a password is, or where; endings that tell so are left out.
const DESCRIBING: &str = "\
    able above absent active again ahead alike alone already also apart away back bad base64 below \
    better blank bogus broken case clear compromised correct crap dead different due easy enough \
    equal even evil exempt exact fake fine first fixed flawed foolproof free fresh good gone great \
    half hard here high home identical ignored immutable impossible inside irrelevant junk kept \
    known last late leaked left less like live local lost low mandatory mine missing more most \
    much mute near new next nonsense nothing obscure obsolete obvious off okay old once one open \
    ours out outdated over overdue own plain plaintext pointless poor present private public pure \
    raw ready real right rubbish safe secret secure sent shown short shut similar simple sound \
    stale static still strong stuck such sure taken temporary terrible theirs there thin time \
    tough twice unclear under unique unsafe unsound up useless vague visible void worse worst yours";

/// How words end that say how something is.
const ENDINGS: [&str; 24] = [
    "ed", "ing", "able", "ible", "ful", "less", "ive", "ous", "ly", "ary", "ory", "ic", "ent",
    "ant", "ical", "onal", "where", "thing", "body", "ever", "ger", "ter", "ker", "fer",
];

/// More of them, where nobody says whose password it is.
const MORE_ENDINGS: [&str; 14] = [
    "en", "al", "er", "est", "y", "ure", "ete", "ate", "ite", "ect", "own", "ome", "ong", "ose",
];

/// Whether words before a name say whose it is: `my old`, `Ada's`.
pub(super) fn says_whose(gap: &Gap<'_>, name: usize) -> bool {
    let before = gap.run_back(name, WHOSE_BYTES_MAX, |byte| {
        byte.is_ascii_alphabetic() || b" '".contains(&byte)
    });
    let mut words = gap.slice(before).rsplit(' ').filter(|it| !it.is_empty());
    words.by_ref().take(3).any(|word| {
        word.ends_with("'s") || WHOSE.iter().any(|whose| word.eq_ignore_ascii_case(whose))
    })
}

/// Whether a word is the password that a sentence tells.
pub(super) fn is_told(word: &str, told: Told) -> bool {
    let bytes_min = match told {
        Told::Not => return false,
        Told::Is => 6,
        Told::Whose => 4,
    };
    if !(bytes_min..=WORD_BYTES_MAX).contains(&word.len())
        || !word.bytes().all(|byte| byte.is_ascii_alphabetic())
    {
        return false;
    }
    let lower = word.to_ascii_lowercase();
    let ends = |endings: &[&str]| endings.iter().any(|end| lower.ends_with(end));
    !is_prose(word)
        && !DESCRIBING.split_whitespace().any(|known| known == lower)
        && !ends(&ENDINGS)
        && (told == Told::Whose || !ends(&MORE_ENDINGS))
}

/// Whether nothing of the sentence goes on behind a word, or something else is said.
pub(super) fn ends_clause(gap: &Gap<'_>, end: usize) -> bool {
    match gap.byte(end) {
        b'\n' | b'\r' | b'.' | b',' | b';' | b'!' | b'?' | b')' | b'"' | b'\'' => true,
        b' ' if end >= gap.len() => true,
        b' ' => [" and ", " but ", " for ", " on ", " - ", " ("]
            .iter()
            .any(|next| gap.has(end, next)),
        _ => false,
    }
}
