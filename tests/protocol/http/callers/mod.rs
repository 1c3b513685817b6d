//! Who calls, what they may do, and what is theirs.

mod authentication;
mod owners;
mod permissions;
mod tokens;
