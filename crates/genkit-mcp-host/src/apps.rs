//! MCP Apps (`io.modelcontextprotocol/ui`): interfaces that belong to the tools of a server.

use serde_json::Value;

/// Returns whether a model may use a tool with this `_meta`.
pub(crate) fn is_for_models(meta: &Value) -> bool {
    meta.get("ui").is_none_or(is_ui_for_models)
}

/// Returns whether a model may use a tool with this `ui` in its `_meta`: by default it may. If the visibility has another
/// form than the extension specifies, it may not.
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
}
