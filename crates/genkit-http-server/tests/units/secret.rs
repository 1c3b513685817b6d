use genkit_http_server::internal::*;

#[test]
fn secret_is_compared_whole() {
    for (given, same) in [
        ("secret", true),
        ("secre", false),
        ("secrets", false),
        ("secretsecret", false),
        ("", false),
    ] {
        assert_eq!(matches_secret(given.as_bytes(), b"secret"), same, "{given}");
    }
    assert!(!matches_secret(b"", b"") && !matches_secret(b"x", b""));
}
