//! When something is to be done again and again: five fields, as cron has them.
//!
//! Minute, hour, day of the month, month, day of the week; `*`, numbers,
//! names, lists, ranges and steps. As in cron, if both days are restricted
//! either is enough. Times are those of the clock on the wall: an hour that a
//! zone skips is made up for right after it.

use std::fmt;
use std::str::FromStr;

use jiff::civil::{Date, DateTime, Time as WallTime};
use jiff::{Span, Zoned};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::error::{Error, Result};

/// A schedule looks so far ahead: a 29 February may be eight years away.
const DAYS_AHEAD: i32 = 366 * 9;

const MONTHS: [&str; 12] = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
];
const WEEKDAYS: [&str; 7] = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

/// What stands for five fields.
const NAMED: [(&str, &str); 5] = [
    ("@hourly", "0 * * * *"),
    ("@daily", "0 0 * * *"),
    ("@weekly", "0 0 * * 0"),
    ("@monthly", "0 0 1 * *"),
    ("@yearly", "0 0 1 1 *"),
];

/// When something is to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// As it was written.
    text: String,
    minutes: u64,
    hours: u64,
    days: u64,
    months: u64,
    weekdays: u64,
    /// Whether any day of the month, or of the week, will do.
    any_day: bool,
    any_weekday: bool,
}

impl Schedule {
    /// The first moment after this one, in its zone; none if there never is one.
    pub fn next_after(&self, moment: &Zoned) -> Option<Zoned> {
        let zone = moment.time_zone();
        // A minute that has begun is over.
        let first = moment.datetime();
        let mut date = first.date();
        for _ in 0..DAYS_AHEAD {
            if self.has_day(date) {
                for at in self.times_of(date) {
                    let found = zone.to_zoned(at).ok()?;
                    if found > *moment && at >= first.with().second(0).build().ok()? {
                        return Some(found);
                    }
                }
            }
            date = date.checked_add(Span::new().days(1)).ok()?;
        }
        None
    }

    fn has_day(&self, date: Date) -> bool {
        let day = self.days & bit(u32::from(date.day().unsigned_abs())) != 0;
        let weekday = date.weekday().to_sunday_zero_offset().unsigned_abs();
        let weekday = self.weekdays & bit(u32::from(weekday)) != 0;
        let month = self.months & bit(u32::from(date.month().unsigned_abs())) != 0;
        month
            && match (self.any_day, self.any_weekday) {
                (false, false) => day || weekday,
                _ => day && weekday,
            }
    }

    fn times_of(&self, date: Date) -> impl Iterator<Item = DateTime> {
        let minutes = (0..24 * 60_u32).filter(|minute| {
            self.hours & bit(minute / 60) != 0 && self.minutes & bit(minute % 60) != 0
        });
        minutes.filter_map(move |minute| {
            let part = |number: u32| i8::try_from(number).ok();
            let time = WallTime::new(part(minute / 60)?, part(minute % 60)?, 0, 0).ok()?;
            Some(date.to_datetime(time))
        })
    }
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl FromStr for Schedule {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let refused = || {
            Error::rule(
                "schedule",
                "five fields as in cron (minute, hour, day, month, weekday), or @daily and the like",
                text,
            )
        };
        let named = NAMED.iter().find(|(name, _)| *name == text.trim());
        let written = named.map_or(text, |(_, fields)| fields);
        let fields: Vec<&str> = written.split_whitespace().collect();
        let [minutes, hours, days, months, weekdays] = fields[..] else {
            return Err(refused());
        };
        let parse = |field: &str, least: u32, most: u32, names: &[&str]| {
            parse_field(field, least, most, names).ok_or_else(refused)
        };
        let weekday_bits = parse(weekdays, 0, 7, &WEEKDAYS)?;
        Ok(Self {
            text: text.trim().to_owned(),
            minutes: parse(minutes, 0, 59, &[])?,
            hours: parse(hours, 0, 23, &[])?,
            days: parse(days, 1, 31, &[])?,
            months: parse(months, 1, 12, &MONTHS)?,
            // Sunday has two numbers.
            weekdays: (weekday_bits | (weekday_bits >> 7)) & 0x7f,
            any_day: days.starts_with('*'),
            any_weekday: weekdays.starts_with('*'),
        })
    }
}

impl Serialize for Schedule {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Schedule {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

fn bit(place: u32) -> u64 {
    1_u64.checked_shl(place).unwrap_or(0)
}

/// The numbers of a field, a bit for each.
fn parse_field(field: &str, lowest: u32, highest: u32, words: &[&str]) -> Option<u64> {
    let number = |word: &str| {
        let by_name = words
            .iter()
            .position(|known| word.eq_ignore_ascii_case(known))
            .and_then(|place| u32::try_from(place).ok());
        let found = match by_name {
            Some(place) => place + lowest,
            None if word.bytes().all(|byte| byte.is_ascii_digit()) => word.parse().ok()?,
            None => return None,
        };
        (lowest..=highest).contains(&found).then_some(found)
    };
    let mut bits = 0;
    for part in field.split(',') {
        let (range, step) = match part.split_once('/') {
            Some((range, step)) => (range, Some(step.parse::<usize>().ok().filter(|n| *n > 0)?)),
            None => (part, None),
        };
        let (begin, end) = match range.split_once('-') {
            _ if range == "*" => (lowest, highest),
            Some((begin, end)) => (number(begin)?, number(end)?),
            // `5/10` is every tenth from 5 on.
            None if step.is_some() => (number(range)?, highest),
            None => (number(range)?, number(range)?),
        };
        if begin > end {
            return None;
        }
        for place in (begin..=end).step_by(step.unwrap_or(1)) {
            bits |= bit(place);
        }
    }
    Some(bits)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn next(schedule: &str, after: &str) -> String {
        let schedule: Schedule = schedule.parse().unwrap();
        let after: Zoned = after.parse().unwrap();
        match schedule.next_after(&after) {
            Some(next) => next.to_string(),
            None => "never".into(),
        }
    }

    #[test]
    fn the_next_time_is_the_first_that_fits_all_fields() {
        let utc = |text: &str| format!("{text}+00:00[UTC]");
        for (schedule, after, expected) in [
            ("0 4 * * *", "2026-01-11T03:59:59", "2026-01-11T04:00:00"),
            ("0 4 * * *", "2026-01-11T04:00:00", "2026-01-12T04:00:00"),
            ("*/15 * * * *", "2026-01-11T10:07:00", "2026-01-11T10:15:00"),
            ("5/20 * * * *", "2026-01-11T10:46:00", "2026-01-11T11:05:00"),
            ("0 2 * * 0", "2026-01-11T03:00:00", "2026-01-18T02:00:00"),
            ("0 2 * * 7", "2026-01-11T03:00:00", "2026-01-18T02:00:00"),
            ("0 0 1 jan *", "2026-01-11T00:00:00", "2027-01-01T00:00:00"),
            (
                "30 1-3,22 * * MON-fri",
                "2026-01-09T22:30:00",
                "2026-01-12T01:30:00",
            ),
            ("0 0 29 2 *", "2026-03-01T00:00:00", "2028-02-29T00:00:00"),
            // Either day is enough if both are restricted.
            ("0 0 13 * 5", "2026-01-10T00:00:00", "2026-01-13T00:00:00"),
            ("0 0 13 * 5", "2026-01-13T00:00:00", "2026-01-16T00:00:00"),
            ("@weekly", "2026-01-11T00:00:00", "2026-01-18T00:00:00"),
        ] {
            assert_eq!(
                next(schedule, &utc(after)),
                utc(expected),
                "{schedule} after {after}"
            );
        }
        assert_eq!(next("0 0 31 2 *", &utc("2026-01-01T00:00:00")), "never");
    }

    #[test]
    fn what_a_zone_skips_is_made_up_for_and_what_it_repeats_happens_once() {
        let zone = "[Europe/Berlin]";
        let skipped = next("30 2 * * *", &format!("2026-03-29T00:00:00+01:00{zone}"));
        assert_eq!(skipped, format!("2026-03-29T03:30:00+02:00{zone}"));
        let first = next("30 2 * * *", &format!("2026-10-25T00:00:00+02:00{zone}"));
        assert_eq!(first, format!("2026-10-25T02:30:00+02:00{zone}"));
        assert_eq!(
            next("30 2 * * *", &first),
            format!("2026-10-26T02:30:00+01:00{zone}")
        );
    }

    #[test]
    fn what_is_no_schedule_is_refused() {
        for text in [
            "",
            "* * * *",
            "* * * * * *",
            "60 * * * *",
            "* 24 * * *",
            "* * 0 * *",
            "* * 32 * *",
            "* * * 13 *",
            "* * * * 8",
            "5-1 * * * *",
            "*/0 * * * *",
            "a * * * *",
            "-1 * * * *",
            "1,,2 * * * *",
            "@sometimes",
            "* * * foo *",
            "1-2-3 * * * *",
            "+5 * * * *",
        ] {
            let error = text.parse::<Schedule>().unwrap_err();
            assert_eq!(error.code().to_string(), "E_SCHEMA_INVALID", "{text}");
        }
    }
}
