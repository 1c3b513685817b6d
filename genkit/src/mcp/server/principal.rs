//! Principal: who calls, as an HTTP layer found out; and the rest of an HTTP request beside its body.

use rmcp::RoleServer;
use rmcp::service::RequestContext;

/// Who calls, as an HTTP layer in front found out: put it into the request's extensions.
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
/// let ada = Principal("ada@example.com".into()); // whom your layer found in the token
/// let app = axum::Router::<()>::new().layer(Extension(ada));
/// # let _ = app;
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Principal(pub String);

/// The head of an HTTP request; empty over stdio.
#[derive(Default)]
pub(crate) struct HttpHead {
    #[cfg(feature = "mcp-http")]
    pub(crate) extensions: http::Extensions,
    #[cfg(feature = "mcp-http")]
    session: Option<String>,
}

#[cfg(feature = "mcp-http")]
impl HttpHead {
    pub(crate) fn take(request: &mut RequestContext<RoleServer>) -> Self {
        let Some(parts) = request.extensions.remove::<http::request::Parts>() else {
            return Self::default();
        };
        let session = parts.headers.get("mcp-session-id").and_then(|v| v.to_str().ok());
        let session = session.map(str::to_owned);
        let mut extensions = parts.extensions;
        extensions.insert(parts.headers);
        Self { extensions, session }
    }

    pub(crate) fn principal(&self) -> String {
        self.extensions.get::<Principal>().map(|who| who.0.clone()).unwrap_or_default()
    }

    /// Whose rate this request counts for.
    pub(crate) fn client_key(&self, principal: &str) -> String {
        use axum::extract::ConnectInfo;
        if !principal.is_empty() {
            return principal.to_owned();
        }
        let address = self.extensions.get::<ConnectInfo<std::net::SocketAddr>>();
        match (address, &self.session) {
            (Some(ConnectInfo(address)), _) => address.ip().to_string(),
            (None, Some(session)) => session.clone(),
            (None, None) => String::new(),
        }
    }
}

#[cfg(not(feature = "mcp-http"))]
impl HttpHead {
    pub(crate) fn take(_: &mut RequestContext<RoleServer>) -> Self {
        Self::default()
    }

    pub(crate) fn principal(&self) -> String {
        String::new()
    }

    pub(crate) fn client_key(&self, _: &str) -> String {
        String::new()
    }
}
