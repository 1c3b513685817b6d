//! The server as an OAuth protected resource: its metadata (RFC 9728).

use axum::Router;
use axum::response::IntoResponse as _;
use bytes::Bytes;
use http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN, ALLOW,
    CONTENT_TYPE,
};
use http::{HeaderValue, Method, Response, StatusCode, Uri};
use serde_json::{Map, Value, json};

use crate::error::Error as E;

/// The path of the metadata (RFC 9728, section 3).
const WELL_KNOWN: &str = "/.well-known/oauth-protected-resource";

/// The OAuth protected resource metadata of a server: the authorization servers that issue tokens for it, and its
/// scopes.
///
/// The response to a request without a token is 401 with the URL of this metadata. MCP clients then log in the user,
/// and obtain and refresh tokens, on their own.
///
/// ```no_run
/// use genkit::mcp::server::{Principal, ProtectedResource, TokenError};
///
/// # async fn verify(_: String) -> Result<Principal, TokenError> { Ok(Principal::new("ada")) }
/// # async fn run() -> genkit::Result<()> {
/// genkit::serve_mcp()
///     .http("0.0.0.0:8000")
///     .allowed_hosts(["mcp.example.com"])
///     .authenticate(verify)
///     .protected_resource(
///         ProtectedResource::new("https://mcp.example.com/mcp")
///             .with_authorization_server("https://login.example.com")
///             .with_scopes(["notes:read", "notes:write"])
///             .with_required_scopes(["notes:read"])
///             .with_name("Notes")
///             .with_documentation("https://example.com/docs"),
///     )
///     .await
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProtectedResource {
    resource: String,
    servers: Vec<String>,
    scopes: Vec<String>,
    required: Vec<String>,
    step_up: bool,
    name: Option<String>,
    documentation: Option<String>,
}

impl ProtectedResource {
    /// Creates the metadata of the protected resource at the URL that clients use, such as
    /// `https://mcp.example.com/mcp`. The audience of its tokens must be this URL.
    pub fn new(resource: impl Into<String>) -> Self {
        Self {
            resource: resource.into(),
            servers: Vec::new(),
            scopes: Vec::new(),
            required: Vec::new(),
            step_up: true,
            name: None,
            documentation: None,
        }
    }

    /// Adds an authorization server, by its issuer identifier.
    #[must_use]
    pub fn with_authorization_server(mut self, issuer: impl Into<String>) -> Self {
        self.servers.push(issuer.into());
        self
    }

    /// Sets the scopes that the server supports and clients can request.
    #[must_use]
    pub fn with_scopes(mut self, scopes: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.scopes = scopes.into_iter().map(Into::into).collect();
        self
    }

    /// Sets the scopes that every request requires. The response to a request whose token lacks one of them is 403 with
    /// `insufficient_scope`, and the client can then ask its user to grant more. Default is none.
    #[must_use]
    pub fn with_required_scopes(
        mut self,
        scopes: impl IntoIterator<Item = impl Into<String>>,
    ) -> Self {
        self.required = scopes.into_iter().map(Into::into).collect();
        self
    }

    /// Sets whether the server performs step-up authorization, as in the MCP authorization specification. Default is
    /// `true`.
    ///
    /// The `permit = ".."` of a tool, prompt or resource can require a scope that the token lacks. With step-up, the
    /// response to a request for such an item is 403 with `insufficient_scope`, the scopes that the caller has and the
    /// scopes that it needs. The client can then ask its user to grant more. Without step-up, such an item does not
    /// exist for the caller. In both cases, lists contain it only for callers with the scope.
    #[must_use]
    pub fn with_step_up(mut self, yes: bool) -> Self {
        self.step_up = yes;
        self
    }

    /// Sets the name that is displayed to users.
    #[must_use]
    pub fn with_name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Sets the URL of the documentation for client developers.
    #[must_use]
    pub fn with_documentation(mut self, url: impl Into<String>) -> Self {
        self.documentation = Some(url.into());
        self
    }

    pub(crate) fn steps_up(&self) -> bool {
        self.step_up
    }

    /// Returns the resource identifier, which is the audience of its tokens.
    pub fn resource(&self) -> &str {
        &self.resource
    }

    /// Returns the metadata document (RFC 9728).
    ///
    /// ```
    /// use genkit::mcp::server::ProtectedResource;
    ///
    /// let notes = ProtectedResource::new("https://mcp.example.com/mcp")
    ///     .with_authorization_server("https://login.example.com");
    /// assert_eq!(notes.metadata()["authorization_servers"][0], "https://login.example.com");
    /// ```
    pub fn metadata(&self) -> Value {
        let mut document = Map::new();
        document.insert("resource".to_owned(), json!(self.resource));
        document.insert("authorization_servers".to_owned(), json!(self.servers));
        let mut scopes = self.scopes.clone();
        scopes.extend(self.required.iter().filter(|it| !self.scopes.contains(it)).cloned());
        if !scopes.is_empty() {
            document.insert("scopes_supported".to_owned(), json!(scopes));
        }
        document.insert("bearer_methods_supported".to_owned(), json!(["header"]));
        let texts =
            [("resource_name", &self.name), ("resource_documentation", &self.documentation)];
        for (key, text) in texts {
            document.extend(text.as_ref().map(|text| (key.to_owned(), json!(text))));
        }
        Value::Object(document)
    }

    /// Returns the path of the metadata document on the host of the resource.
    ///
    /// ```
    /// use genkit::mcp::server::ProtectedResource;
    ///
    /// let path = ProtectedResource::new("https://mcp.example.com/ai/mcp").metadata_path();
    /// assert_eq!(path, "/.well-known/oauth-protected-resource/ai/mcp");
    /// ```
    pub fn metadata_path(&self) -> String {
        let path = self.uri().map_or_else(String::new, |uri| uri.path().to_owned());
        format!("{WELL_KNOWN}{}", if path == "/" { "" } else { &path })
    }

    /// Returns a router that serves the metadata document at the root, for an app that nests
    /// [`McpServer::router`] under a path.
    ///
    /// ```
    /// # use genkit::{Genkit, Registry, tool, tools};
    /// # use genkit::mcp::server::{Principal, ProtectedResource, TokenError};
    /// # /// Adds.
    /// # #[tool] async fn add(a: i64, b: i64) -> i64 { a + b }
    /// # async fn verify(_: String) -> Result<Principal, TokenError> { Ok(Principal::new("ada")) }
    /// # fn main() -> genkit::Result<()> {
    /// # let genkit = Genkit::builder().registry(Registry::new().add(tools![add])).build()?;
    /// let resource = ProtectedResource::new("https://example.com/ai/mcp")
    ///     .with_authorization_server("https://login.example.com");
    /// let server = genkit.serve_mcp().authenticate(verify).protected_resource(resource.clone());
    /// let app = axum::Router::<()>::new().nest("/ai", server.router()?).merge(resource.router());
    /// # let _ = app;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// [`McpServer::router`]: crate::builder::McpServer::router
    pub fn router(&self) -> Router {
        let document = Bytes::from(self.metadata().to_string());
        let answer = move |method: Method| {
            let document = document.clone();
            async move { document_answer(&method, document).map(axum::body::Body::from).into_response() }
        };
        Router::new().route(&self.metadata_path(), axum::routing::any(answer))
    }

    pub(crate) fn metadata_url(&self) -> String {
        let (scheme, authority) = self.uri().map_or_else(Default::default, |uri| {
            let scheme = uri.scheme_str().unwrap_or_default().to_owned();
            (scheme, uri.authority().map(ToString::to_string).unwrap_or_default())
        });
        format!("{scheme}://{authority}{}", self.metadata_path())
    }

    pub(crate) fn required_scopes(&self) -> &[String] {
        &self.required
    }

    /// Returns an error if clients cannot use this metadata.
    pub(crate) fn check(&self) -> Result<(), E> {
        let fault = |why| Err(E::ProtectedResource { resource: self.resource.clone(), why });
        let Some(uri) = self.uri() else { return fault("it is not a URL") };
        let is_web = matches!(uri.scheme_str(), Some("https" | "http"));
        match uri.authority() {
            Some(authority) if is_web && !authority.as_str().contains('@') => {}
            _ => return fault("it must begin with `https://` and a host"),
        }
        if uri.query().is_some() || self.resource.contains('#') {
            return fault("it must not have a query or a fragment");
        }
        if self.servers.is_empty() {
            return fault("it has no authorization server; add `.with_authorization_server(..)`");
        }
        let is_scope = |scope: &String| {
            let plain = |byte: u8| byte.is_ascii_graphic() && byte != b'"' && byte != b'\\';
            !scope.is_empty() && scope.bytes().all(plain)
        };
        if !self.scopes.iter().chain(&self.required).all(is_scope) {
            return fault("a scope must not be empty or contain blanks, quotes or backslashes");
        }
        Ok(())
    }

    fn uri(&self) -> Option<Uri> {
        self.resource.parse().ok()
    }
}

/// Returns the response with the metadata. It is public, so web pages of any origin can read it.
pub(crate) fn document_answer(method: &Method, document: Bytes) -> Response<Bytes> {
    let (status, body) = match *method {
        Method::GET | Method::HEAD => (StatusCode::OK, document),
        Method::OPTIONS => (StatusCode::NO_CONTENT, Bytes::new()),
        _ => (StatusCode::METHOD_NOT_ALLOWED, Bytes::from_static(b"Method Not Allowed: use GET")),
    };
    let mut response = Response::new(body);
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    match status {
        StatusCode::OK => {
            headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        }
        _ => {
            headers.insert(ALLOW, HeaderValue::from_static("GET, HEAD, OPTIONS"));
            headers.insert(ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("GET"));
            headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, HeaderValue::from_static("*"));
        }
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resource_that_clients_cannot_use_is_rejected() {
        let of =
            |uri: &str| ProtectedResource::new(uri).with_authorization_server("https://a.example");
        assert_eq!(of("https://mcp.example.com/mcp").check().map_err(|e| e.to_string()), Ok(()));
        for wrong in [
            "mcp.example.com/mcp",
            "/mcp",
            "ftp://mcp.example.com/mcp",
            "https://user@mcp.example.com/mcp",
            "https://mcp.example.com/mcp?x",
            "https://mcp.example.com/mcp#x",
            "https://mcp example com",
            "",
        ] {
            assert!(of(wrong).check().is_err(), "{wrong}");
        }
        assert!(ProtectedResource::new("https://mcp.example.com/mcp").check().is_err());
        for scope in ["", "a b", "a\"", "ä"] {
            assert!(of("https://mcp.example.com").with_scopes([scope]).check().is_err(), "{scope}");
        }
    }

    #[test]
    fn metadata_is_at_the_rfc_9728_path() {
        let at = |uri: &str| ProtectedResource::new(uri).metadata_url();
        let base = "https://mcp.example.com:8443/.well-known/oauth-protected-resource";
        assert_eq!(at("https://mcp.example.com:8443"), base);
        assert_eq!(at("https://mcp.example.com:8443/"), base);
        assert_eq!(at("https://mcp.example.com:8443/ai/mcp"), format!("{base}/ai/mcp"));
    }
}
