//! The common parts of OpenAI's two APIs: servers, strict schemas, content, tool calls and error
//! responses.

pub(crate) mod builder;
pub(crate) mod error;
pub(crate) mod models;
pub(crate) mod request;
pub(crate) mod response;
pub(crate) mod schema;
pub(crate) mod servers;
