//! What the tests of mnemon share.
