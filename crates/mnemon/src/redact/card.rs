//! Numbers of payment cards: the right length and beginning, and Luhn's sum.

use std::ops::Range;

use super::gap::{Gap, is_word};

/// How card numbers are grouped on cards; one group is any length.
const GROUPINGS: &[&[usize]] = &[
    &[4, 4, 4, 4],
    &[4, 4, 4, 4, 3],
    &[4, 6, 5],
    &[4, 6, 4],
    &[4, 4, 4, 1],
    &[4, 4, 5],
];

/// Finds card numbers.
pub(super) fn find(gap: &Gap<'_>, found: &mut dyn FnMut(Range<usize>, &'static str)) {
    let mut from = 0;
    while let Some(start) = gap.find_byte(from, |byte| byte.is_ascii_digit()) {
        if !gap.starts_word(start) || is_within_number(gap, start) {
            from = gap.run(start, is_word).end;
            continue;
        }
        match card_at(gap, start) {
            Some(end) => {
                found(start..end, "card");
                from = end;
            }
            None => from = gap.run(start, is_word).end,
        }
    }
}

/// Behind a point or a sign it is a fraction, a version or a part of something longer.
fn is_within_number(gap: &Gap<'_>, start: usize) -> bool {
    b".,-+/".contains(&gap.byte_before(start, 1))
        && gap.byte_before(start, 2).is_ascii_alphanumeric()
}

/// Where the card number that begins here ends.
fn card_at(gap: &Gap<'_>, start: usize) -> Option<usize> {
    let first = digits(gap, start);
    if (13..=19).contains(&first.len()) {
        return is_card(gap, std::slice::from_ref(&first)).then_some(first.end);
    }
    let separator = gap.byte(first.end);
    if !b" -".contains(&separator) {
        return None;
    }
    GROUPINGS.iter().find_map(|grouping| {
        let mut groups: Vec<Range<usize>> = Vec::with_capacity(grouping.len());
        let mut at = start;
        for length in *grouping {
            if !groups.is_empty() {
                if gap.byte(at) != separator {
                    return None;
                }
                at += 1;
            }
            let group = digits(gap, at);
            if group.len() != *length {
                return None;
            }
            at = group.end;
            groups.push(group);
        }
        // One more group makes it another number.
        let goes_on = gap.byte(at) == separator && gap.byte(at + 1).is_ascii_digit();
        (!goes_on && is_card(gap, &groups)).then_some(at)
    })
}

fn digits(gap: &Gap<'_>, from: usize) -> Range<usize> {
    gap.run_at_most(from, 20, |byte| byte.is_ascii_digit())
}

fn is_card(gap: &Gap<'_>, groups: &[Range<usize>]) -> bool {
    let end = groups.last().map_or(0, |group| group.end);
    let number: Vec<u8> = groups
        .iter()
        .flat_map(|group| gap.slice(group.clone()).bytes())
        .map(|digit| digit - b'0')
        .collect();
    // A fraction or a longer number goes on behind the point.
    let goes_on = b".,".contains(&gap.byte(end)) && gap.byte(end + 1).is_ascii_digit();
    gap.ends_word(end) && !goes_on && is_issued(&number) && luhn(&number)
}

/// Whether some network issues numbers of this beginning and length.
fn is_issued(number: &[u8]) -> bool {
    let first = |count: usize| {
        number[..count]
            .iter()
            .fold(0u32, |n, d| n * 10 + u32::from(*d))
    };
    let length = number.len();
    match first(4) {
        4000..=4999 => matches!(length, 13 | 16 | 19),
        5100..=5599 | 2221..=2720 => length == 16,
        3400..=3499 | 3700..=3799 => length == 15,
        3000..=3059 | 3600..=3699 | 3800..=3999 => matches!(length, 14 | 16),
        6011 | 6440..=6599 | 6200..=6299 | 3528..=3589 => (16..=19).contains(&length),
        5018 | 5020 | 5038 | 5893 | 6304 | 6759 | 6761..=6763 => (13..=19).contains(&length),
        _ => false,
    }
}

/// Luhn's sum: every second digit from the right doubled.
fn luhn(number: &[u8]) -> bool {
    let sum: u32 = number
        .iter()
        .rev()
        .enumerate()
        .map(|(place, digit)| match (place % 2, u32::from(*digit)) {
            (0, digit) => digit,
            (_, digit) if digit > 4 => digit * 2 - 9,
            (_, digit) => digit * 2,
        })
        .sum();
    sum.is_multiple_of(10)
}
