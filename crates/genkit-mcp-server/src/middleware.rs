//! Request middleware: code around each list, call, read, prompt and completion that is served.

use std::future::Future;
use std::sync::Arc;

use rmcp::model::{ErrorCode, ErrorData};
use serde_json::{Map, Value};

use super::caller::Request;
use super::error::{REFUSED, protocol_error};
use genkit_core::BoxFuture;
use genkit_core::internal::context::TypeMap;
use genkit_core::{Error, ErrorKind, Result};

/// Served request: one of an MCP client, as [`RequestMiddleware`] sees it.
#[derive(Clone)]
pub struct ServedRequest(Arc<RequestData>);

struct RequestData {
    method: &'static str,
    name: String,
    arguments: Value,
    client: String,
    meta: Map<String, Value>,
    values: TypeMap,
    #[cfg(feature = "http")]
    extensions: Arc<http::Extensions>,
}

impl ServedRequest {
    pub(super) fn new(
        method: &'static str,
        name: &str,
        arguments: Value,
        request: &Request,
        values: &TypeMap,
    ) -> Self {
        Self(Arc::new(RequestData {
            method,
            name: name.to_owned(),
            arguments,
            client: match request.quota.key().known() {
                (_, Some(address)) => address.to_string(),
                (id, None) => id.to_owned(),
            },
            meta: request.meta.0.0.clone(),
            values: values.clone(),
            #[cfg(feature = "http")]
            extensions: Arc::clone(&request.head.extensions),
        }))
    }

    /// Method of MCP: `tools/list`, `tools/call`, `prompts/list`, `prompts/get`, `resources/list`,
    /// `resources/templates/list`, `resources/read` or `completion/complete`.
    pub fn method(&self) -> &'static str {
        self.0.method
    }

    /// Name of the tool or prompt, the URI of the resource, the argument that is completed; of a list the
    /// cursor of its page, or nothing.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// Arguments of a tool or prompt; else `null`.
    pub fn arguments(&self) -> &Value {
        &self.0.arguments
    }

    /// Client whose share and rate it counts for: the id of the [`Principal`](super::Principal), else the
    /// address of the client, else nothing (stdio, memory).
    pub fn client(&self) -> &str {
        &self.0.client
    }

    /// Request metadata: its `_meta`.
    pub fn meta(&self) -> &Map<String, Value> {
        &self.0.meta
    }

    /// Extension: what a layer of your app put into the HTTP request, or
    /// [`McpServer::extension`](super::McpServer::extension) gave, as
    /// [`Context::extension`](genkit_core::Context::extension).
    pub fn extension<T: Send + Sync + 'static>(&self) -> Option<&T> {
        #[cfg(feature = "http")]
        if let Some(value) = self.0.extensions.get() {
            return Some(value);
        }
        self.0.values.get()
    }
}

impl std::fmt::Debug for ServedRequest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Arguments may be secret.
        f.debug_struct("ServedRequest")
            .field("method", &self.0.method)
            .field("name", &self.0.name)
            .finish_non_exhaustive()
    }
}

/// Answer to a served request: the result in MCP's JSON, or a protocol error.
#[derive(Clone, Debug, PartialEq)]
pub struct ServedAnswer(Result<Value, ErrorData>);

impl ServedAnswer {
    /// Answer with this result, in MCP's JSON.
    pub fn new(result: Value) -> Self {
        Self(Ok(result))
    }

    pub(super) fn refused(error: ErrorData) -> Self {
        Self(Err(error))
    }

    /// The result; `None` for a protocol error.
    pub fn result(&self) -> Option<&Value> {
        self.0.as_ref().ok()
    }

    /// The result, to change it: to hide some of a list.
    pub fn result_mut(&mut self) -> Option<&mut Value> {
        self.0.as_mut().ok()
    }

    /// Whether it is a protocol error, or the result of a tool that failed.
    pub fn is_error(&self) -> bool {
        self.0.as_ref().map_or(true, |result| result["isError"] == true)
    }

    /// Whether it is a whole result that holds for others, too: no error, and no question to the user.
    pub fn is_complete(&self) -> bool {
        let asks =
            |result: &Value| result.get("resultType").is_some_and(|kind| kind == "input_required");
        !self.is_error() && !self.0.as_ref().is_ok_and(asks)
    }

    pub(super) fn into_parts(self) -> Result<Value, ErrorData> {
        self.0
    }
}

/// Next of a request middleware: the next one, and behind the last one the server itself.
pub struct NextRequest {
    rest: Arc<[Arc<dyn RequestMiddleware>]>,
    at: usize,
    request: ServedRequest,
    server: BoxFuture<'static, ServedAnswer>,
}

impl NextRequest {
    pub(super) fn outermost(
        rest: Arc<[Arc<dyn RequestMiddleware>]>,
        request: ServedRequest,
        server: BoxFuture<'static, ServedAnswer>,
    ) -> Self {
        Self { rest, at: 0, request, server }
    }

    /// Runs the rest of the chain.
    ///
    /// # Errors
    /// What a middleware further inside fails with. A function that fails is an answer.
    pub async fn run(mut self) -> Result<ServedAnswer> {
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

/// Request middleware from a closure: for timing, caching, rate limits.
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
    Fut: Future<Output = Result<ServedAnswer>> + Send + 'static,
{
    OnRequest { methods: &[], function }
}

/// Request middleware around lists alone, from a closure: to hide what a caller may not see, or to
/// cache.
///
/// ```
/// use genkit::mcp::server::{NextRequest, ServedRequest, on_list};
///
/// // Hides tools that begin with `admin_`:
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
/// What is hidden so can be called by whoever knows its name: refuse it in [`on_call`], too.
pub fn on_list<F, Fut>(function: F) -> impl RequestMiddleware
where
    F: Fn(ServedRequest, NextRequest) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<ServedAnswer>> + Send + 'static,
{
    let methods = &["tools/list", "prompts/list", "resources/list", "resources/templates/list"];
    OnRequest { methods, function }
}

/// Request middleware around calls of tools alone, from a closure. Arguments are changed, and results
/// typed, by the middleware of the program (`genkit::middleware::on_tool`), which runs inside of this one.
///
/// A cache of answers, for each client its own, and a rate:
///
/// ```
/// use genkit::mcp::server::{NextRequest, ServedAnswer, ServedRequest, on_call};
/// use genkit::testing::Client;
/// use genkit::{Error, ErrorKind, Genkit, Registry, tool, tools};
/// use serde_json::json;
/// use std::collections::HashMap;
/// use std::sync::atomic::{AtomicU32, Ordering};
/// use std::sync::{Arc, Mutex};
///
/// static CALLS: AtomicU32 = AtomicU32::new(0);
///
/// /// Looks a word up, which takes long.
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
/// let known: Arc<Mutex<HashMap<String, ServedAnswer>>> = Arc::default();
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
/// let left = AtomicU32::new(2); // a clock would fill it again
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
/// // The first is outermost: what it knows does not count.
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
    Fut: Future<Output = Result<ServedAnswer>> + Send + 'static,
{
    OnRequest { methods: &["tools/call"], function }
}

/// Request middleware around reads of resources alone, from a closure.
pub fn on_read<F, Fut>(function: F) -> impl RequestMiddleware
where
    F: Fn(ServedRequest, NextRequest) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<ServedAnswer>> + Send + 'static,
{
    OnRequest { methods: &["resources/read"], function }
}

/// Request middleware around prompts alone, from a closure.
pub fn on_get<F, Fut>(function: F) -> impl RequestMiddleware
where
    F: Fn(ServedRequest, NextRequest) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<ServedAnswer>> + Send + 'static,
{
    OnRequest { methods: &["prompts/get"], function }
}

/// Middleware around each request that an MCP server answers with what it has: [`on_request`] makes one of
/// a closure.
///
/// An error ends the request with a protocol error: what other libraries say in it is masked as in
/// [`expose_errors`](super::McpServer::expose_errors).
pub trait RequestMiddleware: Send + Sync + 'static {
    /// Wraps one request: answers it, with `next.run()` or without.
    ///
    /// # Errors
    /// The request is refused.
    fn request(
        &self,
        request: ServedRequest,
        next: NextRequest,
    ) -> BoxFuture<'_, Result<ServedAnswer>>;
}

struct OnRequest<F> {
    /// Around which methods; none is all.
    methods: &'static [&'static str],
    function: F,
}

impl<F, Fut> RequestMiddleware for OnRequest<F>
where
    F: Fn(ServedRequest, NextRequest) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<ServedAnswer>> + Send + 'static,
{
    fn request(
        &self,
        request: ServedRequest,
        next: NextRequest,
    ) -> BoxFuture<'_, Result<ServedAnswer>> {
        if !self.methods.is_empty() && !self.methods.contains(&request.method()) {
            return Box::pin(next.run());
        }
        Box::pin((self.function)(request, next))
    }
}

/// How a client reads that a middleware refuses its request.
pub(super) fn refusal(error: &Error) -> ErrorData {
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
