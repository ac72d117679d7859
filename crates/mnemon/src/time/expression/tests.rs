//! What people type for times, and what it means on a Saturday.

use super::*;

/// A Saturday.
const NOW: &str = "2026-01-10T13:23:45.123456Z";

fn time(text: &str) -> Time {
    text.parse().expect(text)
}

fn zone(name: &str) -> TimeZone {
    TimeZone::get(name).expect(name)
}

fn parse_at(now: &str, zone_name: &str, text: &str) -> Result<Moment> {
    parse_expression(text, time(now), &zone(zone_name))
}

/// The start and the end as text; of an instant, its time alone.
fn shown(now: &str, zone_name: &str, text: &str) -> String {
    let moment = parse_at(now, zone_name, text).expect(text);
    if moment.start == moment.end {
        moment.start.to_string()
    } else {
        format!("{} to {}", moment.start, moment.end)
    }
}

#[test]
fn every_accepted_form_names_its_moment() {
    for (text, expected) in [
        ("2026-01-09T10:00:00-05:00", "2026-01-09T10:00:00-05:00"),
        ("  2026-01-09   10:00:00.5z ", "2026-01-09T10:00:00.500Z"),
        ("2026-01-09 14:30", "2026-01-09T14:30:00+01:00"),
        ("2026-07-09t14:30:15", "2026-07-09T14:30:15+02:00"),
        ("1969-07-09T14:30:15.25", "1969-07-09T14:30:15.250+01:00"),
        (
            "2026-01-10",
            "2026-01-10T00:00:00+01:00 to 2026-01-11T00:00:00+01:00",
        ),
        (
            "2026-03",
            "2026-03-01T00:00:00+01:00 to 2026-04-01T00:00:00+02:00",
        ),
        (
            "2025",
            "2025-01-01T00:00:00+01:00 to 2026-01-01T00:00:00+01:00",
        ),
        ("now", "2026-01-10T14:23:45.123456+01:00"),
        ("0d", "2026-01-10T14:23:45.123456+01:00"),
        ("90s", "2026-01-10T14:22:15.123456+01:00"),
        ("30m", "2026-01-10T13:53:45.123456+01:00"),
        ("24h", "2026-01-09T14:23:45.123456+01:00"),
        ("7d", "2026-01-03T14:23:45.123456+01:00"),
        ("2w", "2025-12-27T14:23:45.123456+01:00"),
        ("3mo", "2025-10-10T14:23:45.123456+02:00"),
        ("1y", "2025-01-10T14:23:45.123456+01:00"),
        ("2 weeks", "2025-12-27T14:23:45.123456+01:00"),
        ("24 Hours  ago", "2026-01-09T14:23:45.123456+01:00"),
        ("24h ago", "2026-01-09T14:23:45.123456+01:00"),
        ("2026d", "2020-06-24T14:23:45.123456+02:00"),
        ("last hour", "2026-01-10T13:23:45.123456+01:00"),
        ("last day", "2026-01-09T14:23:45.123456+01:00"),
        ("LAST\tWeek", "2026-01-03T14:23:45.123456+01:00"),
        ("last month", "2025-12-10T14:23:45.123456+01:00"),
        ("last year", "2025-01-10T14:23:45.123456+01:00"),
        ("last 3 days", "2026-01-07T14:23:45.123456+01:00"),
        ("last 24h", "2026-01-09T14:23:45.123456+01:00"),
        (
            "today",
            "2026-01-10T00:00:00+01:00 to 2026-01-11T00:00:00+01:00",
        ),
        (
            "Yesterday",
            "2026-01-09T00:00:00+01:00 to 2026-01-10T00:00:00+01:00",
        ),
        (
            "tomorrow",
            "2026-01-11T00:00:00+01:00 to 2026-01-12T00:00:00+01:00",
        ),
        (
            "saturday",
            "2026-01-10T00:00:00+01:00 to 2026-01-11T00:00:00+01:00",
        ),
        (
            "friday",
            "2026-01-09T00:00:00+01:00 to 2026-01-10T00:00:00+01:00",
        ),
        (
            "sunday",
            "2026-01-04T00:00:00+01:00 to 2026-01-05T00:00:00+01:00",
        ),
        (
            "this week",
            "2026-01-05T00:00:00+01:00 to 2026-01-12T00:00:00+01:00",
        ),
        (
            "this month",
            "2026-01-01T00:00:00+01:00 to 2026-02-01T00:00:00+01:00",
        ),
        (
            "this year",
            "2026-01-01T00:00:00+01:00 to 2027-01-01T00:00:00+01:00",
        ),
    ] {
        assert_eq!(shown(NOW, "Europe/Berlin", text), expected, "{text}");
    }
}

#[test]
fn the_zone_decides_which_day_it_is() {
    let late = "2026-01-10T03:00:00Z";
    for (zone_name, expected) in [
        (
            "America/New_York",
            "2026-01-09T00:00:00-05:00 to 2026-01-10T00:00:00-05:00",
        ),
        (
            "Europe/Berlin",
            "2026-01-10T00:00:00+01:00 to 2026-01-11T00:00:00+01:00",
        ),
    ] {
        assert_eq!(shown(late, zone_name, "today"), expected);
    }
}

#[test]
fn a_day_is_as_long_as_the_clocks_make_it() {
    for (zone_name, day, hours) in [
        ("Europe/Berlin", "2026-03-28", 24),
        ("Europe/Berlin", "2026-03-29", 23),
        ("Europe/Berlin", "2026-10-25", 25),
        ("America/New_York", "2026-03-08", 23),
        ("America/New_York", "2026-11-01", 25),
    ] {
        let moment = parse_at(NOW, zone_name, day).expect(day);
        let length_us = moment.end.micros() - moment.start.micros();
        assert_eq!(length_us, hours * 3_600_000_000, "{zone_name} {day}");
    }
}

#[test]
fn days_follow_the_calendar_and_hours_are_exact_when_the_clocks_change() {
    let after_change = "2026-03-29T12:00:00+02:00";
    for (text, expected) in [
        ("1d", "2026-03-28T12:00:00+01:00"),
        ("24h", "2026-03-28T11:00:00+01:00"),
        (
            "yesterday",
            "2026-03-28T00:00:00+01:00 to 2026-03-29T00:00:00+01:00",
        ),
        (
            "today",
            "2026-03-29T00:00:00+01:00 to 2026-03-30T00:00:00+02:00",
        ),
        // Skipped, and there twice.
        ("2026-03-29 02:30", "2026-03-29T03:30:00+02:00"),
        ("2026-10-25 02:30", "2026-10-25T02:30:00+02:00"),
    ] {
        assert_eq!(
            shown(after_change, "Europe/Berlin", text),
            expected,
            "{text}"
        );
    }
}

#[test]
fn a_month_ago_ends_with_the_shorter_month() {
    assert_eq!(
        shown("2026-03-31T12:00:00Z", "UTC", "1mo"),
        "2026-02-28T12:00:00Z"
    );
    assert_eq!(
        shown("2024-02-29T12:00:00Z", "UTC", "1y"),
        "2023-02-28T12:00:00Z"
    );
}

#[test]
fn a_day_without_midnight_starts_when_it_starts() {
    assert_eq!(
        shown(NOW, "America/Sao_Paulo", "2018-11-04"),
        "2018-11-04T01:00:00-02:00 to 2018-11-05T00:00:00-02:00"
    );
}

#[test]
fn an_old_offset_with_seconds_is_rounded_within_the_day() {
    let moment = parse_at(NOW, "Europe/Berlin", "1890-01-01").expect("a day");
    assert_eq!(moment.start.to_string(), "1890-01-01T00:00:32+00:54");
}

#[test]
fn the_edges_of_the_calendar_are_days_too() {
    for zone_name in ["Europe/Berlin", "America/New_York"] {
        let first = parse_at(NOW, zone_name, "0000-01-01").expect(zone_name);
        assert!(first.start.to_string().starts_with("0000-01-01T00:00:"));
    }
    for (text, expected) in [
        ("0000", "0000-01-01T00:00:00Z to 0001-01-01T00:00:00Z"),
        ("0000-01-01", "0000-01-01T00:00:00Z to 0000-01-02T00:00:00Z"),
        (
            "9999-12",
            "9999-12-01T00:00:00Z to 9999-12-31T23:59:59.999999999Z",
        ),
        (
            "9999-12-30",
            "9999-12-30T00:00:00Z to 9999-12-31T23:59:59.999999999Z",
        ),
        ("9999-12-31", "9999-12-31T23:59:59.999999999Z"),
    ] {
        assert_eq!(shown(NOW, "UTC", text), expected, "{text}");
    }
    assert_eq!(
        shown("9999-12-31T23:59:59Z", "UTC", "1h"),
        "9999-12-30T21:00:00.999999999Z",
    );
}

#[test]
fn bounds_include_the_whole_span_and_the_very_instant() {
    for (text, since, until) in [
        (
            "2026-01-10",
            "2026-01-10T00:00:00Z",
            "2026-01-10T23:59:59.999999Z",
        ),
        (
            "2026-01-10T10:00:00.000000999Z",
            "2026-01-10T10:00:00Z",
            "2026-01-10T10:00:00Z",
        ),
    ] {
        let moment = parse_at(NOW, "UTC", text).expect(text);
        assert_eq!(moment.since_micros(), time(since).micros(), "{text}");
        assert_eq!(moment.until_micros(), time(until).micros(), "{text}");
    }
}

#[test]
fn what_names_no_time_is_refused_with_the_forms_that_do() {
    const REFUSED: &str = "|   |soon|ago|last|this|this hour|week|last week ago|last monday|monday 2026|mon|\
         now now|-3d|+3d|- 3d|-7 days|1.5h|h|24|24 h ours|2 0 weeks|3 fortnights|20260110|\
         ٣d|99999999999d|9999999999999999999999s|3000y|10000y|2026-1-1|2026-13|2026-02-30|\
         2026-01-|2026-|-2026|10000-01-01|2026-01-10 25:00|2026-01-10 14|\
         2026-01-10 14:30:60|2026-01-10T14:30Z|2026-01-10 ago|last 2026-01-10|\
         2026-02-30T10:00:00Z|2026-01-10T14:30:00+01:00[Europe/Berlin]|2026é";
    for text in REFUSED.split('|') {
        match parse_at(NOW, "Europe/Berlin", text) {
            Err(Error::Unparsable {
                what: "a time",
                problem,
                ..
            }) => {
                assert!(problem.contains("24h, 7d, 2 weeks"), "{text}: {problem}");
            }
            other => panic!("{text}: {other:?}"),
        }
    }
}

#[test]
fn a_refusal_says_what_is_wrong_first() {
    for (text, problem) in [
        ("2026-02-30", "there is no such day; write"),
        (
            "2026-01-01T25:00:00Z",
            "there is no such time of day; write",
        ),
        ("24", "the number needs a unit, such as d for days; write"),
        ("99999999999d", "that is too long ago; write"),
        (" ", "it is empty; write"),
    ] {
        let error = parse_at(NOW, "UTC", text).expect_err(text).to_string();
        assert!(error.contains(problem), "{error}");
    }
}

#[test]
fn garbage_is_refused_and_never_panics() {
    let pieces: Vec<&str> = "2026|9999|0000|-|-|:|01|12|31|60|99|T|Z|+|.| | |d|mo|y|h|s|w|last|\
         this|ago|monday|week|year|now|é|İ|\u{0}|[|99999999999|0"
        .split('|')
        .collect();
    let now = time(NOW);
    let zone = zone("Europe/Berlin");
    let mut state = 1_u64;
    for _ in 0..50_000 {
        let mut text = String::new();
        let mut more = true;
        while more {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let random = usize::try_from(state >> 33).expect("31 bits");
            text.push_str(pieces[random % pieces.len()]);
            more = !(random / pieces.len()).is_multiple_of(8);
        }
        if let Ok(moment) = parse_expression(&text, now, &zone) {
            assert!(moment.start <= moment.end, "{text}");
            assert_eq!(time(&moment.start.to_string()), moment.start, "{text}");
        }
        if let Ok(exact) = text.parse::<Time>() {
            assert_eq!(time(&exact.to_string()), exact, "{text}");
        }
    }
}
