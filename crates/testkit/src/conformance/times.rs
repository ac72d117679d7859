//! Times: recorded ones grow, created ones are the caller's.

use super::Open;
use super::stage::{NOW, add, batch, done, everything, fact, get, revise, reword, selected, time};

/// By a microsecond at least, in each space for itself, across openings.
pub fn recorded_times_grow_even_if_the_clock_goes_back(open: Open) {
    let nows = [
        ("2026-01-10T12:00:00Z", "2026-01-10T12:00:00Z"),
        ("2026-01-10T12:00:00Z", "2026-01-10T12:00:00.000001Z"),
        ("2020-01-01T00:00:00Z", "2026-01-10T12:00:00.000002Z"),
        ("2026-01-10T14:00:01+02:00", "2026-01-10T12:00:01Z"),
        ("1960-01-01T00:00:00Z", "2026-01-10T12:00:01.000001Z"),
    ];
    for (n, (now, recorded)) in nows.into_iter().enumerate() {
        let store = open();
        let name = format!("m{n}");
        let mut batch = batch("shared", vec![add(&name, fact("x"))]);
        batch.now = time(now);
        store.commit(batch).expect("the store keeps it");
        let kept = get(&*store, &name);
        assert_eq!(kept.recorded_at, time(recorded));
        assert_eq!(kept.created_at, time(recorded));
        assert_eq!(kept.updated_at, time(recorded));
    }
    let store = open();
    let mut early = batch("agent/x", vec![add("early", fact("x"))]);
    early.now = time("1960-01-01T00:00:00Z");
    store.commit(early).expect("the store keeps it");
    let kept = get(&*store, "early");
    assert_eq!(kept.recorded_at, time("1960-01-01T00:00:00Z"));
}

/// Of several that are kept together each gets a time of its own, in their order, unless it says one.
pub fn what_is_kept_together_stays_in_its_order(open: Open) {
    let store = open();
    let mut old = fact("x");
    old.created_at = Some(time("2020-01-01T00:00:00Z"));
    let writes = vec![
        add("z", fact("x")),
        add("old", old),
        add("m", fact("x")),
        add("a", fact("x")),
    ];
    done(&*store, "shared", writes.clone());
    let times = [
        ("z", "2026-01-10T11:59:59.999998Z"),
        ("old", "2020-01-01T00:00:00Z"),
        ("m", "2026-01-10T11:59:59.999999Z"),
        ("a", NOW),
    ];
    for (name, created) in times {
        assert_eq!(get(&*store, name).created_at, time(created), "{name}");
        assert_eq!(get(&*store, name).recorded_at, time(NOW), "{name}");
    }
    assert_eq!(selected(&*store, &everything()).0, ["a", "m", "z", "old"]);
    // Also behind what was kept in the same moment, and told again it changes nothing.
    let told_again = writes
        .into_iter()
        .chain([add("f", fact("x")), add("b", fact("x"))]);
    let outcomes = done(&*store, "shared", told_again.collect());
    let changed: Vec<bool> = outcomes.iter().map(|outcome| outcome.changed).collect();
    assert_eq!(changed, [false, false, false, false, true, true]);
    assert_eq!(
        selected(&*store, &everything()).0,
        ["b", "f", "a", "m", "z", "old"]
    );
}

/// A revision does not touch them.
pub fn created_times_keep_their_zone_and_all_their_digits(open: Open) {
    let store = open();
    let times = [
        "2026-01-10T14:23:45.123456789+02:00",
        "2026-01-10T12:00:00Z",
        "2026-01-10T13:00:00+01:00",
        "1969-12-31T23:59:59.999999999-11:30",
        "0000-01-01T00:00:00+14:00",
        "9999-12-31T23:59:59.999999999-12:00",
    ];
    for (n, created) in times.into_iter().enumerate() {
        let name = format!("m{n}");
        let mut dated = fact("x");
        dated.created_at = Some(time(created));
        done(&*store, "shared", vec![add(&name, dated)]);
        assert_eq!(get(&*store, &name).created_at.to_string(), created);
        done(&*store, "shared", vec![revise(&name, None, reword("y"))]);
        let store = open();
        let kept = get(&*store, &name);
        assert_eq!(kept.created_at.to_string(), created);
        assert!(kept.updated_at > kept.recorded_at);
    }
}

/// Clocks differ; nothing is refused for it, and nothing else is recorded for it.
pub fn created_times_in_the_future_are_kept(open: Open) {
    let store = open();
    let mut tomorrow = fact("x");
    tomorrow.created_at = Some(time("2999-01-01T00:00:00Z"));
    done(
        &*store,
        "shared",
        vec![add("a", tomorrow), add("b", fact("y"))],
    );
    let kept = get(&*store, "a");
    assert_eq!(kept.recorded_at, time(NOW));
    assert!(kept.is_from_the_future(5));
    assert_eq!(get(&*store, "b").recorded_at, time(NOW));
    assert_eq!(selected(&*store, &everything()).0, ["a", "b"]);
}
