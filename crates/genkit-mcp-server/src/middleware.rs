//! Request middleware: code that wraps each list, call, read, prompt and completion that the server handles.

use std::future::Future;
use std::sync::Arc;

use rmcp::model::{ErrorCode, ErrorData};
use serde_json::{Map, Value};

use super::error::{REFUSED, protocol_error};
use super::principal::RequestHead;
use genkit_core::internal::context::TypeMap;
use genkit_core::{BoxFuture, Error, ErrorKind, Result};

/// A request from an MCP client, as passed to [`RequestMiddleware`].
#[derive(Clone)]
pub struct ServedRequest(Arc<RequestData>);

struct RequestData {
    method: &'static str,
    name: String,
    arguments: Value,
    client: String,
    meta: Map<String, Value>,
    values: TypeMap,
    head: RequestHead,
}

impl ServedRequest {
    /// Creates the request. It counts against the quota of `client`.
    pub(super) fn new(
        method: &'static str,
        name: &str,
        arguments: Value,
        client: String,
        meta: Map<String, Value>,
        values: TypeMap,
        head: &RequestHead,
    ) -> Self {
        Self(Arc::new(RequestData {
            method,
            name: name.to_owned(),
            arguments,
            client,
            meta,
            values,
            head: head.clone(),
        }))
    }

    /// Returns the MCP method: `tools/list`, `tools/call`, `prompts/list`, `prompts/get`, `resources/list`,
    /// `resources/templates/list`, `resources/read`, `completion/complete`, `skills/list`, `skills/get` or
    /// `resources/directory/read`.
    pub fn method(&self) -> &'static str {
        self.0.method
    }

    /// Returns the name of the tool or prompt, the URI of the resource, skill or folder, or the name of the argument to
    /// complete. For a list, returns the cursor of the page, or an empty string.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// Returns the arguments of a tool or prompt; `null` for other methods.
    pub fn arguments(&self) -> &Value {
        &self.0.arguments
    }

    /// Returns the client whose rate limit and quota this request counts against: the id of its
    /// [`Principal`](super::Principal), or else its address, or an empty string (stdio, in-process).
    pub fn client(&self) -> &str {
        &self.0.client
    }

    /// Returns the `_meta` of the request.
    pub fn meta(&self) -> &Map<String, Value> {
        &self.0.meta
    }

    /// Returns the extension of type `T` that a layer of your app added to the HTTP request, or that
    /// [`McpServer::extension`](super::McpServer::extension) set, as [`Context::extension`](genkit_core::Context::extension)
    /// does.
    pub fn extension<T: Send + Sync + 'static>(&self) -> Option<&T> {
        self.0.head.extension().or_else(|| self.0.values.get())
    }
}

impl std::fmt::Debug for ServedRequest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Arguments can contain secrets.
        f.debug_struct("ServedRequest")
            .field("method", &self.0.method)
            .field("name", &self.0.name)
            .finish_non_exhaustive()
    }
}

/// The response to a [`ServedRequest`]: a result as MCP JSON, or a protocol error.
#[derive(Clone, Debug, PartialEq)]
pub struct ServedResponse(Result<Value, ErrorData>);

impl ServedResponse {
    /// Creates a response with this result, as MCP JSON.
    pub fn new(result: Value) -> Self {
        Self(Ok(result))
    }

    pub(super) fn from_error(error: ErrorData) -> Self {
        Self(Err(error))
    }

    /// Returns the result; `None` for a protocol error.
    pub fn result(&self) -> Option<&Value> {
        self.0.as_ref().ok()
    }

    /// Returns a mutable reference to the result, for example to remove items from a list. Returns `None` for a
    /// protocol error.
    pub fn result_mut(&mut self) -> Option<&mut Value> {
        self.0.as_mut().ok()
    }

    /// Returns whether this is a protocol error, or the result of a tool call that failed.
    pub fn is_error(&self) -> bool {
        self.0.as_ref().map_or(true, |result| result["isError"] == true)
    }

    /// Returns whether this is a final result that can be cached: not an error, and not a question to the user.
    pub fn is_complete(&self) -> bool {
        let asks =
            |result: &Value| result.get("resultType").is_some_and(|kind| kind == "input_required");
        !self.is_error() && !self.0.as_ref().is_ok_and(asks)
    }

    pub(super) fn into_parts(self) -> Result<Value, ErrorData> {
        self.0
    }
}

/// The rest of the middleware chain: the next request middleware, or the server itself after the last middleware.
pub struct NextRequest {
    rest: Arc<[Arc<dyn RequestMiddleware>]>,
    at: usize,
    request: ServedRequest,
    server: BoxFuture<'static, ServedResponse>,
}

impl NextRequest {
    pub(super) fn outermost(
        rest: Arc<[Arc<dyn RequestMiddleware>]>,
        request: ServedRequest,
        server: BoxFuture<'static, ServedResponse>,
    ) -> Self {
        Self { rest, at: 0, request, server }
    }

    /// Runs the rest of the chain.
    ///
    /// # Errors
    /// Returns the error of an inner middleware. A function that fails produces a response, not an error.
    pub async fn run(mut self) -> Result<ServedResponse> {
        let Some(middleware) = self.rest.get(self.at).cloned() else {
            return Ok(self.server.await);
        };
        self.at += 1;
        let request = self.request.clone();
        middleware.request(request, self).await
    }
}

impl std::fmt::Debug for NextRequest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NextRequest").field("request", &self.request).finish_non_exhaustive()
    }
}

/// Creates request middleware from a closure, for example for timing, caching or rate limits.
///
/// ```
/// use genkit::mcp::server::{NextRequest, ServedRequest, on_request};
/// use genkit::testing::Client;
/// use genkit::{Genkit, Registry, tool, tools};
/// use serde_json::json;
/// use std::sync::{Arc, Mutex};
///
/// /// Adds.
/// #[tool]
/// async fn add(a: i64, b: i64) -> i64 { a + b }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> genkit::Result<()> {
/// let log = Arc::new(Mutex::new(Vec::new()));
/// let lines = Arc::clone(&log);
/// let timed = on_request(move |request: ServedRequest, next: NextRequest| {
///     let lines = Arc::clone(&lines);
///     async move {
///         let started = std::time::Instant::now();
///         let answer = next.run().await?;
///         eprintln!("{} {} took {:?}", request.method(), request.name(), started.elapsed());
///         lines.lock().unwrap().push(format!("{} {}", request.method(), request.name()));
///         Ok(answer)
///     }
/// });
/// let genkit = Genkit::builder().registry(Registry::new().add(tools![add])).build()?;
/// let client = Client::connect(genkit.serve_mcp().middleware(timed)).await?;
/// client.call_tool("add", json!({"a": 2, "b": 40})).await?;
/// assert_eq!(*log.lock().unwrap(), ["tools/call add"]);
/// # Ok(())
/// # }
/// ```
pub fn on_request<F, Fut>(function: F) -> impl RequestMiddleware
where
    F: Fn(ServedRequest, NextRequest) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<ServedResponse>> + Send + 'static,
{
    OnRequest { methods: &[], function }
}

/// Creates request middleware for lists of tools, prompts, resources and resource templates only, from a closure, for
/// example to hide items from a caller or to cache lists.
///
/// ```
/// use genkit::mcp::server::{NextRequest, ServedRequest, on_list};
///
/// // Hides tools whose names begin with `admin_`:
/// let hidden = on_list(|_: ServedRequest, next: NextRequest| async move {
///     let mut answer = next.run().await?;
///     if let Some(tools) = answer.result_mut().and_then(|list| list["tools"].as_array_mut()) {
///         tools.retain(|tool| !tool["name"].as_str().unwrap_or_default().starts_with("admin_"));
///     }
///     Ok(answer)
/// });
/// # let _ = genkit::serve_mcp().middleware(hidden);
/// ```
///
/// A client that guesses the name of a hidden item can still call it, so reject it in [`on_call`] as well.
pub fn on_list<F, Fut>(function: F) -> impl RequestMiddleware
where
    F: Fn(ServedRequest, NextRequest) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<ServedResponse>> + Send + 'static,
{
    let methods = &["tools/list", "prompts/list", "resources/list", "resources/templates/list"];
    OnRequest { methods, function }
}

/// Creates request middleware for tool calls only, from a closure. To change arguments or to work with typed results,
/// use the middleware of the program (`genkit::middleware::on_tool`), which runs inside this middleware.
///
/// A cache of responses per client, and a rate limit:
///
/// ```
/// use genkit::mcp::server::{NextRequest, ServedResponse, ServedRequest, on_call};
/// use genkit::testing::Client;
/// use genkit::{Error, ErrorKind, Genkit, Registry, tool, tools};
/// use serde_json::json;
/// use std::collections::HashMap;
/// use std::sync::atomic::{AtomicU32, Ordering};
/// use std::sync::{Arc, Mutex};
///
/// static CALLS: AtomicU32 = AtomicU32::new(0);
///
/// /// Looks up a word, which is slow.
/// #[tool]
/// async fn look_up(word: String) -> String {
///     CALLS.fetch_add(1, Ordering::Relaxed);
///     format!("{word}: a word")
/// }
///
/// const MOST: usize = 1000;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> genkit::Result<()> {
/// let known: Arc<Mutex<HashMap<String, ServedResponse>>> = Arc::default();
/// let cache = on_call(move |request: ServedRequest, next: NextRequest| {
///     let known = Arc::clone(&known);
///     async move {
///         let key = format!("{} {} {}", request.client(), request.name(), request.arguments());
///         if let Some(answer) = known.lock().unwrap().get(&key).cloned() {
///             return Ok(answer);
///         }
///         let answer = next.run().await?;
///         let mut known = known.lock().unwrap();
///         if answer.is_complete() && known.len() < MOST {
///             known.insert(key, answer.clone());
///         }
///         Ok(answer)
///     }
/// });
/// let left = AtomicU32::new(2); // a real limiter refills over time
/// let rate = on_call(move |_: ServedRequest, next: NextRequest| {
///     let taken = left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
///     async move {
///         let full = |_| Error::new(ErrorKind::ResourceExhausted, "too many calls");
///         taken.map_err(full)?;
///         next.run().await
///     }
/// });
///
/// let genkit = Genkit::builder().registry(Registry::new().add(tools![look_up])).build()?;
/// // The first middleware is the outermost: a response from the cache does not count against the rate.
/// let client = Client::connect(genkit.serve_mcp().middleware(cache).middleware(rate)).await?;
/// for word in ["tide", "tide", "moon", "tide"] {
///     client.call_tool("look_up", json!({ "word": word })).await?;
/// }
/// assert_eq!(CALLS.load(Ordering::Relaxed), 2);
/// let refused = client.call_tool("look_up", json!({ "word": "sun" })).await.unwrap_err();
/// assert_eq!(refused.to_string(), "-32000: too many calls");
/// # Ok(())
/// # }
/// ```
pub fn on_call<F, Fut>(function: F) -> impl RequestMiddleware
where
    F: Fn(ServedRequest, NextRequest) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<ServedResponse>> + Send + 'static,
{
    OnRequest { methods: &["tools/call"], function }
}

/// Creates request middleware for resource reads only, from a closure.
pub fn on_read<F, Fut>(function: F) -> impl RequestMiddleware
where
    F: Fn(ServedRequest, NextRequest) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<ServedResponse>> + Send + 'static,
{
    OnRequest { methods: &["resources/read"], function }
}

/// Creates request middleware for prompts only, from a closure.
pub fn on_get<F, Fut>(function: F) -> impl RequestMiddleware
where
    F: Fn(ServedRequest, NextRequest) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<ServedResponse>> + Send + 'static,
{
    OnRequest { methods: &["prompts/get"], function }
}

/// Middleware around each list, call, read, prompt and completion that an MCP server handles. [`on_request`] creates
/// middleware from a closure.
///
/// If the middleware returns an error, the client receives a protocol error. Errors from other libraries are masked as
/// described in [`expose_errors`](super::McpServer::expose_errors).
pub trait RequestMiddleware: Send + Sync + 'static {
    /// Handles a request, with or without calling `next.run()`.
    ///
    /// # Errors
    /// Return an error to reject the request.
    fn request(
        &self,
        request: ServedRequest,
        next: NextRequest,
    ) -> BoxFuture<'_, Result<ServedResponse>>;
}

struct OnRequest<F> {
    /// The methods to wrap; empty means all.
    methods: &'static [&'static str],
    function: F,
}

impl<F, Fut> RequestMiddleware for OnRequest<F>
where
    F: Fn(ServedRequest, NextRequest) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<ServedResponse>> + Send + 'static,
{
    fn request(
        &self,
        request: ServedRequest,
        next: NextRequest,
    ) -> BoxFuture<'_, Result<ServedResponse>> {
        if !self.methods.is_empty() && !self.methods.contains(&request.method()) {
            return Box::pin(next.run());
        }
        Box::pin((self.function)(request, next))
    }
}

/// Converts the error of a middleware to the protocol error that the client receives.
pub(super) fn refusal_error(error: &Error) -> ErrorData {
    let code: Option<ErrorCode> = match error.kind() {
        ErrorKind::ResourceExhausted
        | ErrorKind::PermissionDenied
        | ErrorKind::Unauthenticated
        | ErrorKind::FailedPrecondition
        | ErrorKind::Unavailable => Some(REFUSED),
        _ => None,
    };
    let mut refusal = protocol_error(error);
    refusal.code = code.unwrap_or(refusal.code);
    refusal
}
