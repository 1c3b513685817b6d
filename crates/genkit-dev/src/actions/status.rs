//! Error statuses: failed runs in the form of Genkit's tools, with gRPC's status codes.

use serde_json::{Map, Value, json};

use genkit_core::{Error, ErrorKind};

/// A failed run. The details are always present, since the tools require them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ErrorStatus {
    pub(crate) code: u32,
    pub(crate) message: String,
    pub(crate) details: Map<String, Value>,
}

impl ErrorStatus {
    /// Converts the error of a run with the trace `trace_id`, which is `None` if nothing was run.
    pub(crate) fn from_error(error: &Error, trace_id: Option<&str>) -> Self {
        let mut details = match error.details() {
            Some(Value::Object(details)) => details.clone(),
            Some(Value::Null) | None => Map::new(),
            Some(other) => Map::from_iter([("data".to_owned(), other.clone())]),
        };
        details.insert("stack".to_owned(), format!("{error:?}").into());
        if let Some(trace_id) = trace_id {
            details.insert("traceId".to_owned(), trace_id.into());
        }
        Self { code: status_code(error.kind()), message: error.to_string(), details }
    }

    pub(crate) fn to_json(&self) -> Value {
        json!({ "code": self.code, "message": self.message, "details": self.details })
    }
}

/// Returns the gRPC status code of a kind.
fn status_code(kind: ErrorKind) -> u32 {
    match kind {
        ErrorKind::Cancelled => 1,
        ErrorKind::InvalidArgument => 3,
        ErrorKind::DeadlineExceeded => 4,
        ErrorKind::NotFound => 5,
        ErrorKind::AlreadyExists => 6,
        ErrorKind::PermissionDenied => 7,
        ErrorKind::ResourceExhausted => 8,
        ErrorKind::FailedPrecondition => 9,
        ErrorKind::Aborted => 10,
        ErrorKind::OutOfRange => 11,
        ErrorKind::Unimplemented => 12,
        ErrorKind::Internal => 13,
        ErrorKind::Unavailable => 14,
        ErrorKind::Unauthenticated => 16,
        // `ErrorKind::Unknown`
        _ => 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn details_are_always_an_object_with_the_stack_and_the_trace() {
        let plain = ErrorStatus::from_error(&Error::not_found("no note 7"), Some("ab"));
        assert_eq!((plain.code, plain.message.as_str()), (5, "no note 7"));
        assert_eq!(
            plain.to_json()["details"],
            json!({"stack": "NotFound: no note 7", "traceId": "ab"})
        );

        let with =
            |details| ErrorStatus::from_error(&Error::not_found("x").with_details(details), None);
        assert_eq!(with(json!({"id": 7})).details["id"], 7);
        assert_eq!(with(json!([7])).details["data"], json!([7]));
        assert_eq!(with(Value::Null).to_json()["details"], json!({"stack": "NotFound: x"}));
    }

    #[test]
    fn stack_has_the_causes() {
        let error = Error::new(ErrorKind::Internal, "cannot save")
            .with_source(std::io::Error::other("full"));
        let status = ErrorStatus::from_error(&error, None);
        assert_eq!((status.code, &*status.message), (13, "cannot save"));
        assert_eq!(status.details["stack"], "Internal: cannot save: full");
    }
}
