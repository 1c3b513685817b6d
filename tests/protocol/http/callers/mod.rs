//! The identity of callers, their permissions, and what belongs to them.

mod authentication;
mod owners;
mod permissions;
mod tokens;
