//! Encoding of requests as the body of `/api/chat`.

mod body;
mod messages;
mod settings;

pub(super) use body::body;
