//! How often each token may ask: a bucket that fills by the second.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// More than this are not told apart; nobody has so many tokens.
const BUCKETS_MAX: usize = 10_000;

/// The buckets of all tokens.
pub(crate) struct Rate {
    per_second: u32,
    buckets: Mutex<HashMap<String, Bucket>>,
}

struct Bucket {
    left: f64,
    at: Instant,
}

impl Rate {
    /// So many requests a second for each, and as many saved up; 0 is without bound.
    pub(crate) fn new(per_second: u32) -> Self {
        Self {
            per_second,
            buckets: Mutex::default(),
        }
    }

    /// Takes one of what this token has; how long to wait if nothing is left.
    pub(crate) fn take(&self, who: &str, now: Instant) -> Result<(), Duration> {
        if self.per_second == 0 {
            return Ok(());
        }
        let full = f64::from(self.per_second);
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() >= BUCKETS_MAX {
            // A full bucket is the same as none.
            buckets.retain(|_, bucket| bucket.filled(now, full) < full);
        }
        let bucket = buckets.entry(who.to_owned()).or_insert(Bucket {
            left: full,
            at: now,
        });
        bucket.left = bucket.filled(now, full);
        bucket.at = now;
        if bucket.left >= 1.0 {
            bucket.left -= 1.0;
            return Ok(());
        }
        Err(Duration::from_secs_f64((1.0 - bucket.left) / full))
    }
}

impl Bucket {
    fn filled(&self, now: Instant, full: f64) -> f64 {
        let passed = now.saturating_duration_since(self.at).as_secs_f64();
        (self.left + passed * full).min(full)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_has_its_own_and_it_comes_back_with_time() {
        let rate = Rate::new(2);
        let start = Instant::now();
        let at = |millis| start + Duration::from_millis(millis);
        assert_eq!(rate.take("a", at(0)), Ok(()));
        assert_eq!(rate.take("a", at(0)), Ok(()));
        let wait = rate.take("a", at(0)).unwrap_err();
        assert_eq!(wait, Duration::from_millis(500));
        assert_eq!(rate.take("b", at(0)), Ok(()));
        assert_eq!(rate.take("a", at(500)), Ok(()));
        assert!(rate.take("a", at(600)).is_err());
        // What is saved up is bounded.
        assert_eq!(rate.take("a", at(60_000)), Ok(()));
        assert_eq!(rate.take("a", at(60_000)), Ok(()));
        assert!(rate.take("a", at(60_000)).is_err());
        assert_eq!(Rate::new(0).take("a", start), Ok(()));
    }
}
