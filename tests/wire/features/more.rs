//! Features of a provider other than responses.

use genkit::model::ModelRequest;
use genkit::{ErrorKind, Message};
use serde_json::json;

use super::{Cell, Row, Topic, must, no, row, yes};
use crate::cases;
use crate::faults::server::http;
use crate::mock::{Mock, dialect};

pub(super) const TOPIC: Topic = ("Other features", ROWS);

const ROWS: &[Row] = &[
    row!("`count_tokens()`", counted),
    row!("embeddings: `genkit::embed(..)`", embedded),
    row!("errors include the retry delay and the request id", told),
];

async fn counted(provider: &'static str) -> Cell {
    let body = json!({"totalTokens": 42, "input_tokens": 42}).to_string();
    let mock = Mock::answers(dialect(provider), move |_, _| http("200 OK", "", &body));
    let request = ModelRequest::new([Message::user("hi")]);
    match mock.model(provider).count_tokens(&request).await {
        Ok(count) => {
            must!(count == 42, "{count}");
            yes()
        }
        Err(error) => {
            must!(error.kind() == ErrorKind::Unimplemented, "{error}");
            no()
        }
    }
}

async fn embedded(provider: &'static str) -> Cell {
    let body = match provider {
        "gemini" => json!({"embeddings": [{"values": [0.5, 1]}, {"values": [1, 0]}]}),
        "ollama" => json!({"model": "m", "embeddings": [[0.5, 1], [1, 0]]}),
        _ => {
            json!({"data": [{"index": 1, "embedding": [1, 0]}, {"index": 0, "embedding": [0.5, 1]}]})
        }
    };
    let mock = Mock::answers(dialect(provider), move |_, _| http("200 OK", "", &body.to_string()));
    let made = cases::provider(provider, &mock.url);
    match made.embedder("an-embedder") {
        Ok(embedder) => {
            let texts = vec!["one".to_owned(), "two".to_owned()];
            let embedded = embedder.embed(texts).await?;
            let values: Vec<_> = embedded.iter().map(|one| one.values().to_vec()).collect();
            must!(values == [[0.5, 1.0], [1.0, 0.0]], "{values:?}");
            yes()
        }
        Err(error) => {
            must!(error.kind() == ErrorKind::Unimplemented, "{error}");
            no()
        }
    }
}

async fn told(provider: &'static str) -> Cell {
    let dialect = dialect(provider);
    let body = dialect.failure(429, "slow down").to_string();
    let head = "retry-after: 7\r\nx-request-id: req-42\r\n";
    let mock = Mock::answers(dialect, move |_, _| http("429 Too Many Requests", head, &body));
    let request = ModelRequest::new([Message::user("hi")]);
    let error = super::ask(provider, &mock, &request).await.err().ok_or("no error")?;
    must!(error.retry_after().is_some_and(|wait| wait.as_secs() == 7), "{error}");
    must!(error.to_string().contains("req-42"), "{error}");
    yes()
}
