//! Keys of no known form: long strings of mixed letters and digits.
//!
//! Digests, commit ids, UUIDs and ULIDs are as long, but keep to one case;
//! base64 of other things has its own signs; names of many words change
//! between small and capital letters less often than chance does.

use std::ops::Range;

use super::gap::{Gap, is_word};

/// What the source calls long, in letters and digits.
const LETTERS_MIN: usize = 32;
/// Longer than any key; encoded files are.
const LETTERS_MAX: usize = 256;
/// Names have a digit at times; fewer than two has 1 chance key in 40.
const DIGITS_MIN: usize = 2;
/// Of chance letters two neighbours differ in their sort 62 times in a hundred,
/// in names of many words 20 to 35 times.
const CHANGES_PER_HUNDRED_MIN: usize = 42;

/// How certificates and public keys begin.
const BEGIN: &str = "-----BEGIN";

/// Finds long keys.
pub(super) fn find(gap: &Gap<'_>, found: &mut dyn FnMut(Range<usize>, &'static str)) {
    if gap.find_by(0, BEGIN, 7).is_some() {
        return find_beside_pem(gap, found);
    }
    let mut from = 0;
    // Nearly every word is shorter: one byte in so many tells.
    while from + LETTERS_MIN <= gap.len() {
        let last = from + LETTERS_MIN - 1;
        let start = gap.run_back(last + 1, LETTERS_MIN, is_part).start;
        if start > from {
            from = start;
            if start > last {
                continue;
            }
        }
        let run = gap.run(from, is_part);
        if run.len() >= LETTERS_MIN && is_key(gap, &run) {
            found(run.clone(), "api_key");
        }
        from = run.end + 1;
    }
}

/// Whether a run of letters is a key, and no part of something that runs on in other signs.
fn is_key(gap: &Gap<'_>, run: &Range<usize>) -> bool {
    let other = gap.byte(run.end);
    let runs_on = b"+/=.%".contains(&other) && !ends_sentence(gap, run.end);
    let is_behind = run.start > 0 && b"+/=".contains(&gap.byte(run.start - 1));
    !runs_on && !is_behind && stands_alone(gap, run.start) && looks_random(gap, run)
}

/// As [`find`], where certificates and public keys may stand, whose lines are no keys.
fn find_beside_pem(gap: &Gap<'_>, found: &mut dyn FnMut(Range<usize>, &'static str)) {
    let mut from = 0;
    let mut may_be_pem = true;
    while from < gap.len() {
        let run = gap.run(from, is_part);
        from = run.end + 1;
        let is_short = run.len() < LETTERS_MIN && gap.byte(run.start) != b'-';
        if is_short && !b"+/=".contains(&gap.byte(run.end)) {
            continue;
        }
        if may_be_pem && gap.has(run.start, BEGIN) {
            // A certificate or a public key; the private ones are found before.
            match gap.find(from, "-----END") {
                Some(end) => from = end + 8,
                None => may_be_pem = false,
            }
            continue;
        }
        // Base64 of a file, a digest or a public key runs on in its own signs.
        let other = gap.byte(run.end);
        let runs_on = b"+/=.%".contains(&other) && !ends_sentence(gap, run.end);
        if !runs_on && stands_alone(gap, run.start) && looks_random(gap, &run) {
            found(run, "api_key");
        } else if b"+/=".contains(&other) {
            from = gap
                .run(run.end, |byte| is_part(byte) || b"+/=".contains(&byte))
                .end;
        }
    }
}

fn is_part(byte: u8) -> bool {
    is_word(byte) || byte == b'-'
}

/// Not in a path, an address or behind the name of a digest.
fn stands_alone(gap: &Gap<'_>, start: usize) -> bool {
    gap.starts_word(start) && !b"/+%.\\".contains(&gap.byte_before(start, 1))
}

fn ends_sentence(gap: &Gap<'_>, at: usize) -> bool {
    let next = gap.byte(at + 1);
    gap.byte(at) == b'.' && next.is_ascii_whitespace()
}

fn looks_random(gap: &Gap<'_>, run: &Range<usize>) -> bool {
    if run.len() < LETTERS_MIN || !gap.ends_word(run.end) {
        return false;
    }
    let text = gap.slice(run.clone());
    let is_public = ["AAAA", "sha256-", "sha384-", "sha512-", "Qm", "ssh-"];
    if is_public.iter().any(|start| text.starts_with(start)) {
        return false;
    }
    let sorts: Vec<Sort> = text.bytes().filter_map(Sort::of).collect();
    let has = |wanted| sorts.contains(&wanted);
    let changes = sorts.windows(2).filter(|pair| pair[0] != pair[1]).count();
    let digits = sorts.iter().filter(|sort| **sort == Sort::Digit).count();
    (LETTERS_MIN..=LETTERS_MAX).contains(&sorts.len())
        && has(Sort::Small)
        && has(Sort::Capital)
        && digits >= DIGITS_MIN
        && changes * 100 >= (sorts.len() - 1) * CHANGES_PER_HUNDRED_MIN
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Sort {
    Small,
    Capital,
    Digit,
}

impl Sort {
    fn of(byte: u8) -> Option<Self> {
        match byte {
            b'a'..=b'z' => Some(Self::Small),
            b'A'..=b'Z' => Some(Self::Capital),
            b'0'..=b'9' => Some(Self::Digit),
            _ => None,
        }
    }
}
