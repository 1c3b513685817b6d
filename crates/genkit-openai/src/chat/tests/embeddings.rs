use serde_json::{Value, json};

use crate::chat::embedder::OpenAiEmbedWire;
use genkit_model::internal::http::EmbedWire as _;
use genkit_model::{EmbedRequest, EmbedTask};

fn wire() -> OpenAiEmbedWire {
    OpenAiEmbedWire {
        settings: super::at("openai", "m").settings,
        model: "text-embedding-3-small".into(),
    }
}

#[test]
fn texts_go_in_one_list() {
    let request = EmbedRequest::new(["a", "b"])
        .with_dimensions(256)
        .with_task(EmbedTask::Query)
        .with_config("user", "u")
        .with_config("apiKey", "other");
    let call = wire().encode_request(&request, &request.texts).unwrap();
    assert_eq!(call.path, "/embeddings");
    assert!(call.headers.contains(&("authorization", "Bearer other".into())));
    let body: Value = serde_json::from_slice(&call.body).unwrap();
    assert_eq!(
        body,
        json!({"model": "text-embedding-3-small", "input": ["a", "b"], "user": "u", "dimensions": 256})
    );
}

#[test]
fn vectors_are_sorted_by_index() {
    let body = json!({"data": [{"index": 1, "embedding": [1]}, {"index": 0, "embedding": [0.5]}],
        "usage": {"prompt_tokens": 3, "total_tokens": 3}});
    let response = wire().decode_response(body.to_string().as_bytes()).unwrap();
    assert_eq!(response.usage.input_tokens, Some(3));
    assert_eq!(response.embeddings[0].values(), [0.5]);
    let body = json!({"data": [{"embedding": [2]}, {"embedding": [1]}]});
    let response = wire().decode_response(body.to_string().as_bytes()).unwrap();
    assert_eq!(response.embeddings[0].values(), [2.0]);
    let error =
        wire().decode_response(br#"{"error": {"message": "no", "code": 429}}"#).unwrap_err();
    assert!(error.to_string().contains("no"), "{error}");
    for odd in ["{", r#"{"data": [{"embedding": "AAA="}]}"#, r#"{"data": 7}"#] {
        assert!(wire().decode_response(odd.as_bytes()).is_err(), "{odd}");
    }
}
