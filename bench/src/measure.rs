//! Times, and the one number that stands for many.

use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};

use crate::Result;

/// How long one call takes.
pub(crate) fn time<T>(call: impl FnOnce() -> Result<T>) -> Result<(Duration, T)> {
    let begin = Instant::now();
    let answer = call()?;
    Ok((begin.elapsed(), answer))
}

/// How long the processor of this thread, or of the whole process, worked so far.
pub(crate) fn processor_time(clock: ClockId) -> Duration {
    let time = clock_gettime(clock);
    let nanos = u32::try_from(time.tv_nsec).unwrap_or(0);
    Duration::new(time.tv_sec.unsigned_abs(), nanos)
}

/// The value that so many percent of the others don't exceed.
pub(crate) fn percentile(values: &mut [f64], percent: usize) -> f64 {
    values.sort_by(f64::total_cmp);
    let place = (values.len() * percent).div_ceil(100).max(1) - 1;
    values.get(place).copied().unwrap_or(f64::NAN)
}

/// The value in the middle.
pub(crate) fn median(values: &mut [f64]) -> f64 {
    percentile(values, 50)
}

pub(crate) fn micros(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e6
}

pub(crate) fn millis(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}

/// How many a second.
pub(crate) fn rate(count: usize, duration: Duration) -> f64 {
    float(count as u64) / duration.as_secs_f64()
}

/// Counts here are far below the 53 bits that a float keeps.
#[expect(
    clippy::cast_precision_loss,
    reason = "counts and sizes fit in 53 bits"
)]
pub(crate) fn float(number: u64) -> f64 {
    number as f64
}
