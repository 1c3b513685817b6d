//! The servers in `examples/` as seen by third-party clients, and as raw bytes on the wire.
//!
//! `tests/README.md` lists what is installed for these tests, and where.

#![allow(clippy::unwrap_used, reason = "a panic shows where a test fails")]

mod agents;
mod agui;
mod apps;
mod attacks;
mod booking;
mod browser;
mod cli;
mod clients;
mod conformance;
mod conformance_client;
mod deploy;
mod dev;
mod faults;
mod fleet;
mod flows;
mod fuzz;
mod guide_clients;
mod guide_programs;
mod guide_recordings;
mod host;
mod http;
mod killed;
mod load;
mod oauth;
mod openapi;
mod packages;
mod pipe;
#[cfg(target_os = "linux")] // the package of the server supports only Linux
#[path = "../../crates/genkit-postgres/tests/server/mod.rs"]
mod postgres;
mod program;
mod raw;
mod schemas;
mod server;
mod stdio;
mod support;
mod telemetry;
mod tool_lists;
mod verdict;
