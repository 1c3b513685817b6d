//! Servers over streamable HTTP.

mod authorized_client;
mod bounded;
mod connector;
mod endpoint;
mod error;
mod long_events;
mod post;
mod request_scope;
mod session_requests;
#[cfg(test)]
pub(crate) mod tests;
mod uncorrelated;

pub(crate) use connector::Connector;
pub(crate) use endpoint::Endpoint;

pub(crate) use super::http_client::explain::explain_error;
