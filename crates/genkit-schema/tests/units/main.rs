//! Tests of the items that the sibling crates use.

mod bounded_json;
mod canonical;
mod finite;
mod form;
mod lenient_json;
mod nulls;
mod pointer;
mod properties;
mod reread;
mod size;
mod truncate;
