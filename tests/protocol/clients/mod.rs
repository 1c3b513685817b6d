//! Third-party clients with `notes`: the inspector and two SDKs.

mod inspector;
mod notes;
mod python;
mod target;
mod typescript;

pub(crate) use target::Transport;
