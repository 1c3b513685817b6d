//! The key that a request must carry.

use serde_json::{Map, Value, json};

use super::error::Error as E;
use super::{ContextProvider, FlowRequest};
use genkit_core::BoxFuture;
use genkit_core::Result;
use genkit_http_server::internal::is_the_secret;

/// API key: requires `Authorization: KEY`, the header as it is, without `Bearer`. A request without it
/// ends with 401, one with another with 403. The action context is `{"auth": {"apiKey": KEY}}`.
///
/// ```
/// use genkit::flows;
///
/// let server = genkit::serve_flows().context_provider(flows::api_key("secret"));
/// ```
pub fn api_key(key: impl Into<String>) -> ApiKey {
    ApiKey(key.into())
}

/// The context provider that [`api_key`] makes.
#[derive(Clone)]
pub struct ApiKey(String);

impl ContextProvider for ApiKey {
    fn provide<'a>(
        &'a self,
        request: &'a FlowRequest,
    ) -> BoxFuture<'a, Result<Map<String, Value>>> {
        let checked = match request.header("authorization") {
            None => Err(E::Unauthenticated.into()),
            Some(given) if is_the_secret(given.as_bytes(), self.0.as_bytes()) => {
                Ok(Map::from_iter([("auth".to_owned(), json!({ "apiKey": given }))]))
            }
            Some(_) => Err(E::PermissionDenied.into()),
        };
        Box::pin(std::future::ready(checked))
    }
}

impl std::fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ApiKey(..)")
    }
}
