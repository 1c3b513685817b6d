//! Tests of the public API.

#![allow(clippy::unwrap_used, reason = "a failed test says where")]

mod cases;
mod check;
mod environment;
mod folder;
mod limits;
mod properties;
