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

/// The HTTP client, of the version that [`tools_from_openapi`] takes.
pub use reqwest;

pub use self::builder::OpenApi;
pub use self::document::Spec;
pub use self::operation::{Operation, SkippedOperation};
pub use self::tools::OpenApiTools;

/// OpenAPI as tools: each operation of an HTTP API that a document (3.0 to 3.2) describes becomes
/// one.
///
/// `client` is for proxies, certificates and timeouts of connections; its redirect policy is set here, so that
/// credentials stay where they belong. See [`OpenApi`] for the options, and the [crate] for an example.
pub fn tools_from_openapi(spec: impl Into<Spec>, client: reqwest::ClientBuilder) -> OpenApi {
    OpenApi::new(spec.into(), client)
}
