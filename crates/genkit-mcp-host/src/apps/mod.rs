//! MCP Apps (`io.modelcontextprotocol/ui`): user interfaces for the tools of a server.

mod error;
mod page;
mod rights;

use std::borrow::Cow;

use serde_json::Value;

pub use page::McpApp;
pub use rights::AppRights;

/// The scheme of pages.
const SCHEME: &str = "ui://";

/// Returns whether a model may use a tool with this `_meta`.
pub(crate) fn is_for_models(meta: &Value) -> bool {
    meta.get("ui").is_none_or(is_ui_for_models)
}

/// Returns whether the pages of the server may use a tool with this `_meta`, which is the default.
fn is_for_pages(meta: &Value) -> bool {
    match meta.get("ui").and_then(|ui| ui.get("visibility")) {
        None | Some(Value::Null) => true,
        Some(Value::Array(who)) => who.iter().any(|who| who == "app"),
        Some(_) => false,
    }
}

/// Adds the key of the server to the URI of a page, `ui://key/..`, so that it is unique in a host. Other URIs are
/// unchanged.
pub(crate) fn shared_uri<'a>(key: &str, uri: &'a str) -> Cow<'a, str> {
    match uri.strip_prefix(SCHEME) {
        Some(rest) if !key.is_empty() => format!("{SCHEME}{key}/{rest}").into(),
        _ => uri.into(),
    }
}

/// Returns the server's own URI for a URI from [`shared_uri`].
pub(crate) fn own_uri<'a>(key: &str, uri: &'a str) -> Cow<'a, str> {
    let own = uri.strip_prefix(SCHEME).and_then(|rest| rest.strip_prefix(key)?.strip_prefix('/'));
    own.map_or(uri.into(), |rest| format!("{SCHEME}{rest}").into())
}

/// Replaces the page URI in the origin of a tool with its [`shared_uri`].
pub(crate) fn share_page(key: &str, origin: &mut Value) {
    // Older servers use the second form.
    for pointer in ["/_meta/ui/resourceUri", "/_meta/ui~1resourceUri"] {
        if let Some(Value::String(uri)) = origin.pointer_mut(pointer) {
            *uri = shared_uri(key, uri).into_owned();
        }
    }
}

/// Returns whether a model may use a tool with this `ui` in its `_meta`, which is the default. If the visibility is
/// malformed, models are excluded.
pub(crate) fn is_ui_for_models(ui: &Value) -> bool {
    match ui.get("visibility") {
        None | Some(Value::Null) => true,
        Some(Value::Array(who)) => who.iter().any(|who| who == "model"),
        Some(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn tool_is_for_models_unless_its_visibility_leaves_them_out() {
        for (meta, expected) in [
            (json!(null), true),
            (json!({}), true),
            (json!({"ui": {}}), true),
            (json!({"ui": {"visibility": null}}), true),
            (json!({"ui": {"visibility": ["model"]}}), true),
            (json!({"ui": {"visibility": ["app", "model"]}}), true),
            (json!({"ui": {"visibility": ["app"]}}), false),
            (json!({"ui": {"visibility": []}}), false),
            (json!({"ui": {"visibility": "app"}}), false),
            (json!({"ui": {"visibility": ["Model", 7]}}), false),
        ] {
            assert_eq!(is_for_models(&meta), expected, "{meta}");
        }
    }

    #[test]
    fn uris_of_pages_of_two_servers_differ_and_lead_back() {
        for uri in ["ui://cart", "ui://shop/cart", "ui://a/b/c?d=e", "ui://"] {
            let [a, b] = ["a", "b"].map(|key| shared_uri(key, uri));
            assert_ne!(a, b);
            assert_eq!((own_uri("a", &a), own_uri("b", &b)), (uri.into(), uri.into()));
        }
        assert_eq!(shared_uri("a", "note://1"), "note://1");
        assert_eq!(own_uri("a", "note://1"), "note://1");
        // The URI of another server's page is unchanged.
        assert_eq!(own_uri("a", "ui://b/cart"), "ui://b/cart");
    }
}
