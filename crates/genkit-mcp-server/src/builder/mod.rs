//! The builder returned by `serve_mcp()`.

#[cfg(not(feature = "cli"))]
mod cli_off;
#[cfg_attr(not(feature = "host"), path = "host_off.rs")]
mod host;
#[cfg_attr(not(feature = "http"), path = "http_off.rs")]
mod http;
#[cfg_attr(not(feature = "durable"), path = "task_ttl_off.rs")]
mod task_ttl;

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::hosts::FrontedHosts;
use super::instance::ServedInstance;
use super::middleware::RequestMiddleware;
use super::permission::{Caller, Item};
use super::session::KeySource;
use super::settings::{ApprovalFallback, ServerSettings};
use genkit_core::BoxFuture;

/// A builder for an MCP server that exposes the items of a registry. Await it to start the server.
///
/// ```no_run
/// use genkit::tool;
///
/// /// Adds two numbers.
/// #[tool]
/// async fn add(a: i64, b: i64) -> i64 {
///     a + b
/// }
///
/// #[tokio::main]
/// async fn main() -> genkit::Result<()> {
///     genkit::serve_mcp().name("calculator").version("1.0.0").await
/// }
/// ```
///
/// Common options:
///
/// ```
/// use genkit::mcp::server::ApprovalFallback;
/// use genkit::{Genkit, Registry, tool, tools};
/// use serde_json::json;
/// use std::time::Duration;
///
/// struct Rate(f64);
///
/// /// Converts an amount.
/// #[tool(tags("money"))]
/// async fn change(rate: &Rate, amount: f64) -> f64 { amount * rate.0 }
///
/// # fn main() -> genkit::Result<()> {
/// # let key = [7; 32];
/// let genkit = Genkit::builder().registry(Registry::new().add(tools![change])).state(Rate(1.1));
/// let server = genkit.build()?.serve_mcp()
///     .name("bank")
///     .title("The Bank")
///     .description("Accounts and payments.")
///     .website("https://bank.example.com")
///     .icon("https://bank.example.com/icon.png")
///     .version(env!("CARGO_PKG_VERSION"))
///     .instructions("Amounts are in euros.")
///     .state(Rate(1.2)) // replaces `Rate(1.1)`
///     .tagged("money")
///     .only(["change*"])
///     .except(["*_admin"])
///     .permit(|caller, _| caller.is_local())
///     .page_size(50)
///     .timeout(Duration::from_secs(30))
///     .max_output(64 * 1024)
///     .max_message(1024 * 1024)
///     .max_in_flight(100)
///     .max_per_second(10)
///     .max_open_questions(2)
///     .question_timeout(Duration::from_secs(120))
///     .cache_for(Duration::from_secs(60))
///     .strict_args(true)
///     .audit_contents(true)
///     .expose_errors(false)
///     .approval_fallback(ApprovalFallback::TrustClient)
///     .sealing_key(key) // 32 random bytes from your secrets
///     .declare_extension("com.example/bank", json!({"branch": 7}))
///     .shutdown(async { std::future::pending().await });
/// # let _ = server;
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// Awaiting the server fails with [`FailedPrecondition`] if the registry is invalid, a required state
/// is missing, or there is nothing to serve; with [`InvalidArgument`] if a sealing key or an address is
/// not valid; and with [`Unavailable`] if the server cannot listen on its address.
///
/// [`FailedPrecondition`]: genkit_core::ErrorKind::FailedPrecondition
/// [`InvalidArgument`]: genkit_core::ErrorKind::InvalidArgument
/// [`Unavailable`]: genkit_core::ErrorKind::Unavailable
#[must_use = "a server starts when it is awaited: add `.await`, or `.run()` for a future"]
pub struct McpServer {
    pub(super) genkit: ServedInstance,
    pub(super) settings: ServerSettings,
    /// Stops the server when it resolves.
    pub(super) shutdown: Option<BoxFuture<'static, ()>>,
    pub(super) hosts: FrontedHosts,
    pub(super) listening: super::http::Listening,
}

impl McpServer {
    #[doc(hidden)]
    pub fn new(genkit: ServedInstance) -> Self {
        Self {
            genkit,
            settings: ServerSettings::default(),
            shutdown: None,
            hosts: FrontedHosts::default(),
            listening: super::http::Listening::default(),
        }
    }

    /// Sets the name of the server. Default is the name of the program.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.settings.name = name.into();
        self
    }

    /// Sets the title of the server, the name that is displayed to users.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.settings.title = Some(title.into());
        self
    }

    /// Sets the version of the server, such as `.version(env!("CARGO_PKG_VERSION"))`. Default is `1.0.0`.
    pub fn version(mut self, version: impl Into<String>) -> Self {
        self.settings.version = version.into();
        self
    }

    /// Sets the description of the server, which clients display to users.
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.settings.description = Some(description.into());
        self
    }

    /// Sets the website of the server: a URL that clients display to users.
    pub fn website(mut self, url: impl Into<String>) -> Self {
        self.settings.website = Some(url.into());
        self
    }

    /// Adds an icon of the server: an `https:` or `data:` URL.
    pub fn icon(mut self, url: impl Into<String>) -> Self {
        self.settings.icons.push(url.into());
        self
    }

    /// Sets the instructions of the server, which describe to models how to use it as a whole.
    pub fn instructions(mut self, instructions: impl Into<String>) -> Self {
        self.settings.instructions = Some(instructions.into());
        self
    }

    /// Adds state: `value` is injected into every function that takes `&T`. It replaces a value of the same
    /// type from the `Genkit`.
    pub fn state<T: Send + Sync + 'static>(mut self, value: T) -> Self {
        self.genkit.states.insert(value);
        self
    }

    /// Adds an extension to every request. Functions read it with
    /// [`Context::extension`](genkit_core::Context::extension). A value of the same type that a layer of your app
    /// inserted into the request takes precedence.
    ///
    /// ```
    /// use genkit::{Context, tool};
    ///
    /// struct User(&'static str);
    ///
    /// /// Returns the name of the caller.
    /// #[tool]
    /// async fn whoami(ctx: &Context) -> &'static str {
    ///     ctx.extension::<User>().map_or("anonymous", |user| user.0)
    /// }
    ///
    /// let server = genkit::serve_mcp().extension(User("the owner of this machine"));
    /// ```
    pub fn extension<T: Send + Sync + 'static>(mut self, value: T) -> Self {
        self.settings.values.insert(value);
        self
    }

    /// Adds a tag filter: the server offers only items that have this tag. With several tags, an item needs at least
    /// one of them.
    pub fn tagged(mut self, tag: impl Into<String>) -> Self {
        self.settings.filter.tags.push(tag.into());
        self
    }

    /// Adds a name filter: the server offers only tools, prompts and resources with these names. `*`
    /// matches any text.
    pub fn only(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.settings.filter.only.extend(names.into_iter().map(Into::into));
        self
    }

    /// Adds a name filter: the server hides tools, prompts and resources with these names. `*` matches any
    /// text.
    pub fn except(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.settings.filter.except.extend(names.into_iter().map(Into::into));
        self
    }

    /// Adds a permission rule, which decides per caller which items are available. An item that `rule` rejects does not
    /// exist for that caller: it is missing from lists, and calls, completions and subscriptions treat its name as
    /// unknown. If you add several rules, all of them must grant the item. The caller also needs the scopes in
    /// `#[tool(permit = "..")]`.
    ///
    /// The rule runs for each item of a list and for each call, so it should be fast. Callers with access to the same
    /// items share one list, which is built once.
    ///
    /// ```
    /// use genkit::tool;
    ///
    /// /// Deletes everything.
    /// #[tool(tags("admin"))]
    /// async fn reset() {}
    ///
    /// /// Adds a note.
    /// #[tool(permit = "notes:write")]
    /// async fn note(text: String) -> String { text }
    ///
    /// let server = genkit::serve_mcp().permit(|caller, item| {
    ///     let is_admin = caller.principal().is_some_and(|who| who.id() == "ada");
    ///     is_admin || !item.tags().any(|tag| tag == "admin")
    /// });
    /// # let _ = server;
    /// ```
    pub fn permit(
        mut self,
        rule: impl Fn(&Caller<'_>, &Item<'_>) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.settings.permissions.rules.push(Arc::new(rule));
        self
    }

    /// Sets the page size: the maximum number of entries in one page of a list. Default is unlimited.
    pub fn page_size(mut self, size: usize) -> Self {
        self.settings.pages.size = Some(size);
        self
    }

    /// Lists a search tool and a call tool in place of [lazy](genkit_core::Tool::is_lazy) tools, which saves clients
    /// without a tool search hundreds of definitions. `search_tools` returns the definitions of the tools that match a
    /// query, and `call_tool` calls one of them. A search finds only tools that the client has access to. A call
    /// through `call_tool` is treated as a call to that tool: its schema, permissions, approval, limits, middleware and
    /// tasks apply, and the audit log contains its name.
    ///
    /// Claude Code and Codex have their own tool search, so they receive all tools instead.
    ///
    /// ```
    /// use genkit::testing::Client;
    /// use genkit::{Genkit, Registry, tool, tools};
    /// use serde_json::json;
    ///
    /// /// Closes an issue.
    /// #[tool(lazy)]
    /// async fn close_issue(number: u32) -> String { format!("closed {number}") }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> genkit::Result<()> {
    /// let genkit = Genkit::builder().registry(Registry::new().add(tools![close_issue])).build()?;
    /// let client = Client::connect(genkit.serve_mcp().tool_search()).await?;
    /// let names: Vec<String> =
    ///     client.tools().await?.iter().map(|tool| tool.name().to_owned()).collect();
    /// assert_eq!(names, ["call_tool", "search_tools"]);
    ///
    /// let found = client.call_tool("search_tools", json!({"query": "issue"})).await?;
    /// assert!(found.text().contains("Closes an issue."));
    /// let call = json!({"name": "close_issue", "arguments": {"number": 7}});
    /// assert_eq!(client.call_tool("call_tool", call).await?.text(), "closed 7");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// Serving fails if a tool has the name `search_tools` or `call_tool`.
    pub fn tool_search(mut self) -> Self {
        self.settings.tool_search = true;
        self
    }

    /// Sets the timeout of functions that do not declare their own `timeout`. Default is 60 seconds. Time
    /// spent waiting for an answer from the user does not count.
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.settings.timeout = limit;
        self
    }

    /// Sets the output limit: the maximum size of a result, in bytes of JSON. It applies to prompts, resources, and
    /// tools that do not declare their own `max_output`. Default is 4 MiB. A larger result is replaced with an error
    /// that states its size.
    pub fn max_output(mut self, bytes: usize) -> Self {
        self.settings.max_output = bytes;
        self
    }

    /// Sets the message limit: the maximum size of a request, in bytes. Default is 4 MiB over HTTP and 16
    /// MiB over stdio.
    pub fn max_message(mut self, bytes: usize) -> Self {
        self.settings.max_line = bytes;
        self.settings.http.set_max_body(bytes);
        self
    }

    #[doc(hidden)]
    #[deprecated(note = "renamed to `max_message`")]
    pub fn max_request(self, bytes: usize) -> Self {
        self.max_message(bytes)
    }

    /// Sets the concurrency limit: the maximum number of functions that run at the same time in the whole
    /// server. Default is 1,024. Further calls are rejected with a protocol error.
    ///
    /// A client over HTTP, identified by its [`Principal`](crate::Principal) or else by its address, can hold at most
    /// as many slots as it leaves free for other clients, so a single client can hold half of them. The same rule
    /// applies to the sessions of one client, and to the calls to each server behind this one. A function that waits
    /// for an answer from the user does not count.
    pub fn max_in_flight(mut self, requests: usize) -> Self {
        self.settings.max_in_flight = requests;
        self
    }

    /// Sets the rate limit: the maximum number of requests per second from one client, identified by its
    /// [`Principal`](crate::Principal) or else by its address. Requests that open a session do
    /// not count. Default is unlimited.
    pub fn max_per_second(mut self, requests: u32) -> Self {
        self.settings.per_second = Some(requests);
        self
    }

    /// Sets the maximum number of requests to one session (elicitation, approvals, sampling, roots) that can be
    /// unanswered at the same time. Default is 8. A function that asks a further question receives an error.
    pub fn max_open_questions(mut self, questions: usize) -> Self {
        self.settings.max_questions = questions;
        self
    }

    /// Sets the question timeout: the time that a client or its user has to answer a question (elicitation, approvals,
    /// sampling, roots) while the function waits. Default is 10 minutes. The function then receives an error.
    ///
    /// If the client has disconnected, the function waits only until the session ends; over HTTP, that is
    /// `session_timeout` after the last connection. Clients of the 2026-07-28 protocol answer with a repeated call,
    /// within one hour.
    ///
    /// ```no_run
    /// use std::time::Duration;
    ///
    /// # async fn run() -> genkit::Result<()> {
    /// genkit::serve_mcp().question_timeout(Duration::from_secs(120)).await
    /// # }
    /// ```
    pub fn question_timeout(mut self, limit: Duration) -> Self {
        self.settings.question_timeout = limit;
        self
    }

    /// Sets the cache lifetime: the time that clients can cache lists and contents. Default is 0.
    pub fn cache_for(mut self, ttl: Duration) -> Self {
        self.settings.pages.cache_ttl = ttl;
        self
    }

    /// Sets whether arguments must match the schema exactly. Default is `false`: a string that does not match the
    /// schema is parsed again as JSON (`"5"` becomes 5), because models send such strings. Arguments of tools that need
    /// approval are always parsed strictly.
    pub fn strict_args(mut self, yes: bool) -> Self {
        self.settings.strict_args = yes;
        self
    }

    /// Sets whether audit events (target `genkit::audit`) include arguments and errors. Default is `false`:
    /// the events contain the caller, the item, the duration and the outcome.
    pub fn audit_contents(mut self, contents: bool) -> Self {
        self.settings.audit_contents = contents;
        self
    }

    /// Sets whether the tracing spans of requests include arguments, results and error messages. Default is
    /// `false`: the spans contain names, times and the outcome. See [`telemetry`](genkit_core::internal::telemetry).
    pub fn trace_contents(mut self, contents: bool) -> Self {
        self.settings.trace_contents = contents;
        self
    }

    /// Sets whether the server continues the trace context of clients: `traceparent` and `tracestate` in the `_meta` of
    /// a request (SEP-414), or else in the HTTP headers. Default is `true`. A parent-based sampler then applies the
    /// client's sampling decision. With `false`, the server starts a new trace for each request; use this for untrusted
    /// clients.
    pub fn trace_context(mut self, yes: bool) -> Self {
        self.settings.trace_context = yes;
        self
    }

    /// Sets whether clients receive complete errors, with the messages of other libraries and all causes,
    /// instead of masked errors. Default is `true` on stdio and in memory, where the client belongs to the
    /// user, and `false` over HTTP and for `serve`.
    ///
    /// With masking, a client receives the text that was written for it: the message of a
    /// [`genkit::Error`](genkit_core::Error) (including an error created by
    /// [`context`](genkit_core::ErrorContext::context)) or of an error that is a `String` or `&str`, without causes.
    /// Errors of other libraries (`std::io::Error`, `anyhow`, `sqlx`), which can contain file names, hosts and queries,
    /// are replaced with a generic message that contains a reference. The log contains the complete error with the same
    /// reference.
    ///
    /// ```
    /// use genkit::testing::Client;
    /// use genkit::{ErrorContext as _, Genkit, Registry, Result, tool, tools};
    /// use serde_json::json;
    ///
    /// /// Reads the settings.
    /// #[tool]
    /// async fn settings() -> Result<String> {
    ///     std::fs::read_to_string("/no/such/file").context("there are no settings")
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<()> {
    /// let genkit = Genkit::builder().registry(Registry::new().add(tools![settings])).build()?;
    /// let client = Client::connect(genkit.serve_mcp().expose_errors(false)).await?;
    /// let told = client.call_tool("settings", json!({})).await?.text();
    /// assert!(told.starts_with("there are no settings (reference "), "{told}");
    /// # Ok(())
    /// # }
    /// ```
    pub fn expose_errors(mut self, expose: bool) -> Self {
        self.settings.expose_errors = Some(expose);
        self
    }

    /// Sets the approval fallback: how the server handles a call to a tool with `#[tool(needs_approval)]` if the client
    /// cannot ask its user. Default is [`ApprovalFallback::Refuse`].
    pub fn approval_fallback(mut self, fallback: ApprovalFallback) -> Self {
        self.settings.approval_fallback = fallback;
        self
    }

    /// Adds a request middleware, which runs around each list, call, read, prompt and completion of every client. The
    /// first added middleware is the outermost. [`on_request`](crate::on_request) creates middleware from a closure.
    ///
    /// Middleware that you added with `GenkitBuilder::middleware` also runs around each tool call, inside this
    /// middleware. It receives typed calls and can change them.
    ///
    /// Permissions are checked inside the middleware. A response is valid only for its client, so a cache must include
    /// [`ServedRequest::client`](crate::ServedRequest::client) in its key.
    ///
    /// ```
    /// use genkit::mcp::server::{NextRequest, ServedRequest, on_call};
    /// use genkit::{Error, ErrorKind};
    ///
    /// let closed = on_call(|request: ServedRequest, next: NextRequest| async move {
    ///     match request.name() {
    ///         "delete" => Err(Error::new(ErrorKind::PermissionDenied, "not on Sundays")),
    ///         _ => next.run().await,
    ///     }
    /// });
    /// let server = genkit::serve_mcp().middleware(closed);
    /// ```
    pub fn middleware(mut self, middleware: impl RequestMiddleware) -> Self {
        let before = self.settings.middleware.iter().cloned();
        self.settings.middleware = before.chain([Arc::new(middleware) as _]).collect();
        self
    }

    /// Adds a sealing key of at least 32 random bytes, which signs the state that clients store while a question is open.
    /// All instances of a server need the same keys. Default is a random key of this process.
    ///
    /// If you add several keys, the first key signs and all of them verify. To rotate keys without losing a question,
    /// add the new key to every instance as the second key, then make it the first key. Remove the old key an hour
    /// later, when all states that it signed have expired.
    ///
    /// ```
    /// # fn key_of(_: &str) -> Vec<u8> { vec![7; 32] }
    /// genkit::serve_mcp()
    ///     .sealing_key(key_of("november"))
    ///     .sealing_key(key_of("october"));
    /// ```
    pub fn sealing_key(mut self, key: impl Into<Vec<u8>>) -> Self {
        self.settings.sealing_keys.push(KeySource::Bytes(key.into()));
        self
    }

    /// Adds sealing keys from an environment variable, which is read when the server starts. Each key is in hex or
    /// base64; keys are separated by line breaks, spaces or commas. They follow the keys of earlier calls and precede
    /// the keys of later calls. The first key signs, and the others only verify; see
    /// [`sealing_key`](Self::sealing_key).
    ///
    /// ```no_run
    /// # async fn run() -> genkit::Result<()> {
    /// // SEALING_KEYS="<new key>,<old key>", each generated with `openssl rand -hex 32`
    /// genkit::serve_mcp().http("0.0.0.0:8000").sealing_keys_from_env("SEALING_KEYS").await
    /// # }
    /// ```
    ///
    /// Serving fails if the variable is not set, or if a key is too short, is not valid hex or base64, or
    /// is listed twice. The error states the position of the problem and does not reveal any part of the key.
    pub fn sealing_keys_from_env(mut self, variable: impl Into<String>) -> Self {
        self.settings.sealing_keys.push(KeySource::Variable(variable.into()));
        self
    }

    /// Adds sealing keys from a file, such as a secret that your platform mounts. The file is read when the server
    /// starts. It contains one key per line, in hex or base64, with the newest key first; `#` starts a comment. In all
    /// other respects, this method is like [`sealing_keys_from_env`](Self::sealing_keys_from_env).
    ///
    /// ```no_run
    /// # async fn run() -> genkit::Result<()> {
    /// genkit::serve_mcp().http("0.0.0.0:8000").sealing_keys_from_file("/run/secrets/sealing_keys").await
    /// # }
    /// ```
    pub fn sealing_keys_from_file(mut self, path: impl Into<std::path::PathBuf>) -> Self {
        self.settings.sealing_keys.push(KeySource::File(path.into()));
        self
    }

    /// Adds a skill folder, whose skills are read into the registry when the server starts. Can be called several
    /// times. See [`Skill::read_dir`](genkit_core::Skill::read_dir); `skills!` embeds skills into the program instead.
    ///
    /// Clients list the skills over MCP's extension `io.modelcontextprotocol/skills` and read their files
    /// as resources. The rules of [`permit`](Self::permit) apply to each skill.
    ///
    /// ```no_run
    /// # async fn run() -> genkit::Result<()> {
    /// genkit::serve_mcp().skills_dir("skills").await
    /// # }
    /// ```
    ///
    /// An invalid skill is skipped and logged with file and line. Serving fails if no skill in the folder is valid.
    pub fn skills_dir(mut self, path: impl Into<std::path::PathBuf>) -> Self {
        self.settings.skill_dirs.push(path.into());
        self
    }

    /// Declares a protocol extension in the capabilities of the server.
    pub fn declare_extension(mut self, id: impl Into<String>, settings: Value) -> Self {
        self.settings.extensions.insert(id.into(), settings);
        self
    }

    /// Sets a signal for graceful shutdown: when the future resolves, the server accepts no new requests
    /// and finishes the running requests. Ctrl-C and SIGTERM have the same effect.
    pub fn shutdown(mut self, signal: impl Future<Output = ()> + Send + 'static) -> Self {
        self.shutdown = Some(Box::pin(signal));
        self
    }
}

impl std::fmt::Debug for McpServer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The settings contain keys and a token, which must not be printed.
        let mut shown = f.debug_struct("McpServer");
        shown.field("name", &self.settings.name).field("registry", &self.genkit.registry);
        shown.finish_non_exhaustive()
    }
}
