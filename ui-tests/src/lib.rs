//! What must and what must not compile: see `cases` and `tests/ui.rs`.
