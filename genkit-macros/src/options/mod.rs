//! The options of the macros as data: parsing, messages and the tables in the documentation come from these rows.
//!
//! A new option of `#[tool]` is a row in `tool.rs`, and a field with a method of its name in the library's
//! `action/tool/settings.rs`. What several macros have is in `shared.rs`, what one parameter has in `arg.rs`.

pub(crate) mod arg;
mod flow;
mod prompt;
mod resource;
mod shared;
mod spec;
mod tool;

pub(crate) use spec::{OptionForm, OptionSpec, OptionTarget};

use crate::kind::Kind;

/// The options of `kind`: its own after the shared ones.
pub(crate) fn of(kind: Kind) -> impl Iterator<Item = &'static OptionSpec> {
    let own = match kind {
        Kind::Tool => tool::OPTIONS,
        Kind::Prompt => prompt::OPTIONS,
        Kind::Resource => resource::OPTIONS,
        Kind::Flow => flow::OPTIONS,
    };
    shared::OPTIONS.iter().chain(own)
}
