//! A context provider that checks bearer tokens.

use std::future::Future;

use serde_json::{Map, Value};

use super::error::Error as E;
use super::{ContextProvider, FlowRequest};
use genkit_core::BoxFuture;
use genkit_core::HandlerError;
use genkit_core::Result;

/// Creates a context provider that passes the bearer token of `Authorization: Bearer TOKEN` to `check`. The returned
/// JSON becomes `auth` in the action context. A request without a token is rejected with 401. If `check` returns an
/// error, the request is rejected with the status of that error.
///
/// ```
/// use genkit::{Error, ErrorKind, flows};
/// use serde_json::json;
///
/// # async fn user_of(_token: &str) -> Option<String> { None }
/// let server = genkit::serve_flows().context_provider(flows::bearer(|token| async move {
///     match user_of(&token).await {
///         Some(user) => Ok(json!({"uid": user})),
///         None => Err(Error::new(ErrorKind::PermissionDenied, "the token is not valid").into()),
///     }
/// }));
/// ```
pub fn bearer<F, Fut>(check: F) -> Bearer<F>
where
    F: Fn(String) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = std::result::Result<Value, HandlerError>> + Send + 'static,
{
    Bearer(check)
}

/// The context provider created by [`bearer`].
#[derive(Clone)]
pub struct Bearer<F>(F);

impl<F, Fut> ContextProvider for Bearer<F>
where
    F: Fn(String) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = std::result::Result<Value, HandlerError>> + Send + 'static,
{
    fn provide<'a>(
        &'a self,
        request: &'a FlowRequest,
    ) -> BoxFuture<'a, Result<Map<String, Value>>> {
        Box::pin(async move {
            let token = request.header("authorization").and_then(token_of);
            let token = token.ok_or(E::Unauthenticated)?;
            let auth = (self.0)(token.to_owned()).await.map_err(HandlerError::into_error)?;
            Ok(Map::from_iter([("auth".to_owned(), auth)]))
        })
    }
}

fn token_of(header: &str) -> Option<&str> {
    let (scheme, token) = header.split_once(' ')?;
    let token = token.trim();
    (scheme.eq_ignore_ascii_case("bearer") && !token.is_empty()).then_some(token)
}

impl<F> std::fmt::Debug for Bearer<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Bearer(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_bearer_token_is_one() {
        for (header, token) in [
            ("Bearer abc", Some("abc")),
            ("bearer  abc ", Some("abc")),
            ("Basic abc", None),
            ("Bearer ", None),
            ("abc", None),
        ] {
            assert_eq!(token_of(header), token, "{header}");
        }
    }
}
