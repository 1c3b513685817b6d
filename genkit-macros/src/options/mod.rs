//! The options of the macros as data. Parsing, messages and the tables in the documentation are derived from these
//! rows.
//!
//! To add an option to `#[tool]`, add a row in `tool.rs`, and a field with a method of the same name in the library's
//! `action/tool/settings.rs`. Options that several macros share are in `shared.rs`, options of a parameter in `arg.rs`.

pub(crate) mod arg;
mod flow;
mod prompt;
mod resource;
mod shared;
mod spec;
mod tool;

pub(crate) use spec::{OptionForm, OptionSpec, OptionTarget};

use crate::kind::Kind;

/// Returns the options of `kind`: the shared ones, then its own.
pub(crate) fn options_for(kind: Kind) -> impl Iterator<Item = &'static OptionSpec> {
    let own = match kind {
        Kind::Tool => tool::OPTIONS,
        Kind::Prompt => prompt::OPTIONS,
        Kind::Resource => resource::OPTIONS,
        Kind::Flow => flow::OPTIONS,
        Kind::Retriever => &[],
    };
    shared::OPTIONS.iter().chain(own)
}
