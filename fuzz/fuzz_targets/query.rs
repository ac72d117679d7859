//! Any bytes as a question: a request for recall, or a structured query.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| mnemon_testkit::hostile::check_query(bytes));
