//! A client that sends arbitrary requests.

use std::time::Duration;

use serde_json::{Value, json};
use ureq::http::{Request, Response};
use ureq::{Agent, Body};

/// The time limit of a request.
const PATIENCE: Duration = Duration::from_secs(20);

/// The headers that every well-behaved client sends.
const USUAL: [(&str, &str); 2] =
    [("content-type", "application/json"), ("accept", "application/json, text/event-stream")];

/// A complete response.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    headers: Vec<(String, String)>,
    pub(crate) text: String,
}

impl Answer {
    fn read(mut response: Response<Body>) -> Self {
        let headers = response.headers().iter().map(|(name, value)| {
            (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned())
        });
        let headers = headers.collect();
        let text = response.body_mut().read_to_string().expect("a text");
        Self { status: response.status().as_u16(), headers, text }
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
    }

    /// Returns the JSON-RPC message in it: the last one of an event stream.
    pub(crate) fn message(&self) -> Value {
        let is_stream =
            self.header("content-type").is_some_and(|t| t.starts_with("text/event-stream"));
        let text = if is_stream {
            let data = self.text.lines().filter_map(|line| line.strip_prefix("data:"));
            data.map(str::trim).rfind(|data| !data.is_empty()).unwrap_or_default()
        } else {
            &self.text
        };
        serde_json::from_str(text).unwrap_or_else(|error| panic!("no message ({error}): {self:?}"))
    }

    /// Returns the code of the JSON-RPC error in it.
    pub(crate) fn code(&self) -> i64 {
        let message = self.message();
        message["error"]["code"].as_i64().unwrap_or_else(|| panic!("no error: {self:?}"))
    }
}

/// One connection to a server, kept open.
pub(crate) struct Wire {
    agent: Agent,
    url: String,
}

impl Wire {
    pub(crate) fn to(url: &str) -> Self {
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(PATIENCE))
            .proxy(None)
            .build();
        Self { agent: config.into(), url: url.to_owned() }
    }

    /// Sends bytes with exactly these headers.
    pub(crate) fn send(
        &self,
        method: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Result<Answer, ureq::Error> {
        let mut request = Request::builder().method(method).uri(&self.url);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(body.to_vec()).expect("a request");
        self.agent.run(request).map(Answer::read)
    }

    /// Posts bytes with the usual headers and these.
    pub(crate) fn post_raw(&self, headers: &[(&str, &str)], body: &[u8]) -> Answer {
        let headers = [&USUAL[..], headers].concat();
        self.send("POST", &headers, body).unwrap_or_else(|error| panic!("{}: {error}", self.url))
    }

    pub(crate) fn post(&self, headers: &[(&str, &str)], message: &Value) -> Answer {
        self.post_raw(headers, message.to_string().as_bytes())
    }

    /// Opens a session, and returns its id.
    pub(crate) fn open(&self, headers: &[(&str, &str)]) -> String {
        let answer = self.post(headers, &initialize());
        assert_eq!(answer.status, 200, "{answer:?}");
        let session = answer.header("mcp-session-id").expect("a session").to_owned();
        let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        let answer = self.post(&[&in_session(&session), headers].concat(), &ready);
        assert_eq!(answer.status, 202, "{answer:?}");
        session
    }

    /// Calls a tool in a session.
    pub(crate) fn call(&self, session: &str, name: &str, arguments: &Value) -> Answer {
        self.post(&in_session(session), &call(name, arguments))
    }

    /// Opens the stream of a session, without reading it.
    pub(crate) fn listen_in(&self, session: &[(&str, &str)]) -> Response<Body> {
        let mut request = Request::builder().method("GET").uri(&self.url);
        for (name, value) in session {
            request = request.header(*name, *value);
        }
        let request = request.header("accept", "text/event-stream").body(()).expect("a request");
        self.agent.run(request).expect("an answer")
    }

    /// Opens the stream of the era without sessions, without reading it.
    pub(crate) fn listen_alone(&self) -> Response<Body> {
        let params = json!({ "notifications": { "toolsListChanged": true } });
        let (headers, message) = alone("subscriptions/listen", params);
        let mut request = Request::builder().method("POST").uri(&self.url);
        for (name, value) in USUAL.into_iter().chain(headers.iter().map(|(n, v)| (*n, v.as_str())))
        {
            request = request.header(name, value);
        }
        let request = request.body(message.to_string()).expect("a request");
        self.agent.run(request).expect("an answer")
    }

    /// Sends a request in the era without sessions.
    pub(crate) fn ask_alone(&self, method: &str, params: Value) -> Answer {
        self.ask_alone_with(&[], method, params)
    }

    /// Sends a request in the era without sessions, with these headers.
    pub(crate) fn ask_alone_with(
        &self,
        more: &[(&str, &str)],
        method: &str,
        params: Value,
    ) -> Answer {
        let (headers, message) = alone(method, params);
        let headers = headers.iter().map(|(name, value)| (*name, value.as_str()));
        let headers: Vec<_> = headers.chain(more.iter().copied()).collect();
        self.post(&headers, &message)
    }

    /// Opens a stream of the era without sessions that subscribes to one resource, without reading it.
    pub(crate) fn listen_to(&self, more: &[(&str, &str)], uri: &str) -> Response<Body> {
        let params = json!({ "notifications": { "resourceSubscriptions": [uri] } });
        let (headers, message) = alone("subscriptions/listen", params);
        let own = headers.iter().map(|(name, value)| (*name, value.as_str()));
        let mut request = Request::builder().method("POST").uri(&self.url);
        for (name, value) in USUAL.into_iter().chain(own).chain(more.iter().copied()) {
            request = request.header(name, value);
        }
        let request = request.body(message.to_string()).expect("a request");
        self.agent.run(request).expect("an answer")
    }

    /// Calls a tool in the era without sessions.
    pub(crate) fn call_alone(&self, name: &str, arguments: &Value) -> Answer {
        self.ask_alone("tools/call", json!({ "name": name, "arguments": arguments }))
    }
}

/// Returns the headers and the message of an independent request.
fn alone(method: &str, mut params: Value) -> (Vec<(&'static str, String)>, Value) {
    const VERSION: &str = "2026-07-28";
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": VERSION,
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let mut headers =
        vec![("mcp-protocol-version", VERSION.to_owned()), ("mcp-method", method.to_owned())];
    let name = ["name", "uri"].iter().find_map(|key| params[key].as_str());
    headers.extend(name.map(|name| ("mcp-name", name.to_owned())));
    (headers, json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }))
}

/// Returns the headers of a request in a session.
pub(crate) fn in_session(session: &str) -> [(&str, &str); 2] {
    [("mcp-session-id", session), ("mcp-protocol-version", "2025-11-25")]
}

pub(crate) fn call(name: &str, arguments: &Value) -> Value {
    json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": { "name": name, "arguments": arguments }
    })
}

pub(crate) fn initialize() -> Value {
    json!({
        "jsonrpc": "2.0", "id": 0, "method": "initialize",
        "params": {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": { "name": "raw", "version": "1" }
        }
    })
}
