//! How fast mnemon is, beside the limits of the machine.

fn main() {}
