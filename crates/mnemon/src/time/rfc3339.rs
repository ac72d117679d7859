//! Reading RFC 3339, strictly: what another program wrote is either exact or refused.
//!
//! [`Scanner`] takes the parts one after another; [`super::expression`] uses
//! it for dates and for local times too.

use std::str::FromStr;

use jiff::SignedDuration;
use jiff::civil::{Date, DateTime};

use super::{EPOCH, Time};
use crate::error::{Error, Result};

/// What is wrong with a text, as part of a sentence.
pub(super) type Problem = &'static str;

const SHAPE: Problem = "it must look like 2026-01-10T14:23:45Z or 2026-01-10T14:23:45.123+02:00";
const NO_SUCH_DAY: Problem = "there is no such day";
const NO_SUCH_TIME: Problem = "there is no such time of day";
const NO_LEAP_SECOND: Problem = "second 60 exists only at the end of a month, at 23:59 UTC";
const SECONDS_MISSING: Problem = "the seconds are missing";
const FRACTION_TOO_LONG: Problem = "its fraction must have at most nine digits";
const OFFSET_MISSING: Problem = "the offset is missing: end it with Z or with one such as +02:00";
const OFFSET_TOO_FAR: Problem = "the offset must be between -23:59 and +23:59";
const TEXT_AFTER: Problem = "it must end after the time";
pub(super) const OUT_OF_RANGE: Problem = "it must be in the years 0000 to 9999";

/// RFC 3339 and nothing else: `T` may be a space, `T` and `Z` may be lower
/// case, a fraction has up to nine digits. `-00:00` counts as `Z`.
///
/// A leap second, `23:59:60` UTC at the end of a month, becomes the second
/// after it, as in Unix time.
impl FromStr for Time {
    type Err = Error;

    fn from_str(text: &str) -> Result<Time> {
        parse(text).map_err(|problem| Error::unparsable("an RFC 3339 time", text, problem))
    }
}

fn parse(text: &str) -> Result<Time, Problem> {
    let mut scanner = Scanner::new(text);
    let date = scanner.date()?;
    scanner.separator()?;
    let clock = scanner.clock()?;
    let second = clock.second.ok_or(SECONDS_MISSING)?;
    let offset_minutes = scanner.offset_minutes()?;
    scanner.end()?;

    let leap = second == 60;
    let local = date_time(
        date,
        &TimeOfDay {
            second: Some(if leap { 59 } else { second }),
            nanos: 0,
            ..clock
        },
    )?;
    let local_seconds = local.duration_since(EPOCH).as_secs() + i64::from(leap);
    let seconds = local_seconds - i64::from(offset_minutes) * 60;
    let time = Time::new(seconds, clock.nanos, offset_minutes).ok_or(OUT_OF_RANGE)?;
    if leap && !is_start_of_month(seconds) {
        return Err(NO_LEAP_SECOND);
    }
    Ok(time)
}

fn is_start_of_month(utc_seconds: i64) -> bool {
    EPOCH
        .checked_add(SignedDuration::from_secs(utc_seconds))
        .is_ok_and(|utc| utc == utc.date().first_of_month().at(0, 0, 0, 0))
}

/// The date and the time of day together, in no zone; missing seconds are 0.
pub(super) fn date_time(date: Date, clock: &TimeOfDay) -> Result<DateTime, Problem> {
    DateTime::new(
        date.year(),
        date.month(),
        date.day(),
        clock.hour,
        clock.minute,
        clock.second.unwrap_or(0),
        clock.nanos,
    )
    .map_err(|_| NO_SUCH_TIME)
}

/// A time of day as it was written; only [`date_time`] says whether it exists.
pub(super) struct TimeOfDay {
    pub(super) hour: i8,
    pub(super) minute: i8,
    /// `None` in `14:30`.
    pub(super) second: Option<i8>,
    pub(super) nanos: i32,
}

/// What is left of a text to read.
pub(super) struct Scanner<'a> {
    rest: &'a [u8],
}

impl<'a> Scanner<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            rest: text.as_bytes(),
        }
    }

    /// `2026-01-10`
    pub(super) fn date(&mut self) -> Result<Date, Problem> {
        let year = i16::from(self.two_digits()?) * 100 + i16::from(self.two_digits()?);
        self.one_of(b"-").ok_or(SHAPE)?;
        let month = self.two_digits()?;
        self.one_of(b"-").ok_or(SHAPE)?;
        let day = self.two_digits()?;
        Date::new(year, month, day).map_err(|_| NO_SUCH_DAY)
    }

    /// What stands between a date and a time of day.
    pub(super) fn separator(&mut self) -> Result<(), Problem> {
        self.one_of(b"Tt ").map(drop).ok_or(SHAPE)
    }

    /// `14:23`, `14:23:45` or `14:23:45.123456789`
    pub(super) fn clock(&mut self) -> Result<TimeOfDay, Problem> {
        let hour = self.two_digits()?;
        self.one_of(b":").ok_or(SHAPE)?;
        let minute = self.two_digits()?;
        let mut second = None;
        let mut nanos = 0;
        if self.one_of(b":").is_some() {
            second = Some(self.two_digits()?);
            if self.one_of(b".").is_some() {
                nanos = self.fraction_nanos()?;
            }
        }
        Ok(TimeOfDay {
            hour,
            minute,
            second,
            nanos,
        })
    }

    /// `Z`, `+02:00` or `-23:59`
    fn offset_minutes(&mut self) -> Result<i16, Problem> {
        let sign = match self.one_of(b"Zz+-").ok_or(OFFSET_MISSING)? {
            b'+' => 1,
            b'-' => -1,
            _ => return Ok(0),
        };
        let hours = i16::from(self.two_digits()?);
        self.one_of(b":").ok_or(SHAPE)?;
        let minutes = i16::from(self.two_digits()?);
        if hours > 23 || minutes > 59 {
            return Err(OFFSET_TOO_FAR);
        }
        Ok(sign * (hours * 60 + minutes))
    }

    /// Refuses anything that is left, such as `[Europe/Berlin]`.
    pub(super) fn end(&self) -> Result<(), Problem> {
        match self.rest {
            [] => Ok(()),
            _ => Err(TEXT_AFTER),
        }
    }

    fn fraction_nanos(&mut self) -> Result<i32, Problem> {
        let mut nanos = 0;
        let mut digits = 0;
        while let Some(digit) = self.one_of(b"0123456789") {
            if digits == 9 {
                return Err(FRACTION_TOO_LONG);
            }
            nanos = nanos * 10 + i32::from(digit - b'0');
            digits += 1;
        }
        if digits == 0 {
            return Err(SHAPE);
        }
        Ok(nanos * 10_i32.pow(9 - digits))
    }

    fn two_digits(&mut self) -> Result<i8, Problem> {
        match *self.rest {
            [tens @ b'0'..=b'9', ones @ b'0'..=b'9', ref rest @ ..] => {
                self.rest = rest;
                i8::try_from((tens - b'0') * 10 + (ones - b'0')).map_err(|_| SHAPE)
            }
            _ => Err(SHAPE),
        }
    }

    fn one_of(&mut self, accepted: &[u8]) -> Option<u8> {
        let (first, rest) = self.rest.split_first()?;
        accepted.contains(first).then(|| {
            self.rest = rest;
            *first
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_of_rfc_3339_is_read_exactly() {
        for (text, canonical) in [
            ("2026-01-10T14:23:45Z", "2026-01-10T14:23:45Z"),
            ("2026-01-10t14:23:45z", "2026-01-10T14:23:45Z"),
            ("2026-01-10 14:23:45Z", "2026-01-10T14:23:45Z"),
            ("2026-01-10T14:23:45+00:00", "2026-01-10T14:23:45Z"),
            ("2026-01-10T14:23:45-00:00", "2026-01-10T14:23:45Z"),
            ("2026-01-10T14:23:45+05:45", "2026-01-10T14:23:45+05:45"),
            ("2026-01-10T14:23:45+23:59", "2026-01-10T14:23:45+23:59"),
            ("2026-01-10T14:23:45-23:59", "2026-01-10T14:23:45-23:59"),
            ("2024-02-29T00:00:00Z", "2024-02-29T00:00:00Z"),
            ("0000-01-01T00:00:00Z", "0000-01-01T00:00:00Z"),
            ("0000-02-29T00:00:00Z", "0000-02-29T00:00:00Z"),
            ("0000-01-01T00:00:00+23:59", "0000-01-01T00:00:00+23:59"),
            ("9999-12-31T23:59:59Z", "9999-12-31T23:59:59Z"),
            ("9999-12-31T23:59:59-23:59", "9999-12-31T23:59:59-23:59"),
            ("1985-04-12T23:20:50.52Z", "1985-04-12T23:20:50.520Z"),
        ] {
            let time: Time = text.parse().expect(text);
            assert_eq!(time.to_string(), canonical, "{text}");
        }
    }

    #[test]
    fn a_fraction_keeps_each_of_its_nine_digits() {
        let digits = "123456789";
        for count in 1..=9 {
            let text = format!("2026-01-10T14:23:45.{}Z", &digits[..count]);
            let nanos: i32 = format!("{:0<9}", &digits[..count])
                .parse()
                .expect("nine digits");
            assert_eq!(text.parse::<Time>().expect(&text).nanos, nanos, "{text}");
        }
    }

    #[test]
    fn a_leap_second_is_the_second_after_it() {
        for (text, next) in [
            ("1990-12-31T23:59:60Z", "1991-01-01T00:00:00Z"),
            ("1990-12-31T15:59:60-08:00", "1990-12-31T16:00:00-08:00"),
            (
                "2015-07-01T01:59:60.25+02:00",
                "2015-07-01T02:00:00.250+02:00",
            ),
        ] {
            assert_eq!(
                text.parse::<Time>().expect(text).to_string(),
                next,
                "{text}"
            );
        }
    }

    #[test]
    fn what_is_not_rfc_3339_is_refused_with_the_reason() {
        for (text, reason) in [
            ("", SHAPE),
            ("yesterday", SHAPE),
            ("2026-01-10", SHAPE),
            (" 2026-01-10T14:23:45Z", SHAPE),
            ("26-01-10T14:23:45Z", SHAPE),
            ("2026-1-10T14:23:45Z", SHAPE),
            ("20260110T142345Z", SHAPE),
            ("2026-01-10_14:23:45Z", SHAPE),
            ("2026-01-10T14:23:45.Z", SHAPE),
            ("2026-01-10T14:23:45+0200", SHAPE),
            ("2026-01-10T14:23:45+02", SHAPE),
            ("+002026-01-10T14:23:45Z", SHAPE),
            ("-0001-01-10T14:23:45Z", SHAPE),
            ("10000-01-01T00:00:00Z", SHAPE),
            ("٢٠٢٦-01-10T14:23:45Z", SHAPE),
            ("2026-02-29T14:23:45Z", NO_SUCH_DAY),
            ("2026-00-10T14:23:45Z", NO_SUCH_DAY),
            ("2026-13-10T14:23:45Z", NO_SUCH_DAY),
            ("2026-01-32T14:23:45Z", NO_SUCH_DAY),
            ("2026-01-10T24:00:00Z", NO_SUCH_TIME),
            ("2026-01-10T14:60:00Z", NO_SUCH_TIME),
            ("2026-01-10T14:23:61Z", NO_SUCH_TIME),
            ("2026-01-10T14:23:60Z", NO_LEAP_SECOND),
            ("2026-01-10T23:59:60Z", NO_LEAP_SECOND),
            ("1990-12-31T23:59:60-08:00", NO_LEAP_SECOND),
            ("2026-01-10T14:23Z", SECONDS_MISSING),
            ("2026-01-10T14:23:45", OFFSET_MISSING),
            ("2026-01-10T14:23:45,5Z", OFFSET_MISSING),
            ("2026-01-10T14:23:45 Z", OFFSET_MISSING),
            ("2026-01-10T14:23:45[Europe/Berlin]", OFFSET_MISSING),
            ("2026-01-10T14:23:45+24:00", OFFSET_TOO_FAR),
            ("2026-01-10T14:23:45+02:60", OFFSET_TOO_FAR),
            ("2026-01-10T14:23:45+01:00[Europe/Berlin]", TEXT_AFTER),
            ("2026-01-10T14:23:45+02:00:30", TEXT_AFTER),
            ("2026-01-10T14:23:45Z ", TEXT_AFTER),
            ("2026-01-10T14:23:45.1234567890Z", FRACTION_TOO_LONG),
            ("9999-12-31T23:59:60Z", OUT_OF_RANGE),
        ] {
            match text.parse::<Time>() {
                Err(Error::Unparsable { what, problem, .. }) => {
                    assert_eq!(
                        (what, problem.as_str()),
                        ("an RFC 3339 time", reason),
                        "{text}"
                    );
                }
                other => panic!("{text}: {other:?}"),
            }
        }
    }
}
