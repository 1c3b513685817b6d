//! Context providers, which identify the caller of a flow from the request before the flow runs.

mod api_key;
mod bearer;
mod closure;
mod error;
mod request;

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value, json};

pub use self::api_key::{ApiKey, api_key};
pub use self::bearer::{Bearer, bearer};
pub use self::request::FlowRequest;

use genkit_core::BoxFuture;
use genkit_core::Result;
use genkit_core::internal::context::{ContextParts, supervise_run};
use genkit_core::internal::run_store::short_hash;

/// The time limit of all context providers of a request together. Default is 30 seconds.
const PROVIDER_TIMEOUT: Duration = Duration::from_secs(30);

/// A context provider, which creates the action context of a flow from its request. The flow reads the context with
/// [`Context::action_context`](genkit_core::Context::action_context), and templates read `@auth`. An error rejects the
/// request with its status: [`Unauthenticated`](genkit_core::ErrorKind::Unauthenticated) is 401, and
/// [`PermissionDenied`](genkit_core::ErrorKind::PermissionDenied) is 403.
///
/// A closure that takes a [`FlowRequest`] and returns a JSON object is a context provider:
///
/// ```
/// use genkit::flows::FlowRequest;
/// use genkit::{Error, ErrorKind};
/// use serde_json::json;
///
/// let server = genkit::serve_flows().context_provider(|request: FlowRequest| async move {
///     match request.header("x-user") {
///         Some(user) => Ok(json!({"auth": {"uid": user}})),
///         None => Err(Error::new(ErrorKind::Unauthenticated, "the `x-user` header is missing").into()),
///     }
/// });
/// ```
///
/// A custom type can hold state:
///
/// ```
/// use genkit::flows::{ContextProvider, FlowRequest};
/// use genkit::serde_json::{Map, Value};
/// use genkit::{BoxFuture, Result};
///
/// struct Tenants(Vec<String>);
///
/// impl ContextProvider for Tenants {
///     fn provide<'a>(&'a self, request: &'a FlowRequest) -> BoxFuture<'a, Result<Map<String, Value>>> {
///         Box::pin(async move {
///             let tenant = request.header("x-tenant").unwrap_or_default();
///             match self.0.iter().any(|known| known == tenant) {
///                 true => Ok(Map::from_iter([("tenant".to_owned(), tenant.into())])),
///                 false => Err(genkit::Error::not_found("unknown tenant")),
///             }
///         })
///     }
/// }
/// let server = genkit::serve_flows().context_provider(Tenants(vec!["acme".to_owned()]));
/// ```
pub trait ContextProvider: Send + Sync + 'static {
    /// Returns the action context of a request, which describes the caller.
    ///
    /// # Errors
    /// Return an error to reject the request.
    fn provide<'a>(&'a self, request: &'a FlowRequest)
    -> BoxFuture<'a, Result<Map<String, Value>>>;

    /// Returns the owner of the durable streams that a request with this action context opens. The owner, such as a
    /// user id or a tenant, must be the same in all requests from a caller and different for every other caller.
    /// `context` is the merged context of all providers; if several providers return an owner, all of them must match.
    ///
    /// Returns `None` by default. If no provider returns an owner, a hash of the value of `auth` is used, or of the
    /// context if there is no `auth`. Implement this method if these values change between requests from the same
    /// caller: the claims of a token, with their `iat` and `exp`, change when the token is renewed, and the caller then
    /// loses access to its streams.
    ///
    /// ```
    /// use genkit::flows::{ContextProvider, FlowRequest};
    /// use genkit::serde_json::{Map, Value};
    /// use genkit::{BoxFuture, Result};
    ///
    /// # async fn claims_of(_token: &str) -> Result<Value> { Ok(Value::Null) }
    /// struct Tokens;
    ///
    /// impl ContextProvider for Tokens {
    ///     fn provide<'a>(&'a self, request: &'a FlowRequest) -> BoxFuture<'a, Result<Map<String, Value>>> {
    ///         Box::pin(async move {
    ///             let claims = claims_of(request.header("authorization").unwrap_or_default()).await?;
    ///             Ok(Map::from_iter([("auth".to_owned(), claims)])) // {"sub", "iat", "exp", ..}
    ///         })
    ///     }
    ///
    ///     fn owner(&self, context: &Map<String, Value>) -> Option<String> {
    ///         Some(context["auth"]["sub"].as_str()?.to_owned())
    ///     }
    /// }
    /// ```
    fn owner(&self, context: &Map<String, Value>) -> Option<String> {
        let _ = context;
        None
    }
}

/// Runs all providers and merges their contexts; later providers override keys. Also returns the owner of streams.
pub async fn action_context(
    providers: &[Arc<dyn ContextProvider>],
    request: &FlowRequest,
) -> Result<(Map<String, Value>, String)> {
    if request.repeats_credentials {
        return Err(error::Error::SeveralCredentials.into());
    }
    // A provider is application code, which can panic or never return.
    let parts = ContextParts { limit: Some(PROVIDER_TIMEOUT), ..ContextParts::default() };
    let asked = async {
        let mut context = Map::new();
        for provider in providers {
            context.extend(provider.provide(request).await?);
        }
        let owner = owner(providers, &context);
        Ok((context, owner))
    };
    supervise_run(&parts.build(), "context provider", asked).await
}

/// Returns the owner of streams. Owners from providers and from the context have different keys, so they are never
/// equal. The context can contain credentials, and the owner is stored, so it contains a hash of the context.
fn owner(providers: &[Arc<dyn ContextProvider>], context: &Map<String, Value>) -> String {
    let said = providers.iter().map(|provider| provider.owner(context));
    let said: Vec<Option<String>> = said.collect();
    if said.iter().any(Option::is_some) {
        return json!({ "owner": said }).to_string();
    }
    match context.get("auth").filter(|auth| !auth.is_null()) {
        Some(auth) => json!({ "auth": short_hash(&auth.to_string()) }).to_string(),
        None => json!({ "context": short_hash(&json!(context).to_string()) }).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A provider whose owner is the value at this key.
    struct Says(Option<&'static str>);

    impl ContextProvider for Says {
        fn provide<'a>(&'a self, _: &'a FlowRequest) -> BoxFuture<'a, Result<Map<String, Value>>> {
            Box::pin(std::future::ready(Ok(Map::new())))
        }

        fn owner(&self, context: &Map<String, Value>) -> Option<String> {
            context[self.0?].as_str().map(str::to_owned)
        }
    }

    #[test]
    fn owner_falls_back_from_provider_to_auth_to_context() {
        let owner = |says: &[Option<&'static str>], context: Value| {
            let providers: Vec<_> =
                says.iter().map(|key| Arc::new(Says(*key)) as Arc<dyn ContextProvider>).collect();
            let Value::Object(context) = context else { panic!("no object: {context}") };
            owner(&providers, &context)
        };
        let silent: &[_] = &[None];
        let auth = |uid: &str, time: u32| json!({"auth": {"uid": uid}, "time": time});
        assert_eq!(owner(silent, auth("ada", 1)), owner(silent, auth("ada", 2)));
        assert_ne!(owner(silent, auth("ada", 1)), owner(silent, auth("bob", 1)));
        for nobody in [json!({}), json!({"auth": null})] {
            assert_ne!(owner(silent, nobody.clone()), owner(silent, json!({"tenant": "acme"})));
            assert_ne!(owner(silent, nobody), owner(silent, json!({"auth": {}})));
        }
        let key = json!({"auth": {"apiKey": "sesame"}});
        assert!(!owner(silent, key.clone()).contains("sesame"), "it is stored");
        assert!(!owner(silent, json!({"context": key})).contains("sesame"));
        let tenant = |tenant: &str, uid: &str| json!({"tenant": tenant, "auth": uid});
        let says: &[_] = &[None, Some("tenant")];
        assert_eq!(owner(says, tenant("acme", "ada")), owner(says, tenant("acme", "bob")));
        assert_ne!(owner(says, tenant("acme", "ada")), owner(says, tenant("other", "ada")));
        let both: &[_] = &[Some("auth"), Some("tenant")];
        assert_ne!(owner(both, tenant("acme", "ada")), owner(both, tenant("acme", "bob")));
        assert_ne!(owner(both, tenant("a", "b")), owner(both, tenant("b", "a")));
    }
}
