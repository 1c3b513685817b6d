//! Permissions of callers to use tools, prompts, resources and skills.

mod caller;
mod item;
mod permissions;

pub use self::caller::Caller;
pub use self::item::Item;
pub(crate) use self::permissions::Permissions;
