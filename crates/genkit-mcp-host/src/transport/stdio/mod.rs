//! Servers that are child processes, one JSON message on each line of their pipes.

pub(crate) mod child;
pub(crate) mod command;
mod error;
pub(crate) mod pipe;
