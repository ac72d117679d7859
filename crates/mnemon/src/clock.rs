//! Where "now" comes from: the system, or a test.
//!
//! Nothing else asks the system for the time, so every test decides when it
//! takes place. A clock can go backwards; who needs order must see to it.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use jiff::Timestamp;

use crate::time::Time;

/// Where "now" comes from: the system, or a test.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> Timestamp + Send + Sync>);

impl Clock {
    /// The time of the machine.
    pub fn system() -> Clock {
        Clock::new(Timestamp::now)
    }

    /// Always the same moment.
    pub fn fixed_at(time: Time) -> Clock {
        let timestamp = time.timestamp();
        Clock::new(move || timestamp)
    }

    /// Whatever `now` says.
    pub fn new(now: impl Fn() -> Timestamp + Send + Sync + 'static) -> Clock {
        Clock(Arc::new(now))
    }

    /// Now, in UTC and in whole microseconds; the year 0000 at the earliest.
    // Microseconds, because the index keeps no more: a memory then has the
    // same time in the log and in the index.
    pub fn now(&self) -> Time {
        Time::nearest_to_micros(self.timestamp_micros())
    }

    /// Now, in microseconds since 1970.
    pub fn now_micros(&self) -> i64 {
        self.now().micros()
    }

    fn timestamp_micros(&self) -> i64 {
        // Not `as_microsecond`, which rounds towards 1970 and not down.
        let micros = (self.0)().as_nanosecond().div_euclid(1_000);
        i64::try_from(micros).expect("the microseconds of ±10,000 years fit into 64 bits")
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Clock")
            .field(&format_args!("{}", self.now()))
            .finish()
    }
}

/// A clock that stands still until a test moves it; its clones move with it.
#[derive(Clone, Debug)]
pub struct ManualClock(Arc<Mutex<Timestamp>>);

impl ManualClock {
    /// Stands at `time`.
    pub fn new(time: Time) -> ManualClock {
        ManualClock(Arc::new(Mutex::new(time.timestamp())))
    }

    /// Moves to `time`, which may be earlier.
    pub fn set(&self, time: Time) {
        self.change(|now| *now = time.timestamp());
    }

    /// Moves on by `duration`, and stays at the last moment that there is.
    pub fn advance(&self, duration: Duration) {
        self.change(|now| *now = now.saturating_add(duration).unwrap_or(Timestamp::MAX));
    }

    /// A clock that shows what this one is set to, now and later.
    pub fn clock(&self) -> Clock {
        let manual = self.clone();
        Clock::new(move || manual.change(|now| *now))
    }

    fn change<T>(&self, change: impl FnOnce(&mut Timestamp) -> T) -> T {
        // A moment can't be half changed, so a test that panicked elsewhere does no harm.
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(text: &str) -> Time {
        text.parse().expect(text)
    }

    #[test]
    fn now_is_utc_in_whole_microseconds_rounded_down() {
        for (at, now) in [
            (
                "2026-01-10T14:23:45.123456789+02:00",
                "2026-01-10T12:23:45.123456Z",
            ),
            (
                "1969-12-31T23:59:59.9999991Z",
                "1969-12-31T23:59:59.999999Z",
            ),
        ] {
            let clock = Clock::fixed_at(time(at));
            assert_eq!(clock.now(), time(now));
            assert_eq!(clock.now_micros(), time(now).micros());
        }
    }

    #[test]
    fn a_clock_before_the_year_0000_shows_the_year_0000() {
        let clock = Clock::new(|| Timestamp::MIN);
        assert_eq!(clock.now(), time("0000-01-01T00:00:00Z"));
    }

    #[test]
    fn the_system_clock_is_after_this_was_written() {
        assert!(Clock::system().now() > time("2026-01-01T00:00:00Z"));
    }

    #[test]
    fn a_manual_clock_moves_every_clock_made_from_it() {
        let manual = ManualClock::new(time("2026-01-10T12:00:00Z"));
        let clock = manual.clock();
        let copy = clock.clone();
        manual.advance(Duration::from_millis(1_500));
        assert_eq!(clock.now(), time("2026-01-10T12:00:01.500Z"));
        manual.set(time("2025-01-01T00:00:00Z"));
        assert_eq!(copy.now(), time("2025-01-01T00:00:00Z"));
        manual.advance(Duration::MAX);
        assert_eq!(clock.now(), time("9999-12-30T22:00:00.999999Z"));
    }

    #[test]
    fn a_clock_shows_its_time_when_debugged() {
        let clock = Clock::fixed_at(time("2026-01-10T12:00:00Z"));
        assert_eq!(format!("{clock:?}"), "Clock(2026-01-10T12:00:00Z)");
    }
}
