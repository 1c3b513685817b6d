//! Principal: who calls, as an HTTP layer found out; and the rest of an HTTP request beside its body.

use std::fmt;
use std::sync::Arc;
use std::time::SystemTime;

#[cfg(feature = "http")]
use bytes::BytesMut;
#[cfg(feature = "http")]
use http::{HeaderMap, HeaderValue};
use serde_json::{Map, Value};

/// Principal: who calls, whom [`authenticate`](crate::builder::McpServer::authenticate) found by a token, or
/// a layer of your app, which puts it into the request's extensions.
///
/// It stands in the audit events, has a rate of its own, and what a question carries is bound
/// to it.
///
/// ```
/// # #[cfg(feature = "mcp-http")]
/// # {
/// use axum::Extension;
/// use genkit::mcp::server::Principal;
///
/// // Whom your layer found in the token:
/// let ada = Principal::new("ada@example.com")
///     .with_scopes(["notes:read"])
///     .with_claims([("tenant", "acme")]);
/// assert_eq!((ada.id(), ada.has_scope("notes:write")), ("ada@example.com", false));
/// assert_eq!(ada.claims()["tenant"], "acme");
/// let app = axum::Router::<()>::new().layer(Extension(ada));
/// # let _ = app;
/// # }
/// ```
#[derive(Clone, PartialEq)]
pub struct Principal(Arc<PrincipalData>);

/// Shared: each request hands it on several times.
#[derive(Clone, PartialEq)]
struct PrincipalData {
    id: String,
    scopes: Vec<String>,
    claims: Map<String, Value>,
    expiry: Option<SystemTime>,
}

impl Principal {
    /// Principal by what identifies it, for example the `sub` of its token.
    pub fn new(id: impl Into<String>) -> Self {
        let (id, scopes, claims) = (id.into(), Vec::new(), Map::new());
        Self(Arc::new(PrincipalData { id, scopes, claims, expiry: None }))
    }

    /// Sets its OAuth scopes.
    #[must_use]
    pub fn with_scopes(mut self, scopes: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Arc::make_mut(&mut self.0).scopes = scopes.into_iter().map(Into::into).collect();
        self
    }

    /// Sets the claims of its token.
    #[must_use]
    pub fn with_claims<K: Into<String>, V: Into<Value>>(
        mut self,
        claims: impl IntoIterator<Item = (K, V)>,
    ) -> Self {
        let claims = claims.into_iter().map(|(name, claim)| (name.into(), claim.into()));
        Arc::make_mut(&mut self.0).claims = claims.collect();
        self
    }

    /// Sets its expiry: when its token expires. Streams that it has open end at that time, and its client comes back
    /// with another token; a call that runs is finished. Default is that it does not end.
    #[must_use]
    pub fn with_expiry(mut self, expiry: SystemTime) -> Self {
        Arc::make_mut(&mut self.0).expiry = Some(expiry);
        self
    }

    /// Id: what identifies it.
    pub fn id(&self) -> &str {
        &self.0.id
    }

    /// Scopes of OAuth that it has.
    pub fn scopes(&self) -> &[String] {
        &self.0.scopes
    }

    /// Whether it has this OAuth scope.
    pub fn has_scope(&self, scope: &str) -> bool {
        self.0.scopes.iter().any(|has| has == scope)
    }

    /// Expiry: until when it is who it is.
    pub fn expiry(&self) -> Option<SystemTime> {
        self.0.expiry
    }

    /// Claims of its token.
    pub fn claims(&self) -> &Map<String, Value> {
        &self.0.claims
    }
}

/// Without the values of claims, which may be personal or secret.
impl fmt::Debug for Principal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let claims: Vec<&String> = self.0.claims.keys().collect();
        f.debug_struct("Principal")
            .field("id", &self.0.id)
            .field("scopes", &self.0.scopes)
            .field("claims", &claims)
            .finish()
    }
}

/// The head of an HTTP request; empty over stdio.
#[derive(Default)]
pub(crate) struct HttpHead {
    #[cfg(feature = "http")]
    pub(crate) extensions: Arc<http::Extensions>,
}

#[cfg(feature = "http")]
impl HttpHead {
    /// Of a request that this server read. What goes on for minutes must not keep the buffer that the
    /// head was read into, of which its headers are parts.
    pub(crate) fn new(mut headers: HeaderMap, mut extensions: http::Extensions) -> Self {
        let mut bytes = BytesMut::with_capacity(headers.values().map(HeaderValue::len).sum());
        headers.values_mut().for_each(|value| bytes.extend_from_slice(value.as_bytes()));
        let mut bytes = bytes.freeze();
        for value in headers.values_mut() {
            let is_sensitive = value.is_sensitive();
            if let Ok(own) = HeaderValue::from_maybe_shared(bytes.split_to(value.len())) {
                *value = own;
                value.set_sensitive(is_sensitive);
            }
        }
        extensions.insert(headers);
        Self { extensions: Arc::new(extensions) }
    }

    pub(crate) fn identity(&self) -> Option<&Principal> {
        self.extensions.get()
    }

    pub(crate) fn principal(&self) -> String {
        self.extensions.get::<Principal>().map(|who| who.id().to_owned()).unwrap_or_default()
    }
}

#[cfg(not(feature = "http"))]
impl HttpHead {
    #[expect(clippy::unused_self, reason = "without HTTP there is nothing in it")]
    pub(crate) fn identity(&self) -> Option<&Principal> {
        None
    }

    pub(crate) fn principal(&self) -> String {
        String::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_of_a_principal_has_no_claims() {
        let ada = Principal::new("ada").with_scopes(["read"]).with_claims([("token", "s3cret")]);
        let shown = format!("{ada:?}");
        assert!(
            shown.contains("ada") && shown.contains("read") && shown.contains("token"),
            "{shown}"
        );
        assert!(!shown.contains("s3cret"), "{shown}");
    }
}
