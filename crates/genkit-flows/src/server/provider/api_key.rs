//! A context provider that requires an API key.

use serde_json::{Map, Value, json};

use super::error::Error as E;
use super::{ContextProvider, FlowRequest};
use genkit_core::BoxFuture;
use genkit_core::Result;
use genkit_http_server::internal::matches_secret;

/// Creates a context provider that requires the header `Authorization: KEY`, without `Bearer`. A request without the
/// header is rejected with 401, and a request with a different key with 403. The action context is `{"auth": {"apiKey":
/// KEY}}`.
///
/// ```
/// use genkit::flows;
///
/// let server = genkit::serve_flows().context_provider(flows::api_key("secret"));
/// ```
pub fn api_key(key: impl Into<String>) -> ApiKey {
    ApiKey(key.into())
}

/// The context provider created by [`api_key`].
#[derive(Clone)]
pub struct ApiKey(String);

impl ContextProvider for ApiKey {
    fn provide<'a>(
        &'a self,
        request: &'a FlowRequest,
    ) -> BoxFuture<'a, Result<Map<String, Value>>> {
        let checked = match request.header("authorization") {
            None => Err(E::Unauthenticated.into()),
            Some(given) if matches_secret(given.as_bytes(), self.0.as_bytes()) => {
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
