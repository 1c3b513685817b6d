//! Tests of the items that the sibling crates use.

mod effort;
mod glob;
mod matching;
mod message;
mod run_id;
mod settings;
mod status;
mod suggest;
mod time;
mod token_bucket;
mod tool_choice;
