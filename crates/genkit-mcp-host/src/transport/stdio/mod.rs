//! Servers that are child processes and exchange one JSON message per line.

pub(crate) mod child;
pub(crate) mod command;
mod error;
pub(crate) mod pipe;
