//! What the test programs share.

pub mod cargo;
pub mod case_folders;
pub mod fuzz;

/// The README's programs compile.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;

/// Prints past the test harness, which shows nothing of a test that passes.
pub fn print_uncaptured(text: &str) {
    use std::io::Write as _;
    // A closed stderr fails no test.
    let _ = std::io::stderr().write_all(text.as_bytes());
}
