//! Tests of the items that the sibling crates use.

mod bounded_json;
mod effort;
mod fair_share;
mod glob;
mod message;
mod run_id;
mod settings;
mod suggest;
mod time;
mod token_bucket;
mod tool_choice;
mod visible;
