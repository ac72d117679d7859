//! Runs of turns: which of them one summary stands for.
//!
//! A day is a run, unless it has few turns (then the next day joins it) or very
//! many (then it is cut).

use super::Item;
use crate::time::DAY_MICROS;

/// A day with fewer turns than this is joined with the next.
const TURNS_MIN: usize = 12;

/// More turns are more than one summary can stand for.
const TURNS_MAX: usize = 100;

/// Days that lie further apart have little in common.
const DAYS_MAX: i64 = 7;

/// The runs of these turns, the oldest first.
pub(super) fn runs(mut turns: Vec<&Item>) -> Vec<Vec<&Item>> {
    turns.sort_by(|a, b| {
        let moments = |it: &Item| {
            (
                it.memory.created_at.micros(),
                it.memory.recorded_at.micros(),
            )
        };
        let by_time = moments(a).cmp(&moments(b));
        by_time.then_with(|| a.memory.handle.cmp(&b.memory.handle))
    });
    let mut runs: Vec<Vec<&Item>> = Vec::new();
    for turn in turns {
        match runs.last_mut() {
            Some(run) if joins(run, turn) => run.push(turn),
            _ => runs.push(vec![turn]),
        }
    }
    runs
}

fn joins(run: &[&Item], turn: &Item) -> bool {
    let (Some(first), Some(last)) = (run.first(), run.last()) else {
        return true;
    };
    let (begin, before, own) = (day(first), day(last), day(turn));
    run.len() < TURNS_MAX && (own == before || run.len() < TURNS_MIN) && own - begin < DAYS_MAX
}

/// The day of a turn where it was said, counted from 1970.
fn day(item: &Item) -> i64 {
    let at = item.memory.created_at;
    let local = at.micros() + i64::from(at.offset_minutes()) * 60_000_000;
    local.div_euclid(DAY_MICROS)
}

#[cfg(test)]
mod tests {
    use super::super::golden::{item, turn};
    use super::*;

    /// The lengths of the runs of turns that were said so many hours ago.
    fn lengths(hours: impl IntoIterator<Item = i64>) -> Vec<usize> {
        let items: Vec<Item> = (1..)
            .zip(hours)
            .map(|(number, hours)| item(turn(number, hours, "said")))
            .collect();
        runs(items.iter().collect()).iter().map(Vec::len).collect()
    }

    #[test]
    fn a_day_is_a_run_unless_it_has_few_turns_or_very_many() {
        // The moment of the examples is noon.
        assert_eq!(lengths(vec![240; 20]), [20]);
        assert_eq!(lengths(vec![240; 250]), [100, 100, 50]);
        assert_eq!(lengths([vec![240; 20], vec![216; 20]].concat()), [20, 20]);
        assert_eq!(lengths([vec![240; 5], vec![216; 5]].concat()), [10]);
        assert_eq!(lengths([vec![240; 5], vec![216; 20]].concat()), [25]);
        assert_eq!(lengths([480, 240]), [1, 1]);
        assert_eq!(lengths([]), Vec::<usize>::new());
    }
}
