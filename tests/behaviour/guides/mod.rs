//! The guide: what its pages say is what there is. `UPDATE=1` writes what is made of other files.

mod blocks;
mod commands;
mod links;
mod made;
mod names;
mod pages;
mod programs;
mod readme;
mod words;
