//! Which values are secrets, and where they end.

use std::ops::Range;

use super::super::gap::Gap;
use super::name::{Family, Told};
use super::told;

/// So much of a value tells what it is.
const LOOKED_AT_BYTES: usize = 128;
/// Keys and tokens have at least so many letters.
const SECRET_BYTES_MIN: usize = 8;
/// How far behind a comma the next name may stand.
const NEXT_NAME_BYTES_MAX: usize = 32;

/// Words that follow a name in a sentence, or stand for a type or for nothing.
const PROSE: &str = "\
    a all always an and any are argon2 argon2id as ask at bcrypt be been bool boolean by \
    bytes can cannot change changed default empty encrypted expired expires false field for \
    forgotten from hashed hidden if in incorrect int invalid is it length long masked max \
    may min minimum missing must needed never nil no none not null number of on only \
    optional or pbkdf2 please policy redacted required reset rotate rotated same scrypt see \
    set sha-256 sha256 should stored str string text that the this to too true undefined \
    unknown unset use user users uses valid varchar via was we weak when which will with \
    wrong yes you your";

/// How a value begins that only says where the secret is.
const REFERENCES: &str = "\
    $ < {{ %( #{ process.env os.environ os.getenv env. env( ENV[ getenv System.getenv \
    std:: config. settings. secrets. vars. self. this. args. options. req. request. ctx. \
    op:// vault: ssm: arn: keychain file: secretKeyRef valueFrom !Ref !Sub data. var. local. \
    module.";

/// The secret that begins here, if the value is one.
pub(super) fn at(gap: &Gap<'_>, start: usize, family: Family) -> Option<Range<usize>> {
    let quote = match gap.byte(start) {
        // In JSON within JSON.
        b'\\' if b"\"'".contains(&gap.byte(start + 1)) => 2,
        b'"' | b'\'' | b'`' => 1,
        _ => 0,
    };
    if quote > 0 {
        let mark = gap.byte(start + quote - 1);
        if let Some(end) = closing(gap, start + quote, mark, quote == 2) {
            let value = start + quote..end;
            let text = gap.slice(value.start..value.end.min(value.start + LOOKED_AT_BYTES));
            let text = if text.is_empty() && !value.is_empty() {
                // Cut within a character: what decides is in what can be read.
                first_characters(gap.slice(value.clone()))
            } else {
                text
            };
            let is_one = is_secret(text, family) || told::is_told(text, family.told);
            return is_one.then_some(value);
        }
    }
    let start = start + quote;
    let peek = bare_end(gap, start, LOOKED_AT_BYTES);
    let text = first_characters(&gap.text()[start..]);
    let text = &text[..text.len().min(peek - start)];
    let word = trim_end(text);
    if family.told != Told::Not
        && told::is_told(word, family.told)
        && told::ends_clause(gap, start + word.len())
    {
        return Some(start..start + word.len());
    }
    if reads_on(gap, start, word) {
        return None;
    }
    // Of a value that goes on behind a placeholder the rest can't be judged.
    let is_cut = peek == gap.len() && !gap.ends_word(peek);
    if !is_secret(word, family) || (is_cut && !family.takes_plain_words()) {
        return None;
    }
    let whole = start..bare_end(gap, start, usize::MAX);
    Some(start..start + trim_end(gap.slice(whole)).len())
}

/// Whether a value beside this name is a secret.
pub(super) fn is_secret(value: &str, family: Family) -> bool {
    let value = value.trim();
    if value.is_empty() || is_reference(value) || is_prose(value) || is_call(value) {
        return false;
    }
    if family.may_be_a_path() && is_path(value) {
        return false;
    }
    if family.takes_plain_words() {
        return true;
    }
    let has = |test: fn(&u8) -> bool| value.as_bytes().iter().any(test);
    let letter = has(u8::is_ascii_alphabetic);
    let digit = has(u8::is_ascii_digit);
    if family.class() == "password" {
        // In a sentence: `the password is hunter2`, but not `… is stored safely`.
        let sign = has(u8::is_ascii_punctuation);
        return value.len() >= 6 && letter && (digit || sign) && !value.contains(' ');
    }
    let capital = value.bytes().skip(1).any(|byte| byte.is_ascii_uppercase());
    let mixed = capital && has(u8::is_ascii_lowercase) && value.len() >= 16;
    !is_name(value)
        && value.len() >= SECRET_BYTES_MIN
        && !value.contains(' ')
        && letter
        && (digit || mixed)
}

/// Whether the value only says where the secret is, or that there is none.
pub(in super::super) fn is_reference(value: &str) -> bool {
    let is_variable = value.len() > 2 && value.starts_with('%') && value.ends_with('%');
    let is_masked = value.chars().all(|c| {
        matches!(
            c,
            '*' | '•' | '·' | '.' | '…' | '-' | '_' | '?' | '#' | 'x' | 'X'
        )
    });
    is_variable || is_masked || REFERENCES.split(' ').any(|start| value.starts_with(start))
}

/// `getpass.getpass(`, `load_key("x")`: what is computed is not told here.
fn is_call(value: &str) -> bool {
    let Some((name, rest)) = value.split_once('(') else {
        return false;
    };
    let is_path = !name.is_empty()
        && name
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | ':' | '!'));
    is_path && (rest.is_empty() || rest.ends_with([')', ';', ',']))
}

/// Whether plain letters are a type (`Option<String>`), or a sentence goes on behind them.
fn reads_on(gap: &Gap<'_>, start: usize, word: &str) -> bool {
    if !word.chars().all(char::is_alphabetic) {
        return false;
    }
    let rest = gap.text().get(start + word.len()..).unwrap_or_default();
    if rest.starts_with('<') {
        return true;
    }
    let rest = rest.strip_prefix(',').unwrap_or(rest);
    let Some(rest) = rest.strip_prefix(' ') else {
        return false;
    };
    let next: String = rest
        .chars()
        .take(LOOKED_AT_BYTES)
        .take_while(|c| c.is_alphabetic())
        .collect();
    // `password: swordfish and …` tells it; `password: three attempts` does not.
    let is_linked = matches!(
        next.as_str(),
        "and" | "or" | "but" | "und" | "et" | "y" | "for" | "on"
    );
    next.chars().count() > 1 && next.chars().all(char::is_lowercase) && !is_linked
}

/// Whether the value goes on as a sentence does.
pub(super) fn is_prose(value: &str) -> bool {
    let first = value
        .split(|c: char| c.is_whitespace() || c == '(' || c == '[')
        .next()
        .unwrap_or_default();
    let word = first.trim_matches(|c: char| c.is_ascii_punctuation() && c != '-');
    let word = word.to_ascii_lowercase();
    PROSE.split(' ').any(|known| known == word)
}

/// `app-config-v2`: small letters in several words, with hardly a digit.
fn is_name(value: &str) -> bool {
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    digits <= 2
        && value.contains(['-', '_'])
        && !value.bytes().any(|byte| byte.is_ascii_uppercase())
}

fn is_path(value: &str) -> bool {
    ["/", "~", "./", "../", "http://", "https://"]
        .iter()
        .any(|start| value.starts_with(start))
}

/// Where the quote closes, on the same line.
fn closing(gap: &Gap<'_>, from: usize, mark: u8, escaped: bool) -> Option<usize> {
    let mut at = from;
    // Most quotes close soon; one that never does must not be followed for ever.
    let limit = gap.len().min(from + 4 * LOOKED_AT_BYTES);
    while at < limit {
        match gap.byte(at) {
            b'\n' => return None,
            b'\\' if escaped && gap.byte(at + 1) == mark => return Some(at),
            b'\\' => at += 1,
            byte if byte == mark => return Some(at),
            _ => {}
        }
        at += 1;
    }
    None
}

/// Where a value without quotes ends: at white space, or where the next name begins.
fn bare_end(gap: &Gap<'_>, start: usize, bytes_max: usize) -> usize {
    let mut at = start;
    let limit = gap.len().min(start.saturating_add(bytes_max));
    while at < limit {
        let byte = gap.byte(at);
        let ends = match byte {
            b'"' | b'<' | b'`' => true,
            b'&' | b';' | b',' => names_next(gap, at + 1),
            _ => byte.is_ascii_whitespace(),
        };
        if ends {
            break;
        }
        at += 1;
    }
    at
}

/// Whether another name with its value begins here: `, host=…`.
fn names_next(gap: &Gap<'_>, from: usize) -> bool {
    let name = gap.run_at_most(from, NEXT_NAME_BYTES_MAX, |byte| {
        byte.is_ascii_alphanumeric() || b" _-\"'".contains(&byte)
    });
    !name.is_empty() && b"=:".contains(&gap.byte(name.end))
}

/// Without what belongs to the sentence or the brackets around it.
fn trim_end(value: &str) -> &str {
    value.trim_end_matches(['.', ',', ';', ':', ')', ']', '}', '\'', '"', '\\'])
}

/// As much as is looked at, cut between two characters.
fn first_characters(text: &str) -> &str {
    let end = (0..=LOOKED_AT_BYTES.min(text.len()))
        .rev()
        .find(|at| text.is_char_boundary(*at))
        .unwrap_or(0);
    &text[..end]
}
