//! Requests: from Genkit's to the body of `/api/chat`.

mod body;
mod messages;
mod settings;

pub(super) use body::body;
