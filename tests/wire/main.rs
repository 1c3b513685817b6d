//! What goes over the wire to model providers and comes back, against cases: see
//! `fixtures/wire/README.md`, which also says in which folders they are looked for.

#![allow(clippy::unwrap_used, reason = "a test that fails here says where")]

mod anthropic;
mod cases;
mod compare_request;
mod compare_response;
mod counted;
mod faults;
mod features;
mod fuzz;
mod histories;
mod looping;
mod mock;
mod replay;
mod requests;
mod responses;
mod rules;
mod tally;
