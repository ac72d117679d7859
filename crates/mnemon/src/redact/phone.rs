//! Phone numbers: with their country, as they are written in North America,
//! with a leading zero, or behind a word that announces one.

use std::ops::Range;

use super::gap::Gap;

/// The longest number in the world, and what is too short to call.
const DIGITS_MAX: usize = 15;
const DIGITS_MIN: usize = 7;
/// Digits and signs between them.
const BYTES_MAX: usize = 28;

/// Words that announce a number, with or without a sign behind them.
const WORDS: &str = "\
    phone tel telephone mobile cell fax call whatsapp sms telefon handy mobil telefono \
    teléfono téléphone";

/// Finds phone numbers.
pub(super) fn find(gap: &Gap<'_>, found: &mut dyn FnMut(Range<usize>, &'static str)) {
    let mut from = 0;
    while let Some(start) =
        gap.find_byte(from, |byte| byte.is_ascii_digit() || b"+(".contains(&byte))
    {
        let number = Number::read(gap, start);
        from = number.end.max(start + 1);
        if !stands_alone(gap, start, number.end) {
            continue;
        }
        if number.is_international()
            || number.is_north_american()
            || number.has_trunk_zero()
            || number.is_in_pairs()
            || (number.could_be_any() && is_announced(gap, start))
        {
            found(start..number.end, "phone");
        }
    }
}

/// No number that is read has more groups.
const GROUPS_MAX: usize = BYTES_MAX / 2 + 1;

/// A number with its signs, cut into groups.
struct Number<'a> {
    end: usize,
    plus: bool,
    /// How many groups there are.
    count: usize,
    /// The digits of each group, and the sign behind each.
    groups: [&'a str; GROUPS_MAX],
    signs: [u8; GROUPS_MAX],
    /// Whether the first group stands in brackets.
    brackets: bool,
}

impl<'a> Number<'a> {
    /// As much as can belong to one number.
    fn read(gap: &Gap<'a>, start: usize) -> Self {
        let mut number = Self {
            end: start,
            plus: false,
            count: 0,
            groups: [""; GROUPS_MAX],
            signs: [0; GROUPS_MAX],
            brackets: false,
        };
        let mut at = start;
        if gap.byte(at) == b'+' {
            number.plus = true;
            at += 1;
        }
        while at < start + BYTES_MAX && number.count < GROUPS_MAX {
            let open = gap.byte(at) == b'(';
            let group = gap.run_at_most(at + usize::from(open), DIGITS_MAX + 1, |byte| {
                byte.is_ascii_digit()
            });
            if group.is_empty() || (open && gap.byte(group.end) != b')') {
                break;
            }
            number.brackets |= open && number.count == 0;
            number.groups[number.count] = gap.slice(group.clone());
            number.end = group.end + usize::from(open);
            let sign = gap.byte(number.end);
            let blank_behind_bracket = open && sign == b' ';
            at = number.end + usize::from(b" -./".contains(&sign) || blank_behind_bracket);
            number.signs[number.count] = if open && at == number.end { b' ' } else { sign };
            number.count += 1;
            if at == number.end && !open && gap.byte(at) != b'(' {
                break;
            }
        }
        number
    }

    fn groups(&self) -> &[&'a str] {
        &self.groups[..self.count]
    }

    /// The signs between the groups.
    fn signs(&self) -> &[u8] {
        &self.signs[..self.count.saturating_sub(1)]
    }

    fn digits(&self) -> usize {
        self.groups().iter().map(|group| group.len()).sum()
    }

    fn has_lengths<const N: usize>(&self, lengths: [usize; N]) -> bool {
        self.groups().iter().map(|group| group.len()).eq(lengths)
    }

    fn first(&self) -> &'a str {
        self.groups().first().copied().unwrap_or_default()
    }

    /// `+49 30 1234567`, `0049 30 1234567`.
    fn is_international(&self) -> bool {
        let digits = self.digits();
        if self.plus {
            let least = if self.count > 1 { 8 } else { 9 };
            return (least..=DIGITS_MAX).contains(&digits) && !self.first().starts_with('0');
        }
        self.first().starts_with("00")
            && self.count > 1
            && self.first().len() <= 5
            && !self.first()[2..].starts_with('0')
            && (10..=DIGITS_MAX + 2).contains(&digits)
    }

    /// `(555) 123-4567`, `555-123-4567`, `1-555-123-4567`.
    fn is_north_american(&self) -> bool {
        let groups = match self.groups() {
            [country, rest @ ..] if *country == "1" => rest,
            all => all,
        };
        let signs_fit =
            self.brackets || !self.signs().contains(&b' ') && !self.signs().contains(&b'/');
        let [area, exchange, line] = groups else {
            return false;
        };
        !self.plus
            && signs_fit
            && (area.len(), exchange.len(), line.len()) == (3, 3, 4)
            && [area, exchange]
                .iter()
                .all(|group| !group.starts_with(['0', '1']) || group.starts_with("12"))
            && !area.starts_with(['0', '1'])
    }

    /// `0171 1234567`, `030/1234567`, `020 7946 0958`.
    fn has_trunk_zero(&self) -> bool {
        let first = self.first();
        !self.plus
            && self.count > 1
            && (3..=5).contains(&first.len())
            && first.starts_with('0')
            && !first.starts_with("00")
            && (9..=12).contains(&self.digits())
            && !self.signs().contains(&b'.')
            // Bits are no number to call.
            && self.groups().iter().any(|group| group.contains(|c| c > '1'))
    }

    /// `06 12 34 56 78`, `06.12.34.56.78`: as they are written in France.
    fn is_in_pairs(&self) -> bool {
        let first = self.first();
        let is_same_sign = self.signs().iter().all(|sign| *sign == self.signs[0]);
        self.has_lengths([2; 5])
            && !self.plus
            && is_same_sign
            && first.starts_with('0')
            && first != "00"
    }

    /// Anything that has the length and is no date.
    fn could_be_any(&self) -> bool {
        let is_date = [[4, 2, 2], [2, 2, 4], [1, 1, 4]]
            .into_iter()
            .any(|lengths| self.has_lengths(lengths));
        let is_address = self.signs() == [b'.'; 3];
        (DIGITS_MIN..=DIGITS_MAX).contains(&self.digits()) && !is_date && !is_address
    }
}

/// Not a part of a word, a fraction or a longer number.
fn stands_alone(gap: &Gap<'_>, start: usize, end: usize) -> bool {
    let (before, further) = (gap.byte_before(start, 1), gap.byte_before(start, 2));
    let is_link = start >= 4 && gap.has(start - 4, "tel:");
    let joined = b"-./+,:".contains(&before) && further.is_ascii_alphanumeric() && !is_link;
    // The end of a longer number.
    let continued = before == b' ' && further.is_ascii_digit() && gap.byte(start) != b'+';
    let goes_on = b"-./:,".contains(&gap.byte(end)) && gap.byte(end + 1).is_ascii_alphanumeric();
    gap.starts_word(start)
        && gap.ends_word(end)
        && !joined
        && !continued
        && !goes_on
        && !b"#$=".contains(&before)
}

/// Whether a word before says that a number follows.
fn is_announced(gap: &Gap<'_>, start: usize) -> bool {
    let between = gap.run_back(start, 6, |byte| b" .:#=\t\"'".contains(&byte));
    let word = gap.run_back(between.start, 16, |byte| {
        byte.is_ascii_alphabetic() || byte >= 0x80
    });
    let word = gap.slice(word).to_lowercase();
    !word.is_empty() && WORDS.split(' ').any(|known| known == word)
}
