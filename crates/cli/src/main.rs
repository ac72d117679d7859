//! The command line of mnemon.

fn main() {}
