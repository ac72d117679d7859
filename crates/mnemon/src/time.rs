//! Moments that keep the offset they were written with.
//!
//! Invariant: the date that a [`Time`] shows lies in the years 0000 to 9999,
//! so every `Time` has an RFC 3339 spelling and `parse(display(t)) == t`.
//!
//! `rfc3339` reads that spelling; [`expression`] reads what people type in
//! filters (`yesterday`, `2 weeks`).

use std::fmt;

use jiff::civil::DateTime;
use jiff::{SignedDuration, Timestamp, Zoned};
use serde::de::{self, Deserialize, Deserializer, Visitor};
use serde::ser::{Serialize, Serializer};

use crate::error::{Error, Result};

mod rfc3339;

pub mod expression;

/// A moment and the offset it was written with: `2026-01-10T14:23:45+02:00` stays that.
///
/// Two times are equal when both are; they are ordered by the moment, then by
/// the offset.
// Not a `jiff::Timestamp`: that ends 26 hours before the year 9999 does, and
// `9999-12-31T23:59:59Z` is what other programs write for "never".
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time {
    /// Whole seconds since 1970, rounded down.
    seconds: i64,
    /// What comes on top of them: 0 to 999,999,999.
    nanos: i32,
    offset_minutes: i16,
}

/// A day of 24 hours.
pub(crate) const DAY_MICROS: i64 = 86_400_000_000;

const EPOCH: DateTime = DateTime::constant(1970, 1, 1, 0, 0, 0, 0);

/// 0000-01-01T00:00:00 and 9999-12-31T23:59:59, in seconds since 1970.
const FIRST_SECOND: i64 = -62_167_219_200;
const LAST_SECOND: i64 = 253_402_300_799;

const FIRST_MICROS: i64 = FIRST_SECOND * 1_000_000;
const LAST_MICROS: i64 = LAST_SECOND * 1_000_000 + 999_999;

impl Time {
    /// The last moment that UTC can write.
    const LAST: Time = Time {
        seconds: LAST_SECOND,
        nanos: 999_999_999,
        offset_minutes: 0,
    };

    /// The moment so many microseconds after 1970, in UTC; the years 0000 to 9999.
    ///
    /// [`Time::micros`] of a time with an offset can lie up to a day outside.
    pub fn from_micros(us: i64) -> Result<Time> {
        let time = Self::nearest_to_micros(us);
        if time.micros() == us {
            Ok(time)
        } else {
            Err(Error::rule(
                "time",
                "in the years 0000 to 9999",
                &format!("{us} microseconds since 1970"),
            ))
        }
    }

    /// Like [`Time::from_micros`], but what lies outside the years becomes their edge.
    pub(crate) fn nearest_to_micros(us: i64) -> Time {
        let us = us.clamp(FIRST_MICROS, LAST_MICROS);
        let below_second = i32::try_from(us.rem_euclid(1_000_000))
            .expect("a remainder of a million fits into 32 bits");
        Time {
            seconds: us.div_euclid(1_000_000),
            nanos: below_second * 1_000,
            offset_minutes: 0,
        }
    }

    /// Microseconds since 1970, rounded down.
    pub fn micros(self) -> i64 {
        self.seconds * 1_000_000 + i64::from(self.nanos / 1_000)
    }

    /// The moment for arithmetic; jiff ends at `9999-12-30T22:00:00.999999999Z`, and so does this.
    pub fn timestamp(self) -> Timestamp {
        Timestamp::from_nanosecond(
            i128::from(self.seconds) * 1_000_000_000 + i128::from(self.nanos),
        )
        .unwrap_or(Timestamp::MAX)
    }

    /// The day that it shows: `2026-01-10`.
    pub fn day(self) -> String {
        self.to_string().chars().take(10).collect()
    }

    /// How far local time was ahead of UTC where the time was written.
    pub fn offset_minutes(self) -> i16 {
        self.offset_minutes
    }

    /// `None` when the date that it would show is outside the years 0000 to 9999.
    fn new(seconds: i64, nanos: i32, offset_minutes: i16) -> Option<Time> {
        let local_seconds = seconds.checked_add(i64::from(offset_minutes) * 60)?;
        (FIRST_SECOND..=LAST_SECOND)
            .contains(&local_seconds)
            .then_some(Time {
                seconds,
                nanos,
                offset_minutes,
            })
    }

    /// The same moment; an offset with seconds, as places had before 1972, is
    /// rounded up, so that midnight there still shows its own day.
    fn from_zoned(zoned: &Zoned) -> Option<Time> {
        let nanos = zoned.timestamp().as_nanosecond();
        Time::new(
            i64::try_from(nanos.div_euclid(1_000_000_000)).ok()?,
            i32::try_from(nanos.rem_euclid(1_000_000_000)).ok()?,
            i16::try_from(-(-zoned.offset().seconds()).div_euclid(60)).ok()?,
        )
    }
}

/// RFC 3339 with the time's own offset, `Z` for none, and 0, 3, 6 or 9 digits
/// of fraction, whichever is enough.
impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let local_seconds = self.seconds + i64::from(self.offset_minutes) * 60;
        let local = EPOCH
            .checked_add(SignedDuration::from_secs(local_seconds))
            .expect("a time shows a date in the years 0000 to 9999");
        write!(
            f,
            "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}",
            local.year(),
            local.month(),
            local.day(),
            local.hour(),
            local.minute(),
            local.second(),
        )?;
        match self.nanos {
            0 => {}
            nanos if nanos % 1_000_000 == 0 => write!(f, ".{:03}", nanos / 1_000_000)?,
            nanos if nanos % 1_000 == 0 => write!(f, ".{:06}", nanos / 1_000)?,
            nanos => write!(f, ".{nanos:09}")?,
        }
        if self.offset_minutes == 0 {
            return f.write_str("Z");
        }
        let sign = if self.offset_minutes < 0 { '-' } else { '+' };
        let minutes = self.offset_minutes.unsigned_abs();
        write!(f, "{sign}{:02}:{:02}", minutes / 60, minutes % 60)
    }
}

impl Serialize for Time {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Time {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(Rfc3339Text)
    }
}

struct Rfc3339Text;

impl Visitor<'_> for Rfc3339Text {
    type Value = Time;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an RFC 3339 time")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Time, E> {
        text.parse().map_err(E::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(text: &str) -> Time {
        text.parse().expect(text)
    }

    fn utc(us: i64) -> Time {
        Time::from_micros(us).expect("it is in the years 0000 to 9999")
    }

    /// Splitmix64: repeatable numbers without a crate.
    fn random_below(limit: u64, state: &mut u64) -> i64 {
        *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = *state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        i64::try_from((mixed ^ (mixed >> 31)) % limit).expect("the limits here are small")
    }

    #[test]
    fn a_time_is_printed_with_the_digits_it_needs() {
        for (text, printed) in [
            ("2026-01-10T14:23:45+02:00", "2026-01-10T14:23:45+02:00"),
            ("2026-01-10 14:23:45.000000z", "2026-01-10T14:23:45Z"),
            ("2026-01-10T14:23:45.5Z", "2026-01-10T14:23:45.500Z"),
            ("2026-01-10T14:23:45.0001Z", "2026-01-10T14:23:45.000100Z"),
            (
                "2026-01-10T14:23:45.000000001Z",
                "2026-01-10T14:23:45.000000001Z",
            ),
            (
                "1969-12-31T23:59:59.999-00:30",
                "1969-12-31T23:59:59.999-00:30",
            ),
            ("0000-01-01T00:00:00+23:59", "0000-01-01T00:00:00+23:59"),
            (
                "9999-12-31T23:59:59.999999999-23:59",
                "9999-12-31T23:59:59.999999999-23:59",
            ),
        ] {
            assert_eq!(time(text).to_string(), printed);
        }
    }

    #[test]
    fn printing_and_parsing_give_the_same_time_back() {
        let mut state = 7;
        for round in 0..20_000_u32 {
            let span = LAST_SECOND.abs_diff(FIRST_SECOND) + 1;
            let seconds = FIRST_SECOND + random_below(span, &mut state);
            let nanos = i32::try_from(random_below(1_000_000_000, &mut state)).expect("below 2^31");
            let nanos = [
                nanos,
                nanos / 1_000 * 1_000,
                nanos / 1_000_000 * 1_000_000,
                0,
            ][round as usize % 4];
            let offset =
                i16::try_from(random_below(2_879, &mut state) - 1_439).expect("below 2^15");
            let Some(written) = Time::new(seconds, nanos, offset) else {
                continue;
            };
            assert_eq!(time(&written.to_string()), written);
            let json = serde_json::to_string(&written).expect("text is JSON");
            assert_eq!(serde_json::from_str::<Time>(&json).expect(&json), written);
        }
    }

    #[test]
    fn micros_come_back_from_the_whole_range() {
        let mut state = 11;
        for _ in 0..20_000 {
            let span = LAST_MICROS.abs_diff(FIRST_MICROS) + 1;
            let us = FIRST_MICROS + random_below(span, &mut state);
            let moment = utc(us);
            assert_eq!(moment.micros(), us);
            assert_eq!(time(&moment.to_string()), moment);
        }
        for us in [FIRST_MICROS, -1, 0, 1, LAST_MICROS] {
            assert_eq!(utc(us).micros(), us);
        }
        assert_eq!(utc(-1).to_string(), "1969-12-31T23:59:59.999999Z");
    }

    #[test]
    fn micros_outside_the_years_0000_to_9999_break_a_rule() {
        for us in [i64::MIN, FIRST_MICROS - 1, LAST_MICROS + 1, i64::MAX] {
            let error = Time::from_micros(us).expect_err("it is outside");
            assert!(
                matches!(error, Error::Rule { field: "time", .. }),
                "{error}"
            );
        }
    }

    #[test]
    fn micros_are_rounded_down_also_before_1970() {
        for (text, us) in [
            ("1970-01-01T00:00:00.000000999Z", 0),
            ("1969-12-31T23:59:59.999999999Z", -1),
            ("1969-12-31T23:59:59.9999985Z", -2),
            ("1970-01-01T02:00:00+02:00", 0),
        ] {
            assert_eq!(time(text).micros(), us, "{text}");
        }
    }

    #[test]
    fn the_timestamp_is_the_same_moment_as_far_as_jiff_goes() {
        for (text, timestamp) in [
            ("2026-01-10T14:23:45.25+02:00", "2026-01-10T12:23:45.25Z"),
            ("1969-12-31T23:59:59.75Z", "1969-12-31T23:59:59.75Z"),
            ("0000-01-01T00:00:00+23:59", "-000001-12-31T00:01:00Z"),
        ] {
            let timestamp: Timestamp = timestamp.parse().expect(timestamp);
            assert_eq!(time(text).timestamp(), timestamp);
        }
        assert_eq!(time("9999-12-31T23:59:59Z").timestamp(), Timestamp::MAX);
    }

    #[test]
    fn order_is_by_moment_and_only_then_by_offset() {
        let ascending = [
            "2026-01-10T15:00:00+02:00",
            "2026-01-10T13:30:00Z",
            "2026-01-10T10:00:00-04:00",
            "2026-01-10T14:00:00Z",
            "2026-01-10T16:00:00+02:00",
            "2026-01-10T14:00:00.000000001Z",
        ];
        for pair in ascending.windows(2) {
            assert!(time(pair[0]) < time(pair[1]), "{pair:?}");
        }
    }

    #[test]
    fn the_same_moment_with_another_offset_is_another_content() {
        let (here, there) = (
            time("2026-01-10T14:00:00Z"),
            time("2026-01-10T16:00:00+02:00"),
        );
        assert_eq!(here.micros(), there.micros());
        assert_ne!(here, there);
        assert_eq!(here, time("2026-01-10T14:00:00.000+00:00"));
    }

    #[test]
    fn json_that_is_no_time_is_refused_with_the_reason() {
        let error = serde_json::from_str::<Time>("\"yesterday\"").expect_err("no date");
        assert!(
            error.to_string().contains("this is not an RFC 3339 time"),
            "{error}"
        );
        let error = serde_json::from_str::<Time>("12").expect_err("no text");
        assert!(
            error.to_string().contains("expected an RFC 3339 time"),
            "{error}"
        );
    }
}
