//! What goes over the wire to model providers and comes back, against recordings: see
//! `fixtures/wire/README.md`.
//!
//! The environment variable `GENKIT_WIRE_DIRS` names further folders with cases.

#![allow(clippy::unwrap_used, reason = "a test that fails here says where")]

mod cases;
mod compare_request;
mod compare_response;
mod faults;
mod looping;
mod replay;
mod requests;
mod responses;
