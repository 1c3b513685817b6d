//! Permissions: which tools, prompts and resources are there for which caller.

mod caller;
mod item;
mod permissions;

pub use self::caller::Caller;
pub use self::item::Item;
pub(crate) use self::permissions::Permissions;
