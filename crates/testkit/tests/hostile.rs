//! Bad input by the thousand: the seeds of the fuzz targets, cut, doubled and
//! with bytes changed at random, through the checks that fuzzing runs.

#![expect(
    clippy::unwrap_used,
    reason = "a helper that fails is a test that fails"
)]

use std::fs;
use std::path::Path;

use mnemon_testkit::hostile::{check_foreign, check_import, check_log, check_query};

/// How many changed copies of each seed are tried.
const COPIES: u64 = 300;

#[test]
fn no_bytes_can_break_the_reading_of_a_log() {
    for_each_copy("log", check_log);
}

#[test]
fn no_bytes_can_break_an_import() {
    for_each_copy("import", check_import);
}

#[test]
fn no_bytes_can_break_the_reading_of_what_other_programs_kept() {
    for_each_copy("foreign", check_foreign);
}

#[test]
fn no_bytes_can_break_the_reading_of_a_question() {
    for_each_copy("query", check_query);
}

fn for_each_copy(target: &str, check: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../fuzz/corpus")
        .join(target);
    let mut seeds = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let seed = fs::read(entry.unwrap().path()).unwrap();
        check(&seed);
        for number in 0..COPIES {
            check(&changed(&seed, number));
        }
        seeds += 1;
    }
    assert!(seeds >= 3, "{seeds} seeds for {target}");
}

/// A copy with a few changes, always the same for the same number.
fn changed(seed: &[u8], number: u64) -> Vec<u8> {
    let mut state = number.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut below = |limit: usize| {
        // Xorshift: plain, and good enough to choose places.
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % limit.max(1) as u64).unwrap()
    };
    let mut bytes = seed.to_vec();
    for _ in 0..=below(4) {
        let place = below(bytes.len());
        match below(5) {
            0 => bytes.truncate(place),
            1 => bytes.insert(place, [0, b'\n', b'"', b'{', 0xff][below(5)]),
            2 if !bytes.is_empty() => bytes[place] ^= 1 << below(8),
            3 => {
                let part = bytes[place..].to_vec();
                bytes.extend_from_slice(&part);
            }
            _ => drop(bytes.drain(place..(place + below(40)).min(bytes.len()))),
        }
    }
    bytes
}
