//! A call to a flow, before it is sent.

use std::future::IntoFuture;
use std::marker::PhantomData;
use std::time::Duration;

use reqwest::header::AUTHORIZATION;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::answer;
use super::request::CallRequest;
use super::stream::FlowStream;
use genkit_core::BoxFuture;
use genkit_core::Result;

/// A call to a flow on a Genkit server in any language, created by `flow_client`. Await it for the result, or call
/// [`stream`](Self::stream).
///
/// `O` is the type of the flow's result, and `C` the type of its chunks. Both are JSON values unless
/// [`output`](Self::output) and [`chunks`](Self::chunks) set other types.
///
/// ```no_run
/// # async fn run() -> genkit::Result<()> {
/// use serde_json::json;
///
/// #[derive(serde::Deserialize)]
/// struct Counted { i: u32 }
///
/// let mut count = genkit::flow_client("https://flows.example.com/count")
///     .input(json!({"n": 3}))
///     .bearer("token")
///     .chunks::<Counted>()
///     .stream();
/// while let Some(counted) = count.next().await {
///     println!("{}", counted?.i);
/// }
/// let total = count.response().await?;
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// Returns the error from the flow, with its kind and details; [`Unavailable`](genkit_core::ErrorKind::Unavailable) if
/// the server cannot be reached or its response ends early,
/// [`DeadlineExceeded`](genkit_core::ErrorKind::DeadlineExceeded) after the [`timeout`](Self::timeout),
/// [`NotFound`](genkit_core::ErrorKind::NotFound) if the stream to resume does not exist,
/// [`ResourceExhausted`](genkit_core::ErrorKind::ResourceExhausted) if the response is too large,
/// [`FailedPrecondition`](genkit_core::ErrorKind::FailedPrecondition) for a redirect,
/// [`InvalidArgument`](genkit_core::ErrorKind::InvalidArgument) for an invalid URL, header or input, and
/// [`Internal`](genkit_core::ErrorKind::Internal) if the response is not a flow response or cannot be deserialized as
/// `O`.
#[must_use = "the call is not sent until it is awaited; add `.await` or `.stream()`"]
pub struct FlowCall<O = Value, C = Value> {
    request: CallRequest,
    types: PhantomData<fn() -> (O, C)>,
}

impl FlowCall {
    #[doc(hidden)]
    pub fn new(url: impl Into<String>) -> Self {
        Self { request: CallRequest::new(url.into()), types: PhantomData }
    }
}

impl<O, C> FlowCall<O, C> {
    /// Sets the input of the flow. Default is no input.
    pub fn input(mut self, input: impl Serialize) -> Self {
        self.request.input = genkit_core::internal::to_finite_value(input)
            .map(Some)
            .map_err(|error| error.to_string());
        self
    }

    /// Adds a header to the request. Can be called several times.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.request.headers.push((name.into(), value.into()));
        self
    }

    /// Sets the bearer token, sent as `Authorization: Bearer TOKEN`.
    pub fn bearer(self, token: impl AsRef<str>) -> Self {
        self.header(AUTHORIZATION.as_str(), format!("Bearer {}", token.as_ref()))
    }

    /// Sets the time limit of the call, including its stream. Default is 10 minutes.
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.request.timeout = limit;
        self
    }

    /// Resumes the durable stream with this id; see [`FlowStream::stream_id`]. The server sends all chunks again, but
    /// does not run the flow again.
    pub fn stream_id(mut self, id: impl Into<String>) -> Self {
        self.request.stream_id = Some(id.into());
        self
    }

    /// Skips the first `chunks` chunks of a resumed stream. Only servers of this library support this; others send all
    /// chunks.
    pub fn skip_chunks(mut self, chunks: usize) -> Self {
        self.request.from = chunks;
        self
    }

    /// Sets the type of the result.
    pub fn output<T: DeserializeOwned>(self) -> FlowCall<T, C> {
        self.retyped()
    }

    /// Sets the type of the chunks.
    pub fn chunks<T: DeserializeOwned>(self) -> FlowCall<O, T> {
        self.retyped()
    }

    fn retyped<P, D>(self) -> FlowCall<P, D> {
        FlowCall { request: self.request, types: PhantomData }
    }
}

impl<O: DeserializeOwned, C: DeserializeOwned> FlowCall<O, C> {
    /// Performs the call and returns its result, as awaiting the call does. Use it where a future is required, as in
    /// `tokio::spawn` and `join!`.
    ///
    /// # Errors
    /// Returns the same errors as awaiting the [`FlowCall`].
    pub async fn run(self) -> Result<O> {
        let limit = self.request.timeout;
        let (server, url) = self.request.server()?;
        let reading = async {
            let response = self.request.send(&server, url, "application/json").await?;
            answer::read_plain_result(&server, response).await
        };
        let read = tokio::time::timeout(limit, reading).await;
        let result = read.unwrap_or_else(|_| Err(server.slow(limit)))?;
        answer::deserialize_as("result", result)
    }

    /// Streams the chunks and then the result. The first call to [`next`](FlowStream::next) sends the request.
    pub fn stream(self) -> FlowStream<O, C> {
        FlowStream::new(self.request)
    }
}

impl<O, C> IntoFuture for FlowCall<O, C>
where
    O: DeserializeOwned + Send + 'static,
    C: DeserializeOwned + Send + 'static,
{
    type Output = Result<O>;
    type IntoFuture = BoxFuture<'static, Result<O>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.run())
    }
}

genkit_core::becomes_a_future!(FlowCall<O, C>, Result<O>, O, C);

/// Omits the path of the URL and the values of headers, which can be secret.
impl<O, C> std::fmt::Debug for FlowCall<O, C> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let headers: Vec<&String> = self.request.headers.iter().map(|(name, _)| name).collect();
        let host = self.request.server().map(|(server, _)| server.host).ok();
        f.debug_struct("FlowCall")
            .field("host", &host)
            .field("headers", &headers)
            .finish_non_exhaustive()
    }
}
