//! A local issuer that serves the pages of a test and counts requests for its keys.

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::response::{IntoResponse as _, Response};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use crate::signing::{AUDIENCE, Signer, with};
use genkit_core::internal::sync::lock;
use genkit_jwt::JwtVerifier;

/// The page at one path.
#[derive(Clone)]
pub(crate) enum Page {
    Text(String),
    Status(u16),
    Redirect(String),
    Never,
    /// A page without an end: one space per second.
    Trickle,
}

pub(crate) struct Issuer {
    pub(crate) url: String,
    pages: Arc<Mutex<HashMap<String, Page>>>,
    asked: Arc<AtomicUsize>,
    serving: JoinHandle<()>,
}

impl Issuer {
    /// Starts an issuer that publishes these keys.
    pub(crate) async fn of(keys: &[&Signer]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let pages = Arc::new(Mutex::new(HashMap::new()));
        let asked = Arc::new(AtomicUsize::new(0));
        let (known, counts) = (Arc::clone(&pages), Arc::clone(&asked));
        let app = Router::new().fallback(move |request: Request| {
            let page = lock(&known).get(request.uri().path()).cloned();
            if request.uri().path() == "/keys" {
                counts.fetch_add(1, Ordering::SeqCst);
            }
            answer(page)
        });
        let serving = tokio::spawn(async move {
            axum::serve(listener, app).await.expect("no error");
        });
        let issuer = Self { url, pages, asked, serving };
        issuer.publishes(keys);
        let metadata = json!({ "issuer": issuer.url, "jwks_uri": format!("{}/keys", issuer.url) });
        issuer.has("/.well-known/openid-configuration", Page::Text(metadata.to_string()));
        issuer
    }

    pub(crate) fn has(&self, path: &str, page: Page) {
        lock(&self.pages).insert(path.to_owned(), page);
    }

    pub(crate) fn publishes(&self, keys: &[&Signer]) {
        let keys: Vec<Value> = keys.iter().map(|key| key.jwk()).collect();
        self.has("/keys", Page::Text(json!({ "keys": keys }).to_string()));
    }

    /// Returns the number of times that the keys were requested.
    pub(crate) fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }

    pub(crate) fn verifier(&self) -> JwtVerifier {
        JwtVerifier::builder(self.url.as_str(), AUDIENCE).build().expect("a verifier")
    }

    /// Returns a token from this issuer.
    pub(crate) fn token(&self, key: &Signer) -> String {
        key.token(&with(&json!({ "iss": self.url })))
    }
}

async fn answer(page: Option<Page>) -> Response {
    match page {
        Some(Page::Text(text)) => text.into_response(),
        Some(Page::Status(status)) => {
            let mut response = Response::default();
            *response.status_mut() = status.try_into().expect("a status");
            response
        }
        Some(Page::Redirect(to)) => axum::response::Redirect::temporary(&to).into_response(),
        Some(Page::Never) => std::future::pending().await,
        Some(Page::Trickle) => trickle(),
        None => axum::http::StatusCode::NOT_FOUND.into_response(),
    }
}

fn trickle() -> Response {
    let blanks = futures_util::stream::unfold((), |()| async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        Some((Ok::<_, Infallible>(" "), ()))
    });
    Response::new(Body::from_stream(blanks))
}

impl Drop for Issuer {
    fn drop(&mut self) {
        self.serving.abort();
    }
}
