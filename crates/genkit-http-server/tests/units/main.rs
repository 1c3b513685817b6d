//! Tests of the items that the sibling crates use.

mod media_types;
mod secret;
