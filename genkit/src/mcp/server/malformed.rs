//! Requests of a known method whose parameters do not fit: rmcp hands them over as unknown ones.

use rmcp::model::{CustomRequest, ErrorCode, ErrorData};
use serde_json::Value;

use super::session::Era;

/// The methods whose parameters we know: malformed ones are the client's fault, not unknown.
const KNOWN_METHODS: [&str; 14] = [
    "initialize",
    "server/discover",
    "ping",
    "tools/list",
    "tools/call",
    "prompts/list",
    "prompts/get",
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "resources/subscribe",
    "resources/unsubscribe",
    "completion/complete",
    "logging/setLevel",
];

/// Those of them that the 2026-07-28 protocol took away: unknown there, whatever their parameters.
const REMOVED_METHODS: [&str; 5] =
    ["initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"];

/// The answer to a request that rmcp could not read.
pub(crate) fn refuse(asked: CustomRequest, era: Era) -> ErrorData {
    let method = asked.method.as_str();
    let removed = era == Era::Modern && REMOVED_METHODS.contains(&method);
    if KNOWN_METHODS.contains(&method) && !removed {
        let said = format!("malformed params of {}: {}", asked.method, malformed(&asked));
        return ErrorData::invalid_params(said, None);
    }
    ErrorData::new(ErrorCode::METHOD_NOT_FOUND, asked.method, None)
}

/// What is wrong with the parameters of a known method, as far as it can be told.
fn malformed(asked: &CustomRequest) -> String {
    let Some(params) = &asked.params else { return "there are none".to_owned() };
    let Some(params) = params.as_object() else { return "they must be an object".to_owned() };
    let text = |key: &str| match params.get(key) {
        Some(Value::String(_)) => None,
        Some(_) => Some(format!("`{key}` must be a string")),
        None => Some(format!("`{key}` is missing")),
    };
    let object = |key: &str| match params.get(key) {
        Some(Value::Object(_) | Value::Null) | None => None,
        Some(_) => Some(format!("`{key}` must be an object")),
    };
    let found = match asked.method.as_str() {
        "tools/call" | "prompts/get" => text("name").or_else(|| object("arguments")),
        "resources/read" | "resources/subscribe" | "resources/unsubscribe" => text("uri"),
        "completion/complete" => object("ref").or_else(|| object("argument")),
        "logging/setLevel" => text("level"),
        _ => None,
    };
    found.unwrap_or_else(|| "they do not fit the protocol's schema".to_owned())
}
