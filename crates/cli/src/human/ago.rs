//! Times as people say them: `3 h ago`.

use mnemon::Time;

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

/// How long ago, or how far ahead, in one unit; the date when that says more.
pub(crate) fn ago(then: Time, now: Time) -> String {
    let seconds = (now.micros() - then.micros()) / 1_000_000;
    let (distance, unit) = match seconds.abs() {
        0..MINUTE => return "now".into(),
        s @ MINUTE..HOUR => (s / MINUTE, "min"),
        s @ HOUR..DAY => (s / HOUR, "h"),
        s if s < 60 * DAY => (s / DAY, "d"),
        _ => return date(then),
    };
    if seconds < 0 {
        format!("in {distance} {unit}")
    } else {
        format!("{distance} {unit} ago")
    }
}

/// How many days are left, the one that has begun included.
pub(crate) fn days_left(until: Time, now: Time) -> String {
    let seconds = (until.micros() - now.micros()).div_euclid(1_000_000);
    if seconds < 0 {
        // Past its time it can be brought back as long as nobody has cleared up.
        return "until purged".into();
    }
    format!("for {} d", seconds / DAY + 1)
}

/// The day as it was written.
fn date(time: Time) -> String {
    time.to_string().chars().take(10).collect()
}

/// `2026-01-10 14:23:45 +02:00 (3 h ago)`; nothing behind it if that would be the day once more.
pub(crate) fn exact(then: Time, now: Time) -> String {
    let text = then.to_string();
    let (day, rest) = text.split_at(10);
    let clock: String = rest.chars().skip(1).take(8).collect();
    let zone = match then.offset_minutes() {
        0 => "UTC",
        _ => &text[text.len() - 6..],
    };
    let ago = ago(then, now);
    if ago == day {
        return format!("{day} {clock} {zone}");
    }
    format!("{day} {clock} {zone} ({ago})")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_have_one_unit() {
        let now: Time = "2026-01-10T12:00:00Z".parse().unwrap();
        for (then, shown) in [
            ("2026-01-10T11:59:55Z", "now"),
            ("2026-01-10T11:58:00Z", "2 min ago"),
            ("2026-01-10T09:00:00Z", "3 h ago"),
            ("2026-01-07T09:00:00Z", "3 d ago"),
            ("2025-06-01T00:00:00Z", "2025-06-01"),
            ("2026-01-10T14:30:00Z", "in 2 h"),
            ("9999-12-31T23:59:59Z", "9999-12-31"),
        ] {
            assert_eq!(ago(then.parse().unwrap(), now), shown);
        }
        for (until, shown) in [
            ("2026-04-10T11:59:59Z", "for 90 d"),
            ("2026-01-10T12:00:00Z", "for 1 d"),
            ("2026-01-10T11:00:00Z", "until purged"),
        ] {
            assert_eq!(days_left(until.parse().unwrap(), now), shown);
        }
        let then = "2026-01-10T11:00:00.5+02:00".parse().unwrap();
        assert_eq!(exact(then, now), "2026-01-10 11:00:00 +02:00 (2 h ago)");
        let then = "2023-01-10T11:00:00Z".parse().unwrap();
        assert_eq!(exact(then, now), "2023-01-10 11:00:00 UTC");
    }
}
