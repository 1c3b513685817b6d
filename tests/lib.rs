//! Code shared by the test programs.

pub mod cargo;
pub mod case_folders;
pub mod fuzz;
pub mod random_schemas;

/// The README's programs compile.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;

/// Prints past the test harness, which discards the output of tests that pass.
pub fn print_uncaptured(text: &str) {
    use std::io::Write as _;
    // A closed stderr must not fail a test.
    let _ = std::io::stderr().write_all(text.as_bytes());
}
