//! The loop's own tests.
