//! Code that must and must not compile: see `cases` and `tests/ui.rs`.
