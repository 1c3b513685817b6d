//! Errors for malformed parameters of a known method.

use rmcp::model::{ClientCapabilities, ErrorData};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::method_names;
use crate::session::Era;

/// The error in the parameters.
#[derive(Debug, thiserror::Error)]
enum MalformedParams {
    #[error("missing")]
    Missing,
    #[error("they must be an object")]
    NotObject,
    #[error("`{0}` is missing")]
    MissingMember(&'static str),
    #[error("`{0}` must be a string")]
    NotAString(&'static str),
    #[error("`{0}` must be an object")]
    MemberNoObject(&'static str),
    #[error("`{0}`: {1}")]
    Member(String, String),
    #[error(
        "`level` must be `debug`, `info`, `notice`, `warning`, `error`, `critical`, `alert` or `emergency`"
    )]
    Level,
    #[error("they do not match the protocol's schema")]
    Schema,
}

/// Returns the error for an unknown method, or for parameters that do not match the method.
pub(crate) fn malformed_error(method: &str, params: Option<&Value>, era: Era) -> ErrorData {
    if !method_names::is_known(method, era) {
        return method_names::unknown_method(method, era);
    }
    let fault = params_fault(method, params);
    ErrorData::invalid_params(format!("malformed params of {method}: {fault}"), None)
}

fn params_fault(method: &str, params: Option<&Value>) -> MalformedParams {
    let Some(params) = params else { return MalformedParams::Missing };
    let Some(params) = params.as_object() else { return MalformedParams::NotObject };
    let text = |key| match params.get(key) {
        Some(Value::String(_)) => None,
        Some(_) => Some(MalformedParams::NotAString(key)),
        None => Some(MalformedParams::MissingMember(key)),
    };
    let object = |key| match params.get(key) {
        Some(Value::Object(_) | Value::Null) | None => None,
        Some(_) => Some(MalformedParams::MemberNoObject(key)),
    };
    let found = match method {
        "subscriptions/listen" => match params.get("notifications") {
            Some(_) => object("notifications"),
            None => Some(MalformedParams::MissingMember("notifications")),
        },
        "tools/call" | "prompts/get" => text("name").or_else(|| object("arguments")),
        "resources/read"
        | "resources/subscribe"
        | "resources/unsubscribe"
        | "resources/directory/read"
        | "skills/get" => text("uri"),
        "completion/complete" => object("ref").or_else(|| object("argument")),
        "logging/setLevel" => text("level").or(Some(MalformedParams::Level)),
        "initialize" => text("protocolVersion").or_else(|| initialize_fault(params)),
        "tasks/update" => text("taskId").or_else(|| object("inputResponses")),
        "tasks/get" | "tasks/cancel" => text("taskId"),
        _ => None,
    };
    found.unwrap_or(MalformedParams::Schema)
}

/// Finds the invalid member of a handshake.
fn initialize_fault(params: &Map<String, Value>) -> Option<MalformedParams> {
    for key in ["capabilities", "clientInfo"] {
        match params.get(key) {
            None => return Some(MalformedParams::MissingMember(key)),
            Some(Value::Object(_)) => {}
            Some(_) => return Some(MalformedParams::MemberNoObject(key)),
        }
    }
    let client = &params["clientInfo"];
    for (key, path) in [("name", "clientInfo.name"), ("version", "clientInfo.version")] {
        match client.get(key) {
            None => return Some(MalformedParams::MissingMember(path)),
            Some(Value::String(_)) => {}
            Some(_) => return Some(MalformedParams::NotAString(path)),
        }
    }
    for (key, value) in params["capabilities"].as_object()? {
        // Parse each capability separately, so that the error names it.
        let alone = Map::from_iter([(key.clone(), value.clone())]);
        if let Err(error) = ClientCapabilities::deserialize(&Value::Object(alone)) {
            return Some(MalformedParams::Member(format!("capabilities.{key}"), error.to_string()));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn invalid_initialize_names_its_member() {
        let info = json!({"name": "x", "version": "1"});
        for (params, member) in [
            (json!({"protocolVersion": "2025-06-18", "clientInfo": info}), "`capabilities` is"),
            (json!({"protocolVersion": "2025-06-18", "capabilities": {}}), "`clientInfo` is"),
            (json!({"capabilities": {}, "clientInfo": info}), "`protocolVersion` is missing"),
            (
                json!({"protocolVersion": "1", "capabilities": {}, "clientInfo": {"name": "x"}}),
                "`clientInfo.version` is missing",
            ),
            (
                json!({"protocolVersion": "1", "capabilities": {"roots": true}, "clientInfo": info}),
                "`capabilities.roots`: ",
            ),
            (json!({"protocolVersion": 1}), "`protocolVersion` must be a string"),
        ] {
            let error = malformed_error("initialize", Some(&params), Era::Legacy);
            assert!(error.message.contains(member), "{}", error.message);
        }
    }

    #[test]
    fn invalid_level_names_the_levels() {
        let error =
            malformed_error("logging/setLevel", Some(&json!({"level": "warn"})), Era::Legacy);
        assert!(error.message.contains("`level` must be `debug`"), "{}", error.message);
    }
}
