//! Requests: the body as it is sent.

mod body;
mod input;
mod item;
mod reasoning;
mod settings;
mod tools;

pub(super) use body::{body, count_body};
