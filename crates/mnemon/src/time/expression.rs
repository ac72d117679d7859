//! The times that people type in filters: `2026-01-10`, `2 weeks`, `yesterday`.
//!
//! Days and longer are counted on the calendar of a zone, so a day is 23 or 25
//! hours long when the clocks change; hours and shorter are exact.
//!
//! Start at [`parse_expression`]; [`Moment`] says how filters use the answer.

use jiff::civil::{Date, Weekday};
use jiff::tz::TimeZone;
use jiff::{Span, ToSpan, Zoned};

use super::Time;
use super::rfc3339::{OUT_OF_RANGE, Problem, Scanner, date_time};
use crate::error::{Error, Result};

/// What an expression names: the half-open span `[start, end)`, or an instant
/// when both are the same.
///
/// `since X` keeps what is not before `start`. `until X` keeps what is before
/// the end of a span, or not after an instant: `until yesterday` includes
/// yesterday, and `until 2026-01-10T14:30:00Z` includes that very moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// The first moment of it.
    pub start: Time,
    /// The first moment after it.
    pub end: Time,
}

impl Moment {
    /// For `since`: the smallest [`Time::micros`] that is included.
    pub fn since_micros(self) -> i64 {
        self.start.micros()
    }

    /// For `until`: the largest [`Time::micros`] that is included.
    pub fn until_micros(self) -> i64 {
        if self.start == self.end {
            self.end.micros()
        } else {
            self.end.micros() - 1
        }
    }

    fn instant(time: Time) -> Moment {
        Moment {
            start: time,
            end: time,
        }
    }
}

const ACCEPTED: &str = "write a time (2026-01-10T14:23:45Z, 2026-01-10 14:30), a date (2026-01-10, \
     2026-01, 2026), how long ago (30m, 24h, 7d, 2 weeks, last month), or now, today, yesterday, \
     tomorrow, monday to sunday, this week, this month, this year";

const UNKNOWN: Problem = "nobody can tell when that is";
const TOO_FAR: Problem = "that is too long ago";

/// Reads a time as people type it; case and extra white space do not matter.
///
/// - RFC 3339, which keeps its own offset;
/// - `2026-01-10 14:30` or `2026-01-10T14:30:15` in `zone`: where the clocks
///   skip it, as much later; where it comes twice, the first;
/// - a day `2026-01-10`, a month `2026-01`, a year `2026` in `zone`;
/// - so long before now: `30m`, `24h`, `7d`, `3mo`, `1y`, `2 weeks`,
///   `24 hours ago`, `last week`, `last 3 days`: an instant;
/// - `now`; the days `today`, `yesterday`, `tomorrow`; `monday` to `sunday`,
///   the last such day, which can be today; `this week` (from Monday),
///   `this month`, `this year`, each as a whole.
pub fn parse_expression(text: &str, now: Time, zone: &TimeZone) -> Result<Moment> {
    let lower = text.to_lowercase();
    let words: Vec<&str> = lower.split_whitespace().collect();
    let now = now.timestamp().to_zoned(zone.clone());
    read(&words, &now)
        .map_err(|problem| Error::unparsable("a time", text, format_args!("{problem}; {ACCEPTED}")))
}

/// The moment until which something holds: so long from now (`30d`, `2 weeks`), or a date or time
/// as [`parse_expression`] reads it.
pub fn parse_ahead(text: &str, now: Time, zone: &TimeZone) -> Result<Time> {
    let moment = parse_expression(text, now, zone)?.start;
    let is_length =
        starts_with_digit(text.trim()) && !text.split_whitespace().next().is_some_and(is_calendar);
    if !is_length {
        return Ok(moment);
    }
    let length = now.micros().saturating_sub(moment.micros());
    Time::from_micros(now.micros().saturating_add(length))
}

fn read(words: &[&str], now: &Zoned) -> Result<Moment, Problem> {
    let today = now.date();
    match *words {
        [] => Err("it is empty"),
        ["now"] => instant_at(now),
        ["today"] => span(today, 1.day(), now),
        ["yesterday"] => span(days_before(today, 1)?, 1.day(), now),
        ["tomorrow"] => span(today.tomorrow().map_err(|_| OUT_OF_RANGE)?, 1.day(), now),
        ["this", "week"] => {
            let since_monday = today.weekday().since(Weekday::Monday);
            span(days_before(today, since_monday)?, 1.week(), now)
        }
        ["this", "month"] => span(today.first_of_month(), 1.month(), now),
        ["this", "year"] => span(today.first_of_year(), 1.year(), now),
        ["last", unit] if !starts_with_digit(unit) => ago("1", unit, now),
        ["last", ref length @ ..] | [ref length @ .., "ago"] => length_ago(length, now),
        [date, ..] if is_calendar(date) => calendar(&words.join(" "), now),
        [name] if !starts_with_digit(name) => {
            let weekday = weekday(name).ok_or(UNKNOWN)?;
            span(
                days_before(today, today.weekday().since(weekday))?,
                1.day(),
                now,
            )
        }
        _ => length_ago(words, now),
    }
}

/// `2026` or `2026-…`, but not `2026d`.
fn is_calendar(word: &str) -> bool {
    let digits = word.bytes().take_while(u8::is_ascii_digit).count();
    digits == 4 && matches!(word.as_bytes().get(4), None | Some(b'-'))
}

fn starts_with_digit(word: &str) -> bool {
    word.starts_with(|first: char| first.is_ascii_digit())
}

fn calendar(text: &str, now: &Zoned) -> Result<Moment, Problem> {
    if let Ok(time) = text.parse() {
        return Ok(Moment::instant(time));
    }
    match text.len() {
        4 => span(date(&format!("{text}-01-01"))?, 1.year(), now),
        7 => span(date(&format!("{text}-01"))?, 1.month(), now),
        10 => span(date(text)?, 1.day(), now),
        _ => {
            let mut scanner = Scanner::new(text);
            let date = scanner.date()?;
            scanner.separator()?;
            let clock = scanner.clock()?;
            // First, because a time that does not exist may be written in full, offset included.
            let local = date_time(date, &clock)?;
            scanner.end()?;
            instant_at(
                &local
                    .to_zoned(now.time_zone().clone())
                    .map_err(|_| OUT_OF_RANGE)?,
            )
        }
    }
}

fn date(text: &str) -> Result<Date, Problem> {
    let mut scanner = Scanner::new(text);
    let date = scanner.date()?;
    scanner.end()?;
    Ok(date)
}

/// `2weeks` or `2 weeks`.
fn length_ago(words: &[&str], now: &Zoned) -> Result<Moment, Problem> {
    match *words {
        [word] => {
            let digits = word.bytes().take_while(u8::is_ascii_digit).count();
            let (count, unit) = word.split_at(digits);
            ago(count, unit, now)
        }
        [count, unit] => ago(count, unit, now),
        _ => Err(UNKNOWN),
    }
}

fn ago(count: &str, unit: &str, now: &Zoned) -> Result<Moment, Problem> {
    if count.is_empty() || !count.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(UNKNOWN);
    }
    let count: i64 = count.parse().map_err(|_| TOO_FAR)?;
    let span = Span::new();
    let span = match unit {
        "s" | "sec" | "secs" | "second" | "seconds" => span.try_seconds(count),
        "m" | "min" | "mins" | "minute" | "minutes" => span.try_minutes(count),
        "h" | "hr" | "hrs" | "hour" | "hours" => span.try_hours(count),
        "d" | "day" | "days" => span.try_days(count),
        "w" | "wk" | "wks" | "week" | "weeks" => span.try_weeks(count),
        "mo" | "month" | "months" => span.try_months(count),
        "y" | "yr" | "yrs" | "year" | "years" => span.try_years(count),
        "" => return Err("the number needs a unit, such as d for days"),
        _ => return Err(UNKNOWN),
    };
    let then = span
        .and_then(|span| now.checked_sub(span))
        .map_err(|_| TOO_FAR)?;
    Time::from_zoned(&then).map(Moment::instant).ok_or(TOO_FAR)
}

fn weekday(name: &str) -> Option<Weekday> {
    Some(match name {
        "monday" => Weekday::Monday,
        "tuesday" => Weekday::Tuesday,
        "wednesday" => Weekday::Wednesday,
        "thursday" => Weekday::Thursday,
        "friday" => Weekday::Friday,
        "saturday" => Weekday::Saturday,
        "sunday" => Weekday::Sunday,
        _ => return None,
    })
}

fn days_before(date: Date, days: i8) -> Result<Date, Problem> {
    date.checked_sub(days.days()).map_err(|_| OUT_OF_RANGE)
}

fn instant_at(zoned: &Zoned) -> Result<Moment, Problem> {
    Time::from_zoned(zoned)
        .map(Moment::instant)
        .ok_or(OUT_OF_RANGE)
}

/// From the start of `first` to the start of the day that is `length` later.
fn span(first: Date, length: Span, now: &Zoned) -> Result<Moment, Problem> {
    let zone = now.time_zone();
    Ok(Moment {
        start: start_of_day(first, zone)?,
        // The year 9999 has no day after it.
        end: match first.checked_add(length) {
            Ok(after) => start_of_day(after, zone)?,
            Err(_) => Time::LAST,
        },
    })
}

/// Midnight, or the first moment after it where the clocks skip midnight.
fn start_of_day(date: Date, zone: &TimeZone) -> Result<Time, Problem> {
    match date
        .to_zoned(zone.clone())
        .and_then(|day| day.start_of_day())
    {
        Ok(start) => Time::from_zoned(&start).ok_or(OUT_OF_RANGE),
        // Zones know nothing of the last hours of the year 9999, and people
        // write 9999-12-31 for "never".
        Err(_) => Ok(Time::LAST),
    }
}

#[cfg(test)]
mod tests;
