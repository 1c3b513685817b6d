use serde_json::{Value, json};

use super::Ollama;
use crate::embedder::OllamaEmbedWire;
use genkit_model::internal::http::EmbedWire as _;
use genkit_model::{EmbedRequest, EmbedTask};

fn wire() -> OllamaEmbedWire {
    let ollama = Ollama::builder().num_ctx(512).build().unwrap();
    OllamaEmbedWire { settings: ollama.settings, model: "nomic-embed-text".into() }
}

fn body(request: &EmbedRequest) -> Value {
    let call = wire().encode_request(request, &request.texts).unwrap();
    assert_eq!(call.path, "/api/embed");
    serde_json::from_slice(&call.body).unwrap()
}

#[test]
fn text_that_is_too_long_is_not_cut_unless_that_is_asked_for() {
    let request = EmbedRequest::new(["a", "b"]).with_dimensions(64).with_task(EmbedTask::Query);
    assert_eq!(
        body(&request),
        json!({"model": "nomic-embed-text", "input": ["a", "b"], "truncate": false, "dimensions": 64,
            "options": {"num_ctx": 512}})
    );
    let request = EmbedRequest::new(["a"])
        .with_config("truncate", true)
        .with_config("num_ctx", 1024)
        .with_config("version", "other");
    let body = body(&request);
    assert_eq!((&body["truncate"], &body["options"]["num_ctx"]), (&json!(true), &json!(1024)));
    assert_eq!(body["model"], "other");
}

#[test]
fn vectors_are_read() {
    let body = json!({"model": "m", "embeddings": [[0.5], [1]], "prompt_eval_count": 4});
    let response = wire().decode_response(body.to_string().as_bytes()).unwrap();
    assert_eq!(
        (response.embeddings[1].values(), response.usage.input_tokens),
        (&[1.0][..], Some(4))
    );
    for odd in ["{", r#"{"embeddings": [["x"]]}"#, r#"{"embeddings": [1]}"#] {
        assert!(wire().decode_response(odd.as_bytes()).is_err(), "{odd}");
    }
}
