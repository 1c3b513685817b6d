//! The guide: its pages must match the code. `UPDATE=1` writes the generated files.

mod blocks;
mod commands;
mod dependencies;
mod generated;
mod links;
mod names;
mod packages;
mod pages;
mod programs;
mod prose;
mod readme;
mod wording;
