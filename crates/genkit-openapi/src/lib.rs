#![doc = include_str!("../README.md")]

mod api;
mod body;
mod builder;
mod choice;
mod document;
mod input;
mod operation;
mod request;
mod response;
mod schema;
mod style;
mod text;
mod tools;

/// The HTTP client library, in the version that [`tools_from_openapi`] uses.
pub use reqwest;

pub use self::builder::OpenApi;
pub use self::document::Spec;
pub use self::operation::{LeftOut, Operation};
pub use self::tools::OpenApiTools;

/// Creates tools from an OpenAPI document (3.0 to 3.2), one for each operation of the HTTP API.
///
/// `client` configures proxies, certificates and timeouts of connections. Its redirect policy is overridden, so that
/// credentials are sent only to the API. See [`OpenApi`] for the options, and the [crate] for an example.
pub fn tools_from_openapi(spec: impl Into<Spec>, client: reqwest::ClientBuilder) -> OpenApi {
    OpenApi::new(spec.into(), client)
}
