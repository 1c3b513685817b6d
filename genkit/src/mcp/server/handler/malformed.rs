//! Malformed parameters of a known method: rmcp hands such a request over as a custom one.

use rmcp::model::{ErrorCode, ErrorData};
use serde_json::Value;

use crate::mcp::server::session::Era;

/// The methods whose parameters we know: malformed ones are the client's fault, not unknown.
const KNOWN_METHODS: [&str; 20] = [
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
    "skills/list",
    "skills/get",
    "resources/directory/read",
    "tasks/get",
    "tasks/update",
    "tasks/cancel",
];

/// Those of them that the 2026-07-28 protocol took away: unknown there, whatever their parameters.
const REMOVED_METHODS: [&str; 5] =
    ["initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"];

/// What is wrong with the parameters, as far as it can be told.
#[derive(Debug, thiserror::Error)]
enum ParamsFault {
    #[error("there are none")]
    Missing,
    #[error("they must be an object")]
    NoObject,
    #[error("`{0}` is missing")]
    NoMember(&'static str),
    #[error("`{0}` must be a string")]
    NoString(&'static str),
    #[error("`{0}` must be an object")]
    MemberNoObject(&'static str),
    #[error("they do not fit the protocol's schema")]
    Schema,
}

/// The error of a request that is unknown, or whose parameters are not those of its method.
pub(crate) fn refuse(method: &str, params: Option<&Value>, era: Era) -> ErrorData {
    let removed = era == Era::Modern && REMOVED_METHODS.contains(&method);
    let removed = removed || (era == Era::Legacy && method.starts_with("tasks/"));
    if removed || !KNOWN_METHODS.contains(&method) {
        return ErrorData::new(ErrorCode::METHOD_NOT_FOUND, method.to_owned(), None);
    }
    let fault = params_fault(method, params);
    ErrorData::invalid_params(format!("malformed params of {method}: {fault}"), None)
}

fn params_fault(method: &str, params: Option<&Value>) -> ParamsFault {
    let Some(params) = params else { return ParamsFault::Missing };
    let Some(params) = params.as_object() else { return ParamsFault::NoObject };
    let text = |key| match params.get(key) {
        Some(Value::String(_)) => None,
        Some(_) => Some(ParamsFault::NoString(key)),
        None => Some(ParamsFault::NoMember(key)),
    };
    let object = |key| match params.get(key) {
        Some(Value::Object(_) | Value::Null) | None => None,
        Some(_) => Some(ParamsFault::MemberNoObject(key)),
    };
    let found = match method {
        "tools/call" | "prompts/get" => text("name").or_else(|| object("arguments")),
        "resources/read"
        | "resources/subscribe"
        | "resources/unsubscribe"
        | "resources/directory/read"
        | "skills/get" => text("uri"),
        "completion/complete" => object("ref").or_else(|| object("argument")),
        "logging/setLevel" => text("level"),
        "tasks/update" => text("taskId").or_else(|| object("inputResponses")),
        "tasks/get" | "tasks/cancel" => text("taskId"),
        _ => None,
    };
    found.unwrap_or(ParamsFault::Schema)
}
