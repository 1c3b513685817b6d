use genkit_core::ErrorKind;
use genkit_core::internal::status::*;

#[test]
fn kind_survives_its_name() {
    for (kind, name, http) in STATUSES {
        assert_eq!(kind_from_name(status_name(kind)), Some(kind), "{name}");
        assert_eq!(http_status(kind), http, "{name}");
    }
    assert_eq!(kind_from_name("DATA_LOSS"), Some(ErrorKind::Internal));
    assert_eq!(kind_from_name("Not Found"), None);
}

#[test]
fn bare_status_has_a_kind() {
    for (http, kind) in [
        (400, ErrorKind::InvalidArgument),
        (401, ErrorKind::Unauthenticated),
        (409, ErrorKind::Aborted),
        (418, ErrorKind::Unknown),
        (500, ErrorKind::Internal),
        (502, ErrorKind::Internal),
        (503, ErrorKind::Unavailable),
    ] {
        assert_eq!(kind_from_http(http), kind, "{http}");
    }
}
