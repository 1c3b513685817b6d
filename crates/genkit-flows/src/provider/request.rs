//! The request as a context provider sees it.

use std::collections::BTreeMap;

use axum::http::{HeaderMap, Method};
use serde_json::Value;

/// Flow request: one for a flow, as a [`ContextProvider`](super::ContextProvider) sees it.
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
        Self { flow, method, headers: joined, input, extensions }
    }

    /// The name of the flow.
    pub fn flow(&self) -> &str {
        &self.flow
    }

    /// The method, `POST`.
    pub fn method(&self) -> &str {
        &self.method
    }

    /// A header by its name in lower case. One that was sent several times is joined with `, `.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(String::as_str)
    }

    /// All headers, their names in lower case.
    pub fn headers(&self) -> &BTreeMap<String, String> {
        &self.headers
    }

    /// Input that the flow is about to be given; null where a lost stream is asked for again.
    pub fn input(&self) -> &Value {
        &self.input
    }

    /// Extension: what a layer of your app put into the request.
    pub fn extension<T: Send + Sync + 'static>(&self) -> Option<&T> {
        self.extensions.get()
    }

    pub(crate) fn into_parts(self) -> (Value, http::Extensions) {
        (self.input, self.extensions)
    }
}

/// Without what headers and the input say, which may be secret.
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
