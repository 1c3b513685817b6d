//! The request passed to context providers.

use std::collections::BTreeMap;

use axum::http::header::AUTHORIZATION;
use axum::http::{HeaderMap, Method};
use serde_json::Value;

/// A request to run a flow, as passed to a [`ContextProvider`](super::ContextProvider).
///
/// ```
/// use genkit::flows::FlowRequest;
///
/// fn is_internal(request: &FlowRequest) -> bool {
///     request.header("x-internal") == Some("1") && request.flow() != "admin"
/// }
/// ```
#[derive(Clone)]
pub struct FlowRequest {
    flow: String,
    method: String,
    headers: BTreeMap<String, String>,
    input: Value,
    extensions: http::Extensions,
    /// Whether there are several `Authorization` headers. Servers and proxies may select different ones.
    pub(super) repeats_credentials: bool,
}

impl FlowRequest {
    pub(crate) fn new(
        flow: &str,
        method: &Method,
        headers: &HeaderMap,
        input: Value,
        extensions: http::Extensions,
    ) -> Self {
        let mut joined = BTreeMap::<String, String>::new();
        for (name, value) in headers {
            let value = String::from_utf8_lossy(value.as_bytes());
            let known = joined.entry(name.as_str().to_owned()).or_default();
            if !known.is_empty() {
                known.push_str(", ");
            }
            known.push_str(&value);
        }
        let (flow, method) = (flow.to_owned(), method.as_str().to_owned());
        let repeats_credentials = headers.get_all(AUTHORIZATION).iter().nth(1).is_some();
        Self { flow, method, headers: joined, input, extensions, repeats_credentials }
    }

    /// Returns the name of the flow.
    pub fn flow(&self) -> &str {
        &self.flow
    }

    /// Returns the HTTP method: `POST`, or `GET` if the stream of an agent is resumed.
    pub fn method(&self) -> &str {
        &self.method
    }

    /// Returns the header with this lower-case name. Repeated headers are joined with `, `.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(String::as_str)
    }

    /// Returns all headers, with lower-case names.
    pub fn headers(&self) -> &BTreeMap<String, String> {
        &self.headers
    }

    /// Returns the input for the flow. The input is null if a stream is resumed, and for a server of agents.
    pub fn input(&self) -> &Value {
        &self.input
    }

    /// Returns the extension of type `T` that a layer of your app added to the request.
    pub fn extension<T: Send + Sync + 'static>(&self) -> Option<&T> {
        self.extensions.get()
    }

    pub(crate) fn into_parts(self) -> (Value, http::Extensions) {
        (self.input, self.extensions)
    }
}

/// Omits the values of headers and the input, which can be secret.
impl std::fmt::Debug for FlowRequest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let headers: Vec<&String> = self.headers.keys().collect();
        f.debug_struct("FlowRequest")
            .field("flow", &self.flow)
            .field("headers", &headers)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_lower_case_and_repeated_headers_are_joined() {
        let mut headers = HeaderMap::new();
        for (name, value) in [("X-Role", "reader"), ("x-role", "writer"), ("Accept", "*/*")] {
            let name = axum::http::HeaderName::from_bytes(name.as_bytes()).unwrap();
            headers.append(name, value.parse().unwrap());
        }
        let extensions = http::Extensions::new();
        let request = FlowRequest::new("f", &Method::POST, &headers, Value::Null, extensions);
        assert_eq!(request.header("x-role"), Some("reader, writer"));
        assert_eq!(request.header("accept"), Some("*/*"));
        assert!(!format!("{request:?}").contains("writer"), "{request:?}");
    }
}
