//! A server on loopback that responds to any number of requests.

use std::io::Write as _;
use std::net::TcpListener;
use std::sync::{Arc, Mutex};

use genkit::model::Model;
use serde_json::Value;

use super::{Asked, Dialect, Said};
use crate::cases;
use crate::faults::server::{http, read_request};

/// A request that was received.
#[derive(Clone, Debug)]
pub struct Request {
    /// The first line and the headers.
    pub head: String,
    pub body: Value,
}

/// A stand-in that listens.
pub struct Mock {
    pub url: String,
    pub dialect: &'static dyn Dialect,
    asked: Arc<Mutex<Vec<Request>>>,
}

impl Mock {
    /// Returns a stand-in that returns these responses one after the other, and then repeats the last one.
    pub fn says(dialect: &'static dyn Dialect, said: impl IntoIterator<Item = Said>) -> Self {
        let said: Vec<Said> = said.into_iter().collect();
        Self::answers(dialect, move |number, request| {
            let said = &said[number.min(said.len() - 1)];
            answer(dialect, request, said)
        })
    }

    /// Returns a stand-in that returns these bytes for the n-th request.
    pub fn answers<A: Into<Vec<u8>>>(
        dialect: &'static dyn Dialect,
        answer: impl Fn(usize, &Request) -> A + Send + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&asked);
        std::thread::spawn(move || {
            for connection in listener.incoming() {
                let mut connection = connection.unwrap();
                let text = read_request(&mut connection);
                let (head, body) = text.split_once("\r\n\r\n").unwrap();
                let body = serde_json::from_str(body).unwrap_or_default();
                let request = Request { head: head.to_owned(), body };
                let number = {
                    let mut seen = seen.lock().unwrap();
                    seen.push(request.clone());
                    seen.len() - 1
                };
                // The caller may disconnect early.
                let _ = connection.write_all(&answer(number, &request).into());
            }
        });
        Self { url, dialect, asked }
    }

    /// Returns the model of `provider` that uses this server.
    pub fn model(&self, provider: &str) -> Arc<dyn Model> {
        cases::model(provider, self.dialect.model(), &self.url)
    }

    /// Returns all requests so far.
    pub fn requests(&self) -> Vec<Request> {
        self.asked.lock().unwrap().clone()
    }

    /// Returns the last request.
    pub fn last(&self) -> Value {
        self.requests().pop().expect("something was asked").body
    }

    /// Returns the last request in the common format.
    pub fn asked(&self) -> Asked {
        self.dialect.asked(&self.last())
    }
}

/// Returns the response to a request, complete or streamed as requested.
pub fn answer(dialect: &dyn Dialect, request: &Request, said: &Said) -> String {
    if dialect.streams(request) {
        let kind = format!("content-type: {}\r\n", dialect.stream_type());
        http("200 OK", &kind, &dialect.framed(&dialect.pieces(said)))
    } else {
        http("200 OK", "content-type: application/json\r\n", &dialect.whole(said).to_string())
    }
}
