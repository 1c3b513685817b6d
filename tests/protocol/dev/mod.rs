//! Genkit's own CLI and the server of its Developer UI run programs of this library, with both protocols.

mod commands;
mod death;
mod evaluations;
mod serving_mcp;
mod tools;
mod traces;
mod ui;
