//! The typed call: from JSON arguments, through injected parameters, to a function whose types are erased.

mod args;
mod chunks;
mod function;
mod handler;
mod inject;
mod input;

pub use args::Arguments;
pub(crate) use args::Strictness;
pub(super) use args::parse_kept;
pub use chunks::{ChunkItem, Chunks, CollectedChunks};
pub use function::ActionFn;
pub(super) use function::ErasedFn;
pub(super) use handler::{ActionHandler, closure, forward};
pub use inject::{Inject, InjectNothing, InjectState, Injectable, Requirement, extension};
pub use input::{NoInput, TypedInput, TypedInputFallback};
