//! Genkit's own CLI and the server of its Developer UI drive programs of ours, on both protocols.

mod commands;
mod death;
mod evaluations;
mod serving_mcp;
mod tools;
mod traces;
mod ui;
