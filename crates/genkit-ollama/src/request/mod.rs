//! Encoding of requests as the body of `/api/chat`.

mod body;
mod messages;
mod settings;
mod tools;

pub(super) use body::encode_body;
pub(super) use settings::OllamaSettings;
