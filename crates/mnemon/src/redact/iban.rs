//! International bank account numbers: the length of the country, and the check digits.

use std::ops::Range;

use super::gap::Gap;

/// Countries with the length of their numbers.
const LENGTHS: &str = "\
    AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 \
    DJ27 DK18 DO28 EE20 EG29 ES24 FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HR21 \
    HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 \
    MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 \
    RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 \
    VG24 XK20 YE30";

/// Finds IBANs, written in one piece or in groups of four.
pub(super) fn find(gap: &Gap<'_>, found: &mut dyn FnMut(Range<usize>, &'static str)) {
    let (mut from, mut behind) = (0, 0);
    // Digits are rarer than words, and the third letter of each is one.
    while let Some(digit) = gap.find_byte(from, |byte| byte.is_ascii_digit()) {
        from = digit + 1;
        let Some(start) = digit.checked_sub(2).filter(|start| *start >= behind) else {
            continue;
        };
        if gap.starts_word(start)
            && let Some(end) = iban_at(gap, start)
        {
            found(start..end, "iban");
            (from, behind) = (end, end);
        }
    }
}

/// Where the IBAN that begins here ends.
fn iban_at(gap: &Gap<'_>, start: usize) -> Option<usize> {
    let is_start = (0..2).all(|place| gap.byte(start + place).is_ascii_alphabetic())
        && (2..4).all(|place| gap.byte(start + place).is_ascii_digit());
    if !is_start {
        return None;
    }
    let country = gap.slice(start..start + 2).to_ascii_uppercase();
    let length: usize = LENGTHS
        .split(' ')
        .find_map(|known| known.strip_prefix(country.as_str()))?
        .parse()
        .ok()?;
    let mut letters = Vec::with_capacity(length);
    let mut at = start;
    while letters.len() < length && at < gap.len() {
        let byte = gap.byte(at);
        if byte.is_ascii_alphanumeric() {
            letters.push(byte.to_ascii_uppercase());
        } else if !(b" -".contains(&byte) && letters.len().is_multiple_of(4)) {
            return None;
        }
        at += 1;
    }
    let is_whole = letters.len() == length && gap.ends_word(at);
    (is_whole && has_right_check_digits(&letters)).then_some(at)
}

/// The number with its first four letters at the end, letters as 10 to 35, is 1 modulo 97.
fn has_right_check_digits(letters: &[u8]) -> bool {
    let rest = letters[4..]
        .iter()
        .chain(&letters[..4])
        .fold(0u32, |rest, byte| {
            if byte.is_ascii_digit() {
                (rest * 10 + u32::from(byte - b'0')) % 97
            } else {
                (rest * 100 + u32::from(byte - b'A' + 10)) % 97
            }
        });
    rest == 1
}
