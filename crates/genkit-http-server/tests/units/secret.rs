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
        assert_eq!(is_the_secret(given.as_bytes(), b"secret"), same, "{given}");
    }
    assert!(!is_the_secret(b"", b"") && !is_the_secret(b"x", b""));
}
