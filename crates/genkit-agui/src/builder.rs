//! The builder returned by `serve_agui()`.

use std::time::Duration;

use genkit_core::BoxFuture;
use genkit_flows::ContextProvider;
use genkit_flows::internal::GateSettings;
use genkit_http_server::internal::Listening;

use crate::agent::{Agent, IntoAgent};

/// The time limit of a run. Default is 10 minutes.
const RUN_TIMEOUT: Duration = Duration::from_secs(600);

/// The time limit of the function that creates a run. Default is 30 seconds.
pub(crate) const SETUP_TIMEOUT: Duration = Duration::from_secs(30);

/// A builder for an AG-UI server. Await it to serve an agent to web pages.
///
/// Common options:
///
/// ```
/// use genkit::agui::AguiRequest;
/// use std::time::Duration;
///
/// # fn main() -> genkit::Result<()> {
/// let agent = |request: AguiRequest| async move {
///     let locale = request.forwarded_prop("locale").and_then(|it| it.as_str()).unwrap_or("en").to_owned();
///     let language = if locale == "de" { "German" } else { "English" };
///     Ok(genkit::generate(()).system(format!("Respond in {language}.")))
/// };
/// let server = genkit::serve_agui(agent)
///     .path("/chat")
///     .forwarded_props(["locale"])
///     .sealing_key([7; 32]) // the same on all machines, random and secret
///     .timeout(Duration::from_secs(60))
///     .durable_streams(true)
///     .max_message(1024 * 1024)
///     .max_in_flight(100)
///     .grace(Duration::from_secs(5))
///     .cors(["https://app.example.com"])
///     .allowed_hosts(["chat.example.com"])
///     .expose_errors(false)
///     .shutdown(async { std::future::pending().await });
/// server.router()?; // or `.await`
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// Awaiting the server fails with [`InvalidArgument`] if the sealing key is too short, an agent with sessions is
/// client-managed, `$PORT` is not a port number or an address is invalid; and with [`Unavailable`] if it cannot listen.
///
/// [`InvalidArgument`]: genkit_core::ErrorKind::InvalidArgument
/// [`Unavailable`]: genkit_core::ErrorKind::Unavailable
#[must_use = "a server starts when it is awaited: add `.await`, or `.run()` for a future"]
pub struct AguiServer {
    pub(crate) agent: Agent,
    /// A path with a leading `/`.
    pub(crate) path: String,
    pub(crate) forwarded_props: Vec<String>,
    pub(crate) page_tools: Vec<String>,
    pub(crate) sealing_key: Option<Vec<u8>>,
    pub(crate) timeout: Duration,
    pub(crate) durable_streams: bool,
    pub(crate) gate: GateSettings,
    pub(crate) listening: Listening,
    /// Stops the server when it resolves.
    pub(crate) shutdown: Option<BoxFuture<'static, ()>>,
}

impl AguiServer {
    #[doc(hidden)]
    pub fn new<Kind>(agent: impl IntoAgent<Kind>) -> Self {
        Self {
            agent: agent.into_agent(),
            path: "/agui".to_owned(),
            forwarded_props: Vec::new(),
            page_tools: Vec::new(),
            sealing_key: None,
            timeout: RUN_TIMEOUT,
            durable_streams: false,
            gate: GateSettings::default(),
            listening: Listening::default(),
            shutdown: None,
        }
    }

    /// Sets the path of the agent. Default is `/agui`.
    pub fn path(mut self, path: impl AsRef<str>) -> Self {
        self.path = format!("/{}", path.as_ref().trim_matches('/'));
        self
    }

    /// Sets the names of the `forwardedProps` that [`AguiRequest::forwarded_prop`](crate::AguiRequest::forwarded_prop)
    /// can return. All others are dropped. Default is none.
    pub fn forwarded_props(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.forwarded_props.extend(names.into_iter().map(Into::into));
        self
    }

    /// Sets the names of the agent's tools that the page executes. Build these tools with
    /// [`interrupts`](genkit_core::ToolBuilder::interrupts). The model can call them in every request, and their
    /// results are validated against their output schema. Default is none. The page always executes the tools that a
    /// request declares.
    pub fn page_tools(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.page_tools.extend(names.into_iter().map(Into::into));
        self
    }

    /// Sets the key that seals conversations: at least 32 random bytes. Default is a random key of this process.
    ///
    /// Set it if several processes serve the same clients, or if conversations must survive a restart. Each process
    /// records only the interrupts that it resumed itself, so route each thread to one process if a tool must not run
    /// twice.
    pub fn sealing_key(mut self, key: impl Into<Vec<u8>>) -> Self {
        self.sealing_key = Some(key.into());
        self
    }

    /// Sets whether clients of Vercel's AI SDK can reconnect to a run: `useChat({resume: true})` sends `GET
    /// {path}/{chat}/stream` and receives the stream of the run from its beginning. A run then continues if its client
    /// disconnects. Default is `false`: the run is cancelled, and the response to the `GET` request is 204, as without
    /// an active run.
    ///
    /// A stream is available only to the caller that started the run, and only until the run ends. It is stored in the
    /// memory of this process, up to 16 MiB for a stream and 256 MiB in total, so route each chat to one process.
    pub fn durable_streams(mut self, yes: bool) -> Self {
        self.durable_streams = yes;
        self
    }

    /// Sets the time limit of a run. Default is 10 minutes; a run that takes longer ends with `DEADLINE_EXCEEDED`.
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.timeout = limit;
        self
    }
}

genkit_flows::agent_server_options!(AguiServer);

impl std::fmt::Debug for AguiServer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Providers and the key are secret, so they are not shown.
        f.debug_struct("AguiServer").field("path", &self.path).finish_non_exhaustive()
    }
}
