//! An HTTP server that records its requests.

use std::sync::{Arc, Mutex};

use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use genkit::serde_json::{Value, json};
use tokio::net::TcpListener;

/// A request that the server received.
#[derive(Clone, Debug)]
pub struct Sent {
    pub line: String,
    pub headers: HeaderMap,
    pub body: String,
}

impl Sent {
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }
}

#[derive(Clone)]
pub struct Server {
    pub url: String,
    sent: Arc<Mutex<Vec<Sent>>>,
}

impl Server {
    /// Starts a server that responds with the result of `answer` for the path.
    pub async fn start(answer: impl Fn(&str) -> Response + Clone + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let sent: Arc<Mutex<Vec<Sent>>> = Arc::default();
        let kept = Arc::clone(&sent);
        let app = axum::Router::new().fallback(move |request: Request| {
            let (kept, answer) = (Arc::clone(&kept), answer.clone());
            async move {
                let (head, body) = request.into_parts();
                let body = to_bytes(body, 1 << 20).await.unwrap();
                let line = format!("{} {}", head.method, head.uri);
                let body = String::from_utf8(body.to_vec()).unwrap();
                let path = head.uri.path().to_owned();
                kept.lock().unwrap().push(Sent { line, headers: head.headers, body });
                if path.ends_with("/slow") {
                    tokio::time::sleep(std::time::Duration::from_secs(20)).await;
                }
                answer(&path)
            }
        });
        tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
        Self { url, sent }
    }

    /// Starts a server that responds to every request with `{"ok": true}`.
    pub async fn echo() -> Self {
        Self::start(|_| json_response(&json!({"ok": true}))).await
    }

    pub fn sent(&self) -> Vec<Sent> {
        self.sent.lock().unwrap().clone()
    }

    pub fn lines(&self) -> Vec<String> {
        self.sent().into_iter().map(|sent| sent.line).collect()
    }
}

pub fn json_response(value: &Value) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], value.to_string()).into_response()
}

pub fn text_response(status: u16, text: &'static str) -> Response {
    (StatusCode::from_u16(status).unwrap(), text).into_response()
}

pub fn typed_response(media_type: &'static str, body: impl Into<Body>) -> Response {
    ([(header::CONTENT_TYPE, media_type)], body.into()).into_response()
}

pub fn redirect_to(url: &str) -> Response {
    (StatusCode::FOUND, [(header::LOCATION, url.to_owned())]).into_response()
}
