//! Context providers: who calls a flow, found out from the request before the flow runs.

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
use genkit_core::internal::context::{ContextParts, supervise};

/// How long the context providers of a request may take together. Default is 30 seconds.
const PROVIDER_TIMEOUT: Duration = Duration::from_secs(30);

/// Context provider: reads a request before its flow runs, and makes the action context of it:
/// [`Context::action_context`](genkit_core::Context::action_context), `@auth` in templates. An error ends the
/// request with its status: [`Unauthenticated`](genkit_core::ErrorKind::Unauthenticated) is 401,
/// [`PermissionDenied`](genkit_core::ErrorKind::PermissionDenied) 403.
///
/// A closure over a [`FlowRequest`] that gives a JSON object is one:
///
/// ```
/// use genkit::flows::FlowRequest;
/// use genkit::{Error, ErrorKind};
/// use serde_json::json;
///
/// let server = genkit::serve_flows().context_provider(|request: FlowRequest| async move {
///     match request.header("x-user") {
///         Some(user) => Ok(json!({"auth": {"uid": user}})),
///         None => Err(Error::new(ErrorKind::Unauthenticated, "say who you are").into()),
///     }
/// });
/// ```
///
/// A type of your own, which keeps what it needs:
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
///                 false => Err(genkit::Error::not_found("there is no such tenant")),
///             }
///         })
///     }
/// }
/// let server = genkit::serve_flows().context_provider(Tenants(vec!["acme".to_owned()]));
/// ```
pub trait ContextProvider: Send + Sync + 'static {
    /// Action context of a request: what is known of whoever sent it.
    ///
    /// # Errors
    /// The request may not run.
    fn provide<'a>(&'a self, request: &'a FlowRequest)
    -> BoxFuture<'a, Result<Map<String, Value>>>;

    /// Owner of durable streams: whose those are that a request with this action context opens, as text that
    /// is the same in all requests of one caller and in none of another: a user's id, a tenant. The context
    /// is that of all providers; what several say counts together.
    ///
    /// Default is `None`: where no provider says anything it is `auth` as a whole, and the whole context where
    /// there is no `auth`. Say it where those change between requests of one caller: the claims of a token, with
    /// their `iat` and `exp`, are others once the token is renewed, and the stream is lost to its owner.
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

/// Asks each provider; what a later one says of a key wins. With it comes whose streams they are.
pub(super) async fn action_context(
    providers: &[Arc<dyn ContextProvider>],
    request: &FlowRequest,
) -> Result<(Map<String, Value>, String)> {
    // A provider is code of the program: it may panic or wait for ever.
    let parts = ContextParts { limit: Some(PROVIDER_TIMEOUT), ..ContextParts::default() };
    let asked = async {
        let mut context = Map::new();
        for provider in providers {
            context.extend(provider.provide(request).await?);
        }
        let owner = owner(providers, &context);
        Ok((context, owner))
    };
    supervise(&parts.build(), "context provider", asked).await
}

/// Who may read a stream again. What providers say is a list, and so never the same as a context.
fn owner(providers: &[Arc<dyn ContextProvider>], context: &Map<String, Value>) -> String {
    let said = providers.iter().map(|provider| provider.owner(context));
    let said: Vec<Option<String>> = said.collect();
    if said.iter().any(Option::is_some) {
        return json!({ "owner": said }).to_string();
    }
    match context.get("auth").filter(|auth| !auth.is_null()) {
        Some(auth) => json!({ "auth": auth }).to_string(),
        None => json!({ "context": context }).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Says that the owner is what is at this key.
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
    fn an_owner_is_what_providers_say_or_auth_or_the_whole_context() {
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
        let tenant = |tenant: &str, uid: &str| json!({"tenant": tenant, "auth": uid});
        let says: &[_] = &[None, Some("tenant")];
        assert_eq!(owner(says, tenant("acme", "ada")), owner(says, tenant("acme", "bob")));
        assert_ne!(owner(says, tenant("acme", "ada")), owner(says, tenant("other", "ada")));
        let both: &[_] = &[Some("auth"), Some("tenant")];
        assert_ne!(owner(both, tenant("acme", "ada")), owner(both, tenant("acme", "bob")));
        assert_ne!(owner(both, tenant("a", "b")), owner(both, tenant("b", "a")));
    }
}
