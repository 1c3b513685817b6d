//! Typed calls: decodes JSON arguments, injects the other parameters, and erases the types of the function.

mod args;
mod argument;
mod calling;
mod chunks;
mod decoded_arguments;
mod field;
mod function;
mod handler;
mod inject;
mod input;
mod object;

pub use args::Arguments;
pub(super) use args::parse_with_json;
pub use argument::{Argument, ArgumentType};
pub use calling::calling;
pub use chunks::{ChunkItem, Chunks, CollectedChunks};
pub use decoded_arguments::{Input, take};
pub use field::{Field, NotDisplayed, Note, Shown, json};
pub(super) use function::NamedFn;
pub use function::{Function, PlainCall};
pub(super) use handler::{ActionHandler, forward_to, from_closure};
pub use inject::{Inject, InjectNothing, InjectState, Injectable, Requirement, extension};
pub use input::{TypedInput, TypedInputFallback};
