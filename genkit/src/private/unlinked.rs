//! The macros of `linked.rs`, without the feature `inventory`.

pub use crate::{
    __submit as submit, __submit_files as submit_files, __submit_skills as submit_skills,
};

/// Does nothing without the feature `inventory`.
#[doc(hidden)]
#[macro_export]
macro_rules! __submit {
    ($function:ty) => {};
}

/// Does nothing without the feature `inventory`.
#[doc(hidden)]
#[macro_export]
macro_rules! __submit_files {
    ($files:path) => {};
}

/// Does nothing without the feature `inventory`.
#[doc(hidden)]
#[macro_export]
macro_rules! __submit_skills {
    ($skills:path) => {};
}
