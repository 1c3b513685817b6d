//! Requests to model providers and their responses, tested with cases: see `fixtures/wire/README.md`, which also lists
//! the folders of cases.

#![allow(clippy::unwrap_used, reason = "a panic shows where a test fails")]

mod anthropic;
mod cases;
mod compare_request;
mod compare_response;
mod counted;
mod faults;
mod features;
mod fuzz;
mod histories;
mod lazy_tools;
mod looping;
mod mock;
mod replay;
mod requests;
mod responses;
mod rules;
mod tally;
