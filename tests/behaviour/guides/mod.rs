//! The guide: its pages must match the code. `UPDATE=1` writes the generated files.

mod blocks;
mod commands;
mod dependencies;
mod links;
mod made;
mod names;
mod packages;
mod pages;
mod programs;
mod prose;
mod readme;
mod words;
