//! The principal of a request, and the request head that contains it.

use std::fmt;
use std::sync::Arc;
use std::time::SystemTime;

use serde_json::{Map, Value};

/// The authenticated user of a request: the result of [`authenticate`](crate::builder::McpServer::authenticate), or an
/// extension that a layer of your app added to the request.
///
/// Audit events contain the principal, rate limits apply per principal, and the saved state of a question is bound
/// to it.
///
/// ```
/// # #[cfg(feature = "mcp-http")]
/// # {
/// use axum::Extension;
/// use genkit::mcp::server::Principal;
///
/// // Read from the token by your layer:
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

/// The data of a principal, shared because each request clones the principal several times.
#[derive(Clone, PartialEq)]
struct PrincipalData {
    id: String,
    scopes: Vec<String>,
    claims: Map<String, Value>,
    expiry: Option<SystemTime>,
}

impl Principal {
    /// Creates a principal from its unique identifier, for example the `sub` claim of its token.
    pub fn new(id: impl Into<String>) -> Self {
        let (id, scopes, claims) = (id.into(), Vec::new(), Map::new());
        Self(Arc::new(PrincipalData { id, scopes, claims, expiry: None }))
    }

    /// Sets the OAuth scopes.
    #[must_use]
    pub fn with_scopes(mut self, scopes: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Arc::make_mut(&mut self.0).scopes = scopes.into_iter().map(Into::into).collect();
        self
    }

    /// Sets the claims of the principal's token.
    #[must_use]
    pub fn with_claims<K: Into<String>, V: Into<Value>>(
        mut self,
        claims: impl IntoIterator<Item = (K, V)>,
    ) -> Self {
        let claims = claims.into_iter().map(|(name, claim)| (name.into(), claim.into()));
        Arc::make_mut(&mut self.0).claims = claims.collect();
        self
    }

    /// Sets the expiry of the principal's token. At that time, open streams end, and the client reconnects with a new
    /// token; a call in progress is completed. Default is no expiry.
    #[must_use]
    pub fn with_expiry(mut self, expiry: SystemTime) -> Self {
        Arc::make_mut(&mut self.0).expiry = Some(expiry);
        self
    }

    /// Returns the unique identifier.
    pub fn id(&self) -> &str {
        &self.0.id
    }

    /// Returns the OAuth scopes.
    pub fn scopes(&self) -> &[String] {
        &self.0.scopes
    }

    /// Returns whether the principal has this OAuth scope.
    pub fn has_scope(&self, scope: &str) -> bool {
        self.0.scopes.iter().any(|has| has == scope)
    }

    /// Returns the expiry of the principal's token, if there is one.
    pub fn expiry(&self) -> Option<SystemTime> {
        self.0.expiry
    }

    /// Returns the claims of the principal's token.
    pub fn claims(&self) -> &Map<String, Value> {
        &self.0.claims
    }
}

/// Omits the values of claims, which can be personal or secret.
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

/// The metadata of a request: its principal, and the head of its HTTP request.
#[derive(Clone, Default)]
pub(crate) struct RequestHead {
    pub(crate) principal: Option<Principal>,
    pub(crate) extensions: Arc<http::Extensions>,
}

impl RequestHead {
    /// Creates the head of a message from a byte stream, whose client the program has identified.
    pub(crate) fn for_stream(principal: Option<Principal>) -> Self {
        Self { principal, extensions: Arc::default() }
    }

    /// Returns the extension of type `T` that a layer of the app added to the HTTP request.
    pub(crate) fn extension<T: Send + Sync + 'static>(&self) -> Option<&T> {
        self.extensions.get()
    }

    pub(crate) fn principal(&self) -> Option<&Principal> {
        self.principal.as_ref()
    }

    /// Returns the id of the principal, or an empty string.
    pub(crate) fn principal_id(&self) -> String {
        self.principal.as_ref().map(|who| who.id().to_owned()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_output_of_a_principal_omits_claims() {
        let ada = Principal::new("ada").with_scopes(["read"]).with_claims([("token", "s3cret")]);
        let shown = format!("{ada:?}");
        assert!(
            shown.contains("ada") && shown.contains("read") && shown.contains("token"),
            "{shown}"
        );
        assert!(!shown.contains("s3cret"), "{shown}");
    }
}
