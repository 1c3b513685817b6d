//! The options that all agent servers share, and the checks of a request before it runs.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::{ConnectInfo, Request};
use axum::http::request::Parts;
use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse as _, Response};
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use super::answer;
use super::provider::{ContextProvider, FlowRequest, action_context};
use super::rejection::Rejection;
use super::shared::METHODS;
use genkit_core::ErrorKind;
use genkit_core::internal::environment::is_development;
use genkit_core::internal::error::Topic;
use genkit_http_server::internal::{
    AllowedHosts, BodyBudget, BodyError, Cors, Drain, FairLimit, FairPermit, GRACE, HostRejection,
    MemoryLimitReached, RunningRequest, WholeBody, client_for, read_body,
};

/// The maximum size of a request body, in bytes. Default is 8 MiB.
const MAX_BODY: usize = 8 * 1024 * 1024;

/// The maximum number of runs at once. Default is 1,024; further requests are rejected.
const MAX_RUNNING: usize = 1_024;

/// The maximum number of requests whose context providers run at the same time. Default is 256, or the concurrency
/// limit if that is less.
const MAX_ADMITTING: usize = 256;

/// The methods for reading a stream. Preflight responses need not list them, because CORS always allows GET.
const READ_METHODS: &str = "GET, OPTIONS";

/// The options that all agent servers share.
pub struct GateSettings {
    pub providers: Vec<Arc<dyn ContextProvider>>,
    pub grace: Duration,
    pub max_message: usize,
    pub max_in_flight: usize,
    pub origins: Vec<String>,
    pub hosts: Option<Vec<String>>,
    /// `None` means true if `GENKIT_ENV` is `dev`.
    pub expose_errors: Option<bool>,
}

impl Default for GateSettings {
    fn default() -> Self {
        Self {
            providers: Vec::new(),
            grace: GRACE,
            max_message: MAX_BODY,
            max_in_flight: MAX_RUNNING,
            origins: Vec::new(),
            hosts: None,
            expose_errors: None,
        }
    }
}

/// The checks before a request runs: its host, origin, method, size and caller, and the limits on running requests.
pub struct Gate {
    providers: Vec<Arc<dyn ContextProvider>>,
    max_message: usize,
    room: Arc<BodyBudget>,
    /// The clients whose context providers run.
    admitting: Arc<FairLimit<String>>,
    running: Arc<FairLimit<String>>,
    /// The readers of streams that continue without their client.
    reading: Arc<FairLimit<String>>,
    /// The memory of running requests and of unsent responses.
    memory: Arc<FairLimit<String>>,
    max_in_flight: usize,
    hosts: AllowedHosts,
    cors: Cors,
    drain: Drain,
    pub exposes_errors: bool,
    /// Cancelled to end all runs.
    pub end: CancellationToken,
}

/// The requests that a part of a server accepts.
struct AcceptedRequests<'a> {
    method: &'a Method,
    other_method: Error,
    limit: &'a Arc<FairLimit<String>>,
    /// The name that context providers see.
    name: String,
}

/// The share of a client in the memory for frames that are not sent yet.
#[derive(Clone)]
pub struct FrameMemory {
    memory: Arc<FairLimit<String>>,
    client: String,
}

impl FrameMemory {
    pub(super) fn new(memory: &Arc<FairLimit<String>>, client: String) -> Self {
        Self { memory: Arc::clone(memory), client }
    }

    /// Counts a frame until it is sent.
    ///
    /// # Errors
    /// Returns an error if the client already uses its share.
    pub fn count_frame(&self, frame: Bytes) -> Result<Bytes, Rejection> {
        let counted = self.memory.count_bytes(self.client.clone(), frame);
        counted.map_err(|error| Error::from(error).into())
    }
}

/// A request that has passed the checks.
pub struct AdmittedRequest {
    pub parts: Parts,
    pub body: WholeBody,
    /// The action context; `None` without context providers.
    pub action_context: Option<Map<String, Value>>,
    /// The owner of the conversations that the request creates; empty without context providers.
    pub owner: String,
    /// The client that holds the slot.
    pub client: String,
    pub place: FairPermit<String>,
}

#[derive(Debug, thiserror::Error)]
enum Error {
    #[error(transparent)]
    Host(#[from] HostRejection),
    #[error(
        "Forbidden: this origin is not allowed to call the server; allow it with `.cors([..])`"
    )]
    Origin,
    #[error("an agent must be called with POST")]
    NotPost,
    #[error("a stream must be resumed with GET")]
    NotGet,
    #[error(transparent)]
    Body(#[from] BodyError),
    #[error("{0} runs are already active; try again in a moment")]
    TooManyRunning(usize),
    #[error(transparent)]
    Memory(#[from] MemoryLimitReached),
}

impl Topic for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Origin | Self::Host(HostRejection::Unknown(_)) => ErrorKind::PermissionDenied,
            Self::NotPost | Self::NotGet => ErrorKind::Unimplemented,
            Self::Body(BodyError::Slow(_)) => ErrorKind::DeadlineExceeded,
            Self::TooManyRunning(_) | Self::Memory(_) => ErrorKind::ResourceExhausted,
            Self::Body(BodyError::BudgetExceeded) => ErrorKind::Unavailable,
            _ => ErrorKind::InvalidArgument,
        }
    }
}

impl From<Error> for Rejection {
    fn from(error: Error) -> Self {
        match &error {
            Error::NotPost => Self::unsupported_method(&error, METHODS),
            Error::NotGet => Self::unsupported_method(&error, READ_METHODS),
            Error::Body(body) => Self::from_server_error(&error, Some(body)),
            _ => Self::from_server_error(&error, None),
        }
    }
}

impl Gate {
    pub fn new(settings: GateSettings, drain: Drain, end: CancellationToken) -> Self {
        Self {
            providers: settings.providers,
            max_message: settings.max_message,
            room: BodyBudget::new(settings.max_message),
            admitting: FairLimit::new(MAX_ADMITTING.min(settings.max_in_flight)),
            running: FairLimit::new(settings.max_in_flight),
            reading: FairLimit::new(settings.max_in_flight),
            memory: FairLimit::for_memory(settings.max_message),
            max_in_flight: settings.max_in_flight,
            hosts: AllowedHosts::with_wildcard(settings.hosts),
            cors: Cors::new(settings.origins, METHODS, ""),
            drain,
            exposes_errors: settings.expose_errors.unwrap_or_else(is_development),
            end,
        }
    }

    /// Checks a request to run the agent `name`, and lets `serve` respond to it.
    pub async fn answer<F>(
        &self,
        request: Request,
        name: String,
        serve: impl FnOnce(AdmittedRequest) -> F,
    ) -> Response
    where
        F: Future<Output = Result<Response, Rejection>>,
    {
        let (method, other_method, limit) = (&Method::POST, Error::NotPost, &self.running);
        self.answer_to(AcceptedRequests { method, other_method, limit, name }, request, serve).await
    }

    /// Checks a request to read a stream of the agent `name`, and lets `serve` respond to it.
    pub async fn answer_reader<F>(
        &self,
        request: Request,
        name: String,
        serve: impl FnOnce(AdmittedRequest) -> F,
    ) -> Response
    where
        F: Future<Output = Result<Response, Rejection>>,
    {
        let (method, other_method, limit) = (&Method::GET, Error::NotGet, &self.reading);
        self.answer_to(AcceptedRequests { method, other_method, limit, name }, request, serve).await
    }

    async fn answer_to<F>(
        &self,
        accepted: AcceptedRequests<'_>,
        request: Request,
        serve: impl FnOnce(AdmittedRequest) -> F,
    ) -> Response
    where
        F: Future<Output = Result<Response, Rejection>>,
    {
        let (headers, uri) = (request.headers(), request.uri());
        if let Err(rejection) = self.hosts.check(headers, uri) {
            return Rejection::from(Error::from(rejection)).into_response();
        }
        let Some(rights) = self.cors.check(headers, uri) else {
            return Rejection::from(Error::Origin).into_response();
        };
        let counted = self.drain.count_request();
        let served = async {
            if request.method() == accepted.method {
                return serve(self.admit(request, &accepted).await?).await;
            }
            if request.method() != Method::OPTIONS {
                return Err(accepted.other_method.into());
            }
            let mut response = StatusCode::NO_CONTENT.into_response();
            self.cors.preflight(request.headers(), response.headers_mut());
            Ok(response)
        };
        let mut response = served.await.unwrap_or_else(Rejection::into_response);
        self.cors.grant(rights, response.headers_mut());
        counted.until_sent(response)
    }

    async fn admit(
        &self,
        request: Request,
        accepted: &AcceptedRequests<'_>,
    ) -> Result<AdmittedRequest, Rejection> {
        let (parts, body) = request.into_parts();
        let from = parts.extensions.get::<ConnectInfo<SocketAddr>>().map(|from| from.0.ip());
        let body =
            read_body(body, self.max_message, &self.room, from).await.map_err(Error::from)?;
        // Take the slots after the body has been read, so that a slow client does not hold one.
        let address = address_key(from);
        let admitting = self.acquire_slot(&self.admitting, address.clone())?;
        let known = self.identify(&parts, &accepted.name).await?;
        drop(admitting);
        let (action_context, owner) = match known {
            Some((context, owner)) => (Some(context), owner),
            None => (None, String::new()),
        };
        let client = match action_context.as_ref().is_none_or(Map::is_empty) {
            true => address,
            false => format!("caller {owner}"),
        };
        let memory = self.memory.take_memory(client.clone(), body.bytes.len());
        let place = self.acquire_slot(accepted.limit, client.clone())?;
        let place = place.join(memory.map_err(Error::from)?);
        Ok(AdmittedRequest { parts, body, action_context, owner, client, place })
    }

    fn acquire_slot(
        &self,
        limit: &Arc<FairLimit<String>>,
        client: String,
    ) -> Result<FairPermit<String>, Error> {
        limit.take_slot(client).ok_or(Error::TooManyRunning(self.max_in_flight))
    }

    /// Returns the action context of a request, and the owner of the conversations that it creates.
    async fn identify(
        &self,
        parts: &Parts,
        name: &str,
    ) -> Result<Option<(Map<String, Value>, String)>, Rejection> {
        if self.providers.is_empty() {
            return Ok(None);
        }
        let (headers, extensions) = (&parts.headers, parts.extensions.clone());
        let request = FlowRequest::new(name, &parts.method, headers, Value::Null, extensions);
        let known = action_context(&self.providers, &request).await;
        known.map(Some).map_err(|error| self.mask_error(error))
    }

    /// Builds the JSON response for a result, whose size counts against the memory of `client` until it is sent.
    ///
    /// # Errors
    /// Returns an error if the client already uses its share.
    pub fn respond(&self, client: String, result: &Value) -> Result<Response, Rejection> {
        let response = answer::counted_result(result, &self.memory, client);
        response.map_err(|error| Error::from(error).into())
    }

    /// Returns the share of a client in the memory for frames that are not sent yet.
    pub fn frame_memory(&self, client: String) -> FrameMemory {
        FrameMemory::new(&self.memory, client)
    }

    /// Converts an error of application code. It is masked unless errors are exposed.
    pub fn mask_error(&self, error: genkit_core::Error) -> Rejection {
        Rejection::from_app_error(error, self.exposes_errors)
    }

    /// Counts a run that continues without its client, so that the shutdown waits for it.
    pub fn count_run(&self) -> RunningRequest {
        self.drain.count_request()
    }

    /// Returns the number of runs that can start now.
    pub fn count_free_slots(&self) -> usize {
        self.running.count_free()
    }
}

/// Returns the key of a client that is identified by its address alone.
pub(super) fn address_key(from: Option<IpAddr>) -> String {
    from.map_or_else(String::new, |from| format!("address {}", client_for(from)))
}

/// Defines the options that all agent servers share, for a type with the fields `gate`, `listening` and `shutdown`.
#[doc(hidden)]
#[macro_export]
macro_rules! agent_server_options {
    ($server:ident) => {
        impl $server {
            /// Sets the address to listen on. Default is `127.0.0.1` with the port of the environment variable `PORT`,
            /// or 3400. Port 0 selects a free port, which is passed to [`on_listening`](Self::on_listening) and logged.
            pub fn http(mut self, address: impl Into<String>) -> Self {
                let address = address.into();
                self.listening.listen_address =
                    Some(genkit_http_server::internal::ListenAddress::Address(address));
                self
            }

            /// Serves on a listener that is already bound, instead of [`http`](Self::http).
            pub fn listener(mut self, listener: std::net::TcpListener) -> Self {
                self.listening.listen_address =
                    Some(genkit_http_server::internal::ListenAddress::Listener(listener));
                self
            }

            /// Sets a function that receives the listening address once the server accepts connections.
            pub fn on_listening(
                mut self,
                notify: impl FnOnce(std::net::SocketAddr) + Send + 'static,
            ) -> Self {
                self.listening.on_listening = Some(Box::new(notify));
                self
            }

            /// Adds a [`ContextProvider`], which reads each request before its run starts, identifies the caller and
            /// creates the action context. Default is none: every client can call the server.
            ///
            /// A conversation belongs to the [`owner`](ContextProvider::owner) that the providers return, by default
            /// the whole value of `auth`. For other callers it does not exist. Without providers, every client that
            /// knows the id of a conversation or has a copy of it can continue it.
            ///
            /// While a turn runs, the store of its agent holds the action context without credentials: without the
            /// entry `secrets`, and without members such as `apiKey` or `access_token`. If the process ends, the call
            /// that continues the turn adds its own credentials, if its context is otherwise the same.
            pub fn context_provider(mut self, provider: impl ContextProvider) -> Self {
                self.gate.providers.push(std::sync::Arc::new(provider));
                self
            }

            /// Sets the message limit: the maximum size of a request, in bytes. Default is 8 MiB. A request may contain
            /// the whole conversation.
            pub fn max_message(mut self, bytes: usize) -> Self {
                self.gate.max_message = bytes;
                self
            }

            /// Sets the concurrency limit: the maximum number of runs at the same time. Default is 1,024; additional
            /// requests are rejected with 429. A client is identified by its context provider, or else by its address.
            /// A client cannot use more slots than it leaves free for other clients, so a single client gets at most
            /// half.
            pub fn max_in_flight(mut self, runs: usize) -> Self {
                self.gate.max_in_flight = runs;
                self
            }

            /// Sets the origins whose web pages can call the server (CORS), for example `https://app.example.com`; `*`
            /// allows all. Default is none; requests from other origins are rejected with 403. Pages from the server's
            /// own origin are always allowed. If the server listens on loopback, all pages from loopback are allowed.
            pub fn cors(mut self, origins: impl IntoIterator<Item = impl Into<String>>) -> Self {
                self.gate.origins.extend(origins.into_iter().map(Into::into));
                self
            }

            /// Sets the hosts that requests can name in `Host`, with or without a port; `*` allows any. Default is
            /// loopback for a [`router`](Self::router) and for a server that listens on loopback, and any host for a
            /// server that listens on another address.
            pub fn allowed_hosts(
                mut self,
                hosts: impl IntoIterator<Item = impl Into<String>>,
            ) -> Self {
                self.gate.hosts = Some(hosts.into_iter().map(Into::into).collect());
                self
            }

            /// Sets whether clients receive full errors, including the messages of other libraries and all causes.
            /// Default is `false`, or `true` if the environment variable `GENKIT_ENV` is `dev`.
            pub fn expose_errors(mut self, expose: bool) -> Self {
                self.gate.expose_errors = Some(expose);
                self
            }

            /// Sets the grace period: the time that active runs have to finish when the server stops. Default is 10
            /// seconds.
            pub fn grace(mut self, time: std::time::Duration) -> Self {
                self.gate.grace = time;
                self
            }

            /// Shuts down gracefully when this future resolves. Ctrl-C and SIGTERM do the same.
            pub fn shutdown(mut self, signal: impl Future<Output = ()> + Send + 'static) -> Self {
                self.shutdown = Some(Box::pin(signal));
                self
            }
        }
    };
}
