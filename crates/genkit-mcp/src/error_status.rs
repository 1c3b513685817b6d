//! The kind of an error on the wire, so that a failure has the same kind on both sides of a connection.
//!
//! JSON-RPC codes are coarser than kinds. If the code of an error does not imply its kind, the status name is sent in
//! `data`. The status of a failed tool is sent in the `_meta` of its result.

use genkit_core::ErrorKind;
use genkit_core::internal::status;
use rmcp::model::{ErrorCode, ErrorData};
use serde_json::{Map, Value};

/// The member of an error's `data`, and the key in the `_meta` of a failed tool's result.
const STATUS: &str = "genkit/status";

/// Adds the status of `kind` to an error, unless its code implies the kind. Data that is not an object is left
/// unchanged.
pub fn mark_error(mut error: ErrorData, kind: ErrorKind) -> ErrorData {
    if kind_of_code(error.code) == kind || kind == ErrorKind::Unknown {
        return error;
    }
    match &mut error.data {
        Some(Value::Object(data)) => mark_meta(data, kind),
        Some(_) => {}
        data @ None => {
            let mut members = Map::new();
            mark_meta(&mut members, kind);
            *data = Some(Value::Object(members));
        }
    }
    error
}

/// Adds the status of `kind` to the `_meta` of a failed tool's result.
pub fn mark_meta(meta: &mut Map<String, Value>, kind: ErrorKind) {
    meta.insert(STATUS.to_owned(), status::status_name(kind).into());
}

/// Returns the kind of an error: its status, or else the kind that its code implies.
pub fn kind_of_error(code: ErrorCode, data: Option<&Value>) -> ErrorKind {
    data.and_then(kind_of_meta).unwrap_or_else(|| kind_of_code(code))
}

/// Returns the kind in the `_meta` of a failed tool's result, if any.
pub fn kind_of_meta(meta: &Value) -> Option<ErrorKind> {
    meta.get(STATUS)?.as_str().and_then(status::kind_from_name)
}

fn kind_of_code(code: ErrorCode) -> ErrorKind {
    match code {
        ErrorCode::INVALID_PARAMS | ErrorCode::INVALID_REQUEST | ErrorCode::PARSE_ERROR => {
            ErrorKind::InvalidArgument
        }
        ErrorCode::METHOD_NOT_FOUND => ErrorKind::Unimplemented,
        ErrorCode::RESOURCE_NOT_FOUND => ErrorKind::NotFound,
        ErrorCode::INTERNAL_ERROR => ErrorKind::Internal,
        ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY => ErrorKind::FailedPrecondition,
        _ => ErrorKind::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn kind_after_the_wire(code: ErrorCode, data: Option<Value>, kind: ErrorKind) -> ErrorKind {
        let sent = mark_error(ErrorData::new(code, "failed", data), kind);
        kind_of_error(sent.code, sent.data.as_ref())
    }

    #[test]
    fn error_kind_is_preserved_for_any_code() {
        for kind in [ErrorKind::NotFound, ErrorKind::Aborted, ErrorKind::InvalidArgument] {
            for data in [None, Some(json!({ "uri": "a://b" }))] {
                assert_eq!(kind_after_the_wire(ErrorCode::INVALID_PARAMS, data, kind), kind);
            }
        }
    }

    #[test]
    fn error_with_a_specific_code_is_not_marked() {
        let error = ErrorData::new(ErrorCode::INVALID_PARAMS, "failed", None);
        assert_eq!(mark_error(error, ErrorKind::InvalidArgument).data, None);
    }

    #[test]
    fn status_that_no_kind_has_is_ignored() {
        let data = json!({ "genkit/status": "SLEEPY" });
        assert_eq!(kind_of_error(ErrorCode::INTERNAL_ERROR, Some(&data)), ErrorKind::Internal);
    }
}
