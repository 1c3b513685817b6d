//! MCP Apps (`io.modelcontextprotocol/ui`): pages that belong to tools, and their permissions.

use genkit_uri_template::is_origin;
use serde_json::{Map, Value, json};

/// The media type of a page.
pub const APP_MIME_TYPE: &str = "text/html;profile=mcp-app";

/// The identifier of the extension for MCP Apps.
pub const APP_EXTENSION: &str = "io.modelcontextprotocol/ui";

/// The page of an MCP App: the origins that it may load from, and its browser permissions. By default, the page may use
/// only its own HTML.
///
/// A client shows the page in a sandboxed frame. It enforces the origins with a content security policy, and the browser
/// permissions with the permissions policy of the frame.
///
/// ```
/// use genkit::action::{AppPage, Resource};
/// use genkit::Context;
///
/// let page = AppPage::new().connect(["https://api.example.com"]).permission("clipboard-write");
/// let cart = Resource::builder("ui://shop/cart", "cart", "The cart.")
///     .app(page)
///     .handler(|_: Context, (): ()| async { Ok("<!doctype html><title>Cart</title>") });
/// assert_eq!(cart.mime_type(), Some("text/html;profile=mcp-app"));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[must_use = "a page does nothing until it is passed to `.app(..)` of a resource"]
pub struct AppPage {
    /// The lists of the content security policy.
    csp: Map<String, Value>,
    permissions: Map<String, Value>,
    prefers_border: Option<bool>,
    domain: Option<String>,
}

impl AppPage {
    /// Creates a page without permissions.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds origins that the page may send requests to, such as `https://api.example.com`. Entries that are not origins
    /// are omitted with a warning; this applies to all lists of origins.
    pub fn connect(self, origins: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.with_origins("connectDomains", origins)
    }

    /// Adds origins that the page may load scripts, styles, images, fonts and media from.
    pub fn resources(self, origins: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.with_origins("resourceDomains", origins)
    }

    /// Adds origins that the page may embed frames from.
    pub fn frames(self, origins: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.with_origins("frameDomains", origins)
    }

    /// Adds origins that the page may use as its base URI.
    pub fn base_uris(self, origins: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.with_origins("baseUriDomains", origins)
    }

    /// Requests a browser permission: `camera`, `microphone`, `geolocation` or `clipboard-write`.
    pub fn permission(mut self, name: &str) -> Self {
        let name = if name == "clipboard-write" { "clipboardWrite" } else { name };
        self.permissions.insert(name.to_owned(), json!({}));
        self
    }

    /// Sets whether the client should draw a border around the page. Default is the client's choice.
    pub fn prefers_border(mut self, yes: bool) -> Self {
        self.prefers_border = Some(yes);
        self
    }

    /// Sets the domain of the page, for clients that host each app on its own domain. The client specifies the format.
    pub fn domain(mut self, domain: impl Into<String>) -> Self {
        self.domain = Some(domain.into());
        self
    }

    fn with_origins(
        mut self,
        list: &str,
        origins: impl IntoIterator<Item = impl Into<String>>,
    ) -> Self {
        let (good, bad): (Vec<String>, Vec<String>) =
            origins.into_iter().map(Into::into).partition(|origin| is_origin(origin));
        if !bad.is_empty() {
            tracing::warn!(list, origins = ?bad, "omitted invalid origins from the permissions of an app");
        }
        let known = self.csp.entry(list).or_insert_with(|| json!([]));
        if let Value::Array(known) = known {
            known.extend(good.into_iter().map(Value::from));
        }
        self
    }

    /// Returns the `_meta.ui` of the resource.
    pub(crate) fn to_json(&self) -> Value {
        let mut ui = Map::new();
        if !self.csp.is_empty() {
            ui.insert("csp".to_owned(), self.csp.clone().into());
        }
        if !self.permissions.is_empty() {
            ui.insert("permissions".to_owned(), self.permissions.clone().into());
        }
        ui.extend(self.prefers_border.map(|yes| ("prefersBorder".to_owned(), yes.into())));
        ui.extend(self.domain.clone().map(|domain| ("domain".to_owned(), domain.into())));
        ui.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origin_is_a_scheme_and_a_host() {
        for origin in [
            "https://api.example.com",
            "https://*.example.com",
            "http://localhost:8000",
            "wss://a.example:1",
        ] {
            assert!(is_origin(origin), "{origin}");
        }
        for other in [
            "",
            "*",
            "https:",
            "https://",
            "https://*",
            "api.example.com",
            "data:",
            "https://a/b",
            "https://a; script-src *",
            "https://a 'unsafe-inline'",
            "https://a:",
            "https://a:x",
            "'self'",
        ] {
            assert!(!is_origin(other), "{other}");
        }
    }

    #[test]
    fn permissions_are_serialized_as_specified() {
        let page = AppPage::new()
            .connect(["https://a.example", "bad origin"])
            .permission("clipboard-write")
            .prefers_border(true);
        let expected = json!({
            "csp": {"connectDomains": ["https://a.example"]},
            "permissions": {"clipboardWrite": {}},
            "prefersBorder": true,
        });
        assert_eq!(page.to_json(), expected);
        assert_eq!(AppPage::new().to_json(), json!({}));
    }
}
