use super::error::decode_error;
use genkit_core::{Error, ErrorKind};

fn error_of(status: u16, body: &str) -> Error {
    decode_error("qwen3:8b", status, &|_| None, body.as_bytes())
}

fn says(status: u16, body: &str, kind: ErrorKind, words: &str) {
    let error = error_of(status, body);
    assert_eq!(error.kind(), kind, "{error}");
    assert!(error.to_string().contains(words), "{error}");
}

#[test]
fn error_suggests_a_fix() {
    let pull = "ollama: HTTP 404: model 'qwen3:8b' not found; download the model with `ollama pull qwen3:8b`";
    says(404, r#"{"error": "model 'qwen3:8b' not found"}"#, ErrorKind::NotFound, pull);
    let tools = r#"{"error": "registry.ollama.ai/library/qwen3:8b does not support tools"}"#;
    says(
        400,
        tools,
        ErrorKind::InvalidArgument,
        "does not support tools; use another model (`ollama show qwen3:8b`",
    );
    says(400, tools, ErrorKind::InvalidArgument, "remove `.tools(..)`");
    let thinking = r#"{"error": "\"qwen3:8b\" does not support thinking"}"#;
    says(400, thinking, ErrorKind::InvalidArgument, "remove `reasoningEffort`");
    says(
        401,
        r#"{"error": "unauthorized", "signin_url": "x"}"#,
        ErrorKind::Unauthenticated,
        "`ollama signin`",
    );
    let long = r#"{"error": "the input length exceeds the context length"}"#;
    says(400, long, ErrorKind::InvalidArgument, "`num_ctx`");
}

#[test]
fn unknown_server_is_distinguished_from_a_missing_model() {
    for body in [
        "404 page not found",
        r#"{"detail": "Not Found"}"#,
        r#"{"error": {"message": "x"}}"#,
        "<html>",
        "",
    ] {
        says(404, body, ErrorKind::NotFound, "the server has no `/api/chat`");
    }
    let proxy = error_of(502, "<html>bad gateway</html>");
    assert!(proxy.kind() == ErrorKind::Unavailable && proxy.is_retryable());
}

#[test]
fn out_of_memory_error_is_not_retried() {
    let error = error_of(
        500,
        r#"{"error": "model requires more system memory (9 GiB) than is available"}"#,
    );
    assert!(!error.is_retryable());
    assert!(error_of(500, r#"{"error": "x"}"#).is_retryable());
    let wait =
        decode_error("m", 503, &|name| (name == "retry-after").then(|| "2".to_owned()), b"{}");
    assert_eq!(wait.retry_after().unwrap().as_secs(), 2);
}
