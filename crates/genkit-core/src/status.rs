//! Canonical statuses: the names and HTTP codes of error kinds, as Genkit uses them in every language.

use crate::error::ErrorKind;

/// Each kind with its name and its HTTP status.
pub const STATUSES: [(ErrorKind, &str, u16); 15] = [
    (ErrorKind::Cancelled, "CANCELLED", 499),
    (ErrorKind::Unknown, "UNKNOWN", 500),
    (ErrorKind::InvalidArgument, "INVALID_ARGUMENT", 400),
    (ErrorKind::DeadlineExceeded, "DEADLINE_EXCEEDED", 504),
    (ErrorKind::NotFound, "NOT_FOUND", 404),
    (ErrorKind::AlreadyExists, "ALREADY_EXISTS", 409),
    (ErrorKind::PermissionDenied, "PERMISSION_DENIED", 403),
    (ErrorKind::Unauthenticated, "UNAUTHENTICATED", 401),
    (ErrorKind::ResourceExhausted, "RESOURCE_EXHAUSTED", 429),
    (ErrorKind::FailedPrecondition, "FAILED_PRECONDITION", 400),
    (ErrorKind::Aborted, "ABORTED", 409),
    (ErrorKind::OutOfRange, "OUT_OF_RANGE", 400),
    (ErrorKind::Unimplemented, "UNIMPLEMENTED", 501),
    (ErrorKind::Internal, "INTERNAL", 500),
    (ErrorKind::Unavailable, "UNAVAILABLE", 503),
];

/// Returns the name of a kind, for example `NOT_FOUND`.
pub fn status_name(kind: ErrorKind) -> &'static str {
    STATUSES.iter().find(|(known, ..)| *known == kind).map_or("UNKNOWN", |(_, name, _)| name)
}

/// Returns the HTTP status of a kind.
pub fn http_status(kind: ErrorKind) -> u16 {
    STATUSES.iter().find(|(known, ..)| *known == kind).map_or(500, |(.., http)| *http)
}

/// Returns the kind with this name, or `None` for an unknown name. `DATA_LOSS` has no kind and maps to `Internal`.
pub fn kind_from_name(name: &str) -> Option<ErrorKind> {
    if name == "DATA_LOSS" {
        return Some(ErrorKind::Internal);
    }
    STATUSES.iter().find(|(_, known, _)| *known == name).map(|(kind, ..)| *kind)
}

/// Returns the kind for an HTTP status, if the response contains no other information.
pub fn kind_from_http(status: u16) -> ErrorKind {
    match status {
        400 => ErrorKind::InvalidArgument,
        409 => ErrorKind::Aborted,
        204 => ErrorKind::NotFound,
        501 | 503 | 504 | 401 | 403 | 404 | 429 | 499 => STATUSES
            .iter()
            .find(|(.., http)| *http == status)
            .map_or(ErrorKind::Unknown, |(kind, ..)| *kind),
        500.. => ErrorKind::Internal,
        _ => ErrorKind::Unknown,
    }
}
