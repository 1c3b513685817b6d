use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};

use serde_json::{Value, json};

use super::Ollama;
use genkit_core::ErrorKind;
use genkit_core::Message;
use genkit_core::{Effort, ModelRequest};
use genkit_model::internal::Models;
use genkit_model::{ChunkSink, Embed, EmbedRequest};

/// Starts a server that sends these responses. Returns the path and the body of each request that it receives.
fn server(answers: Vec<(&'static str, Value)>) -> (String, Receiver<(String, Value)>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let (asked, seen) = channel();
    std::thread::spawn(move || {
        for (status, body) in answers {
            let (mut stream, _) = listener.accept().unwrap();
            let (mut request, mut piece) = (Vec::new(), [0; 65536]);
            let whole = loop {
                let count = stream.read(&mut piece).unwrap();
                request.extend_from_slice(&piece[..count]);
                let text = String::from_utf8_lossy(&request).into_owned();
                let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
                let length = head.to_lowercase();
                let length =
                    length.split("content-length: ").nth(1).unwrap().lines().next().unwrap();
                if body.len() == length.parse::<usize>().unwrap() {
                    let path = head.split(' ').nth(1).unwrap().to_owned();
                    break (path, serde_json::from_str(body).unwrap());
                }
            };
            asked.send(whole).unwrap();
            let body = body.to_string();
            let length = body.len();
            let head = format!(
                "HTTP/1.1 {status}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n"
            );
            stream.write_all(format!("{head}{body}").as_bytes()).unwrap();
        }
    });
    (url, seen)
}

fn request() -> ModelRequest {
    ModelRequest::new([Message::user("hi")])
}

fn scripted_response() -> Value {
    json!({"message": {"content": "hello"}, "done": true})
}

#[tokio::test]
async fn refused_connection_error_explains_how_to_start_ollama() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let ollama = Ollama::builder().base_url(url).build().unwrap();
    let error = ollama.model("m").generate(&request(), &ChunkSink::none()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    assert!(error.to_string().contains("`ollama serve`"), "{error}");
}

#[tokio::test]
async fn server_with_only_the_other_api_is_used() {
    let chat =
        json!({"choices": [{"message": {"content": "by the other"}, "finish_reason": "stop"}]});
    let vectors = json!({"data": [{"index": 0, "embedding": [1]}]});
    let gone = ("404 Not Found", json!({"detail": "Not Found"}));
    let (url, seen) =
        server(vec![gone, ("200 OK", chat.clone()), ("200 OK", chat), ("200 OK", vectors)]);
    let ollama = Ollama::builder().base_url(format!("{url}/v1")).build().unwrap();
    let model = ollama.model("m");
    for _ in 0..2 {
        let response = model.generate(&request(), &ChunkSink::none()).await.unwrap();
        assert_eq!(response.message.unwrap().text(), "by the other");
    }
    assert_eq!(ollama.embedder("e").embed(vec!["a".into()]).await.unwrap()[0].values(), [1.0]);
    let paths: Vec<_> = seen.try_iter().map(|(path, _)| path).collect();
    assert_eq!(
        paths,
        ["/api/chat", "/v1/chat/completions", "/v1/chat/completions", "/v1/embeddings"]
    );
}

#[tokio::test]
async fn api_detection_is_repeated_if_neither_api_is_found() {
    let gone = || ("404 Not Found", json!({"detail": "Not Found"}));
    let (url, seen) = server(vec![gone(), gone(), ("200 OK", scripted_response())]);
    let model = Ollama::builder().base_url(url).build().unwrap().model("m");
    let error = model.generate(&request(), &ChunkSink::none()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    assert!(model.generate(&request(), &ChunkSink::none()).await.is_ok());
    assert_eq!(seen.try_iter().last().unwrap().0, "/api/chat");
}

#[tokio::test]
async fn missing_model_is_not_a_missing_api() {
    let (url, seen) = server(vec![("404 Not Found", json!({"error": "model 'm' not found"}))]);
    let model = Ollama::builder().base_url(url).build().unwrap().model("m");
    let error = model.generate(&request(), &ChunkSink::none()).await.unwrap_err();
    assert!(error.to_string().contains("`ollama pull m`"), "{error}");
    assert_eq!(seen.try_iter().count(), 1);
}

#[tokio::test]
async fn thinking_is_disabled_for_models_that_reject_it() {
    let refusal = ("400 Bad Request", json!({"error": "\"m\" does not support thinking"}));
    let (url, seen) = server(vec![
        refusal.clone(),
        ("200 OK", scripted_response()),
        ("200 OK", scripted_response()),
        refusal,
    ]);
    let model = Ollama::builder().base_url(url).build().unwrap().model("m");
    let thinks = request().with_config("reasoningEffort", Effort::High.as_str());
    for _ in 0..2 {
        assert!(model.generate(&thinks, &ChunkSink::none()).await.is_ok());
    }
    let sent: Vec<_> = seen.try_iter().map(|(_, body)| body.get("think").cloned()).collect();
    assert_eq!(sent, [Some(json!(true)), None, None]);
    // An unsupported setting in the API's own format is rejected.
    let own = request().with_config("think", true);
    let error = model.generate(&own, &ChunkSink::none()).await.unwrap_err();
    assert!(error.to_string().contains("remove `reasoningEffort`"), "{error}");
}

#[test]
fn environment_sets_the_address() {
    let built = |variables: &[(&str, &str)]| {
        let find = |name: &str| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        };
        Ollama::builder().with_env(find).build_provider()
    };
    let shown = |variables: &[(&str, &str)]| built(variables).unwrap();
    assert_eq!(shown(&[]).settings.default_window, Some(4_096));
    let set = shown(&[
        ("OLLAMA_HOST", "gpu"),
        ("OLLAMA_CONTEXT_LENGTH", "32768"),
        ("OLLAMA_API_KEY", "k"),
    ]);
    assert_eq!(
        (set.settings.default_window, set.settings.key.as_deref()),
        (Some(32_768), Some("k"))
    );
    assert!(built(&[("OLLAMA_HOST", "ollama.com")]).is_err());
    let cloud = shown(&[("OLLAMA_HOST", "ollama.com"), ("OLLAMA_API_KEY", "k")]);
    assert_eq!(cloud.settings.default_window, None);
}

#[tokio::test]
async fn many_texts_go_in_several_calls_and_stay_in_order() {
    let vectors = |numbers: std::ops::Range<u32>| {
        let each: Vec<_> = numbers.map(|number| json!([number])).collect();
        ("200 OK", json!({"embeddings": each, "prompt_eval_count": 10}))
    };
    let (url, seen) = server(vec![vectors(0..256), vectors(256..300), vectors(0..2)]);
    let ollama = Ollama::builder().base_url(url).build().unwrap();
    let mut models = Models::default();
    models.add_provider(Arc::new(ollama));
    let embed = |texts: Vec<String>| {
        Embed::new(models.clone(), "ollama/nomic-embed-text".into(), EmbedRequest::new(texts))
    };
    let texts: Vec<String> = (0..300).map(|number| number.to_string()).collect();
    let embedded = embed(texts).await.unwrap();
    assert_eq!(embedded.usage.input_tokens, Some(20));
    for (at, embedding) in embedded.into_iter().enumerate() {
        assert_eq!(embedding.values(), [f64::from(u32::try_from(at).unwrap())]);
    }
    assert_eq!(seen.try_iter().nth(1).unwrap().1["input"][0], "256");
    // A response with too many vectors is rejected.
    let error = embed(vec!["a".to_owned()]).await.unwrap_err();
    assert_eq!(error.to_string(), "ollama/nomic-embed-text: sent 1 inputs but received 2 vectors");
    // Without texts, no request is sent.
    assert!(embed(Vec::new()).await.unwrap().embeddings.is_empty());
}
