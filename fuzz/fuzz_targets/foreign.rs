//! Any bytes as a file of another program.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| mnemon_testkit::hostile::check_foreign(bytes));
