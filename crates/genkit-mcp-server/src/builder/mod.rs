//! The builder that `serve_mcp()` returns: its options.

#[cfg(not(all(feature = "cli", feature = "http")))]
mod feature_off;
#[cfg(feature = "http")]
mod http;

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

/// MCP server over a registry, about to be started: await it.
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
/// Every option, with a value other than its default:
///
/// ```
/// use genkit::mcp::server::ApprovalFallback;
/// use genkit::{Genkit, Registry, tool, tools};
/// use serde_json::json;
/// use std::time::Duration;
///
/// struct Rate(f64);
///
/// /// Changes money.
/// #[tool(tags("money"))]
/// async fn change(rate: &Rate, amount: f64) -> f64 { amount * rate.0 }
///
/// # fn main() -> genkit::Result<()> {
/// # let key = [7; 32];
/// let genkit = Genkit::builder().registry(Registry::new().add(tools![change])).state(Rate(1.1));
/// let server = genkit.build()?.serve_mcp()
///     .name("bank")
///     .title("The Bank")
///     .version(env!("CARGO_PKG_VERSION"))
///     .instructions("Amounts are in euros.")
///     .state(Rate(1.2)) // replaces the other
///     .tagged("money")
///     .only(["change*"])
///     .except(["*_admin"])
///     .permit(|caller, _| caller.is_local())
///     .page_size(50)
///     .timeout(Duration::from_secs(30))
///     .max_output(64 * 1024)
///     .max_request(1024 * 1024)
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
/// # #[cfg(feature = "rmcp-handler")]
/// # server.into_handler()?;
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// Awaiting it fails with [`FailedPrecondition`] where the registry is unsound, state is
/// missing or there is nothing to serve, with [`InvalidArgument`] for sealing keys that
/// cannot be used or what is no address, and with [`Unavailable`] where it cannot listen.
///
/// [`FailedPrecondition`]: genkit_core::ErrorKind::FailedPrecondition
/// [`InvalidArgument`]: genkit_core::ErrorKind::InvalidArgument
/// [`Unavailable`]: genkit_core::ErrorKind::Unavailable
#[must_use = "a server starts when it is awaited: add `.await`, or `.run()` for a future"]
pub struct McpServer {
    pub(super) genkit: ServedInstance,
    pub(super) settings: ServerSettings,
    /// Ends the server when it resolves.
    pub(super) shutdown: Option<BoxFuture<'static, ()>>,
    pub(super) hosts: FrontedHosts,
    #[cfg(feature = "http")]
    pub(super) listening: genkit_http_server::internal::Listening,
}

impl McpServer {
    #[doc(hidden)]
    pub fn new(genkit: ServedInstance) -> Self {
        Self {
            genkit,
            settings: ServerSettings::default(),
            shutdown: None,
            hosts: FrontedHosts::default(),
            #[cfg(feature = "http")]
            listening: genkit_http_server::internal::Listening::default(),
        }
    }

    /// Name of the server. Default is the name of the program.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.settings.name = name.into();
        self
    }

    /// Title of the server: what people call it.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.settings.title = Some(title.into());
        self
    }

    /// Version of the server: `.version(env!("CARGO_PKG_VERSION"))`. Default is `0.0.0`.
    pub fn version(mut self, version: impl Into<String>) -> Self {
        self.settings.version = version.into();
        self
    }

    /// Instructions: how a model should use it as a whole.
    pub fn instructions(mut self, instructions: impl Into<String>) -> Self {
        self.settings.instructions = Some(instructions.into());
        self
    }

    /// State: injects `value` into every function that takes `&T`.
    pub fn state<T: Send + Sync + 'static>(mut self, value: T) -> Self {
        self.genkit.states.insert(value);
        self
    }

    /// Extension: gives a value to every request, as
    /// [`Context::extension`](genkit_core::Context::extension); what a layer of your app put into the
    /// request itself goes first.
    ///
    /// ```
    /// use genkit::{Context, tool};
    ///
    /// struct User(&'static str);
    ///
    /// /// Who is calling.
    /// #[tool]
    /// async fn whoami(ctx: &Context) -> &'static str {
    ///     ctx.extension::<User>().map_or("nobody", |user| user.0)
    /// }
    ///
    /// let server = genkit::serve_mcp().extension(User("the owner of this machine"));
    /// ```
    pub fn extension<T: Send + Sync + 'static>(mut self, value: T) -> Self {
        self.settings.values.insert(value);
        self
    }

    /// Tag filter: shows only what has this tag; called again, also that one.
    pub fn tagged(mut self, tag: impl Into<String>) -> Self {
        self.settings.filter.tags.push(tag.into());
        self
    }

    /// Name filter: shows only tools, prompts and resources of these names; `*` stands for any
    /// text.
    pub fn only(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.settings.filter.only.extend(names.into_iter().map(Into::into));
        self
    }

    /// Name filter: hides tools, prompts and resources of these names; `*` stands for any text.
    pub fn except(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.settings.filter.except.extend(names.into_iter().map(Into::into));
        self
    }

    /// Permissions: shows only what `rule` grants: for a caller to whom it does not, a tool, a prompt or
    /// a resource is not there, neither in lists nor for calls, completions and subscriptions. Called
    /// again, all rules must grant it, as must the scopes of `#[tool(permit = "..")]`.
    ///
    /// It is asked for each item of a list and for each call, so it should be quick; who sees the same gets
    /// the same list, which is made once.
    ///
    /// ```
    /// use genkit::tool;
    ///
    /// /// Deletes everything.
    /// #[tool(tags("admin"))]
    /// async fn reset() {}
    ///
    /// /// Notes something.
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

    /// Page size: how many things a page of a list has. Default is all.
    pub fn page_size(mut self, size: usize) -> Self {
        self.settings.page_size = Some(size);
        self
    }

    /// Timeout: how long a function may run that has no `timeout` of its own. Default is 60
    /// seconds; time in which the user is asked does not count.
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.settings.timeout = limit;
        self
    }

    /// Task lifetime: how long a task lives, from its creation until it is gone, whether it has
    /// ended or not. Default is 1 day.
    ///
    /// A call of a tool with `#[tool(task)]` becomes a task once it has run for 1 second, where its client declares
    /// MCP's extension `io.modelcontextprotocol/tasks` in the request: the client gets an id, polls the task, answers
    /// what it asks and may cancel it. What ends or asks sooner is answered plainly, and every other client waits.
    ///
    /// Tasks stand in the store of [`GenkitBuilder::durable`](genkit_agent::GenkitBuilder::durable): they go on after a
    /// restart, from the beginning of the function, with what it did by [`Context::once`](genkit_core::Context::once); and
    /// every server on that store answers for them, to the principal that called. Without a store they stand in memory:
    /// 1,000, and gone with the process. A task has the principal of its call, its arguments and `_meta`; what else
    /// layers of HTTP left on the request is there until the task is taken up again. Its time limit is the `timeout` of
    /// the tool, else its life.
    ///
    /// ```
    /// use genkit::{Context, Genkit, Registry, tool, tools};
    /// use std::time::Duration;
    ///
    /// /// Counts all files.
    /// #[tool(task)]
    /// async fn count(ctx: &Context) -> u64 {
    ///     for folder in 0..3 {
    ///         ctx.progress((f64::from(folder), 3.0)).await; // the task's message: "1 of 3"
    ///     }
    ///     3
    /// }
    ///
    /// # fn main() -> genkit::Result<()> {
    /// let genkit = Genkit::builder().registry(Registry::new().add(tools![count])).build()?;
    /// let server = genkit.serve_mcp().task_ttl(Duration::from_secs(3600));
    /// # server.into_handler()?;
    /// # Ok(())
    /// # }
    /// ```
    #[cfg(feature = "durable")]
    pub fn task_ttl(mut self, time: Duration) -> Self {
        self.settings.task_ttl = time;
        self
    }

    /// Output limit: how large an answer may be, in bytes of JSON: that of a tool that has no
    /// `max_output` of its own, of a prompt, or of a resource. Default is 4 MiB; a larger one is an
    /// error that says how large it is.
    pub fn max_output(mut self, bytes: usize) -> Self {
        self.settings.max_output = bytes;
        self
    }

    /// Request limit: how large a request may be, in bytes. Default is 4 MiB over HTTP and 16 MiB
    /// over stdio.
    pub fn max_request(mut self, bytes: usize) -> Self {
        self.settings.max_line = bytes;
        #[cfg(feature = "http")]
        {
            self.settings.http.max_body = bytes;
        }
        self
    }

    /// Concurrency limit: how many functions may run at once in the whole server. Default is 1,024;
    /// one more is refused with a protocol error.
    ///
    /// A client over HTTP (a [`Principal`](crate::Principal), else an address) may have as
    /// many of them as are left for all others: one alone half, and a session the same of what its
    /// client may have. The same holds for the functions of each server behind this one. A function
    /// that waits for a person is not counted.
    pub fn max_in_flight(mut self, requests: usize) -> Self {
        self.settings.max_in_flight = requests;
        self
    }

    /// Rate limit: how many requests a client may send in a second, beside those that open a
    /// session: a [`Principal`](crate::Principal), else an address. Default is no
    /// limit.
    pub fn max_per_second(mut self, requests: u32) -> Self {
        self.settings.per_second = Some(requests);
        self
    }

    /// Question limit: how many questions to one session may be open (elicitation, approvals, sampling,
    /// roots). Default is 8; a function that asks one more gets an error.
    pub fn max_open_questions(mut self, questions: usize) -> Self {
        self.settings.max_questions = questions;
        self
    }

    /// Question timeout: how long a client, or its user, may take to answer a question (elicitation,
    /// approvals, sampling, roots) while the function waits. Default is 10 minutes; the function gets
    /// an error then.
    ///
    /// A client that is gone is waited for no longer than its session lives: over HTTP
    /// `session_timeout` after its last connection. Clients of the 2026-07-28
    /// protocol answer by calling again, for which they have an hour.
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

    /// Cache lifetime: how long clients may keep lists and contents without asking again. Default
    /// is 0.
    pub fn cache_for(mut self, ttl: Duration) -> Self {
        self.settings.cache_ttl = ttl;
        self
    }

    /// Strict arguments: whether they are read exactly as the schema says. Default is `false`: a
    /// string that does not fit is read once more as JSON (`"5"` is 5), since models send these.
    pub fn strict_args(mut self, yes: bool) -> Self {
        self.settings.strict_args = yes;
        self
    }

    /// Audit of contents: adds arguments and errors to the audit events (target `genkit::audit`).
    /// Default is `false`: who, what, how long and how it ended.
    pub fn audit_contents(mut self, contents: bool) -> Self {
        self.settings.audit_contents = contents;
        self
    }

    /// Tracing of contents: adds arguments, results and the texts of errors to the spans of requests. Default is
    /// `false`: names, times and how they ended. See [`telemetry`](genkit_core::internal::telemetry).
    pub fn trace_contents(mut self, contents: bool) -> Self {
        self.settings.trace_contents = contents;
        self
    }

    /// Trace context: whether the traces of clients go on here, as `traceparent` and `tracestate` in the `_meta` of
    /// a request (SEP-414), else in the headers of HTTP, say. Default is `true`. A sampler that follows its parent
    /// records what a client wants recorded: `false` begins traces of one's own, for clients that are strangers.
    pub fn trace_context(mut self, yes: bool) -> Self {
        self.settings.trace_context = yes;
        self
    }

    /// Error masking: whether clients read errors whole, with the texts of other libraries and all
    /// causes. Default is `true` on stdio and in memory, where the client is the user's own, and
    /// `false` over HTTP and for `into_handler`.
    ///
    /// Masked, a client reads what was written for it: the text of a [`genkit::Error`](genkit_core::Error)
    /// (also one made by [`context`](genkit_core::ErrorContext::context)) and of an error that is a
    /// `String` or `&str`, without causes. Errors of other libraries (`std::io::Error`, `anyhow`,
    /// `sqlx`), which may name files, hosts and queries, are replaced by a sentence with a reference;
    /// the log has the whole error under the same reference.
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

    /// Approval fallback: what becomes of `#[tool(needs_approval)]` where the client cannot ask its
    /// user. Default is [`ApprovalFallback::Refuse`].
    pub fn approval_fallback(mut self, fallback: ApprovalFallback) -> Self {
        self.settings.approval_fallback = fallback;
        self
    }

    /// Request middleware: code around each list, call, read, prompt and completion, whatever the client;
    /// called again, inside of those before. [`on_request`](crate::on_request) makes one of a
    /// closure.
    ///
    /// The middleware of the program ([`GenkitBuilder::middleware`](genkit_agent::GenkitBuilder::middleware))
    /// stands around its tools here, too, inside of this one: it sees typed calls, and may change them.
    ///
    /// What a caller may do is checked inside of it: an answer that it keeps is for those it was made for, so
    /// a cache has [`ServedRequest::client`](crate::ServedRequest::client) in its key.
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

    /// Sealing key: seals what a question carries through the client; at least 32 random bytes, the
    /// same for all instances of the server. Default is a key of this process alone.
    ///
    /// Given again, the first one seals and the others open what they sealed. So a fleet changes its key
    /// without a question lost: first every instance learns the new key as its second, then each
    /// has it as its first, and after an hour, when no question lives that the old one sealed, it goes.
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

    /// Sealing keys from a variable of the environment, read when the server starts: each in hex or base64, separated
    /// by line breaks, blanks or commas. The first one seals, the others open what they sealed: see
    /// [`sealing_key`](Self::sealing_key), before or after whose keys these come.
    ///
    /// ```no_run
    /// # async fn run() -> genkit::Result<()> {
    /// // SEALING_KEYS="<the new one>,<the old one>", each of `openssl rand -hex 32`
    /// genkit::serve_mcp().http("0.0.0.0:8000").sealing_keys_from_env("SEALING_KEYS").await
    /// # }
    /// ```
    ///
    /// A variable that is not set, a key that is too short or cannot be read, and one that stands there twice are an
    /// error of serving, which says where, and nothing of the key.
    pub fn sealing_keys_from_env(mut self, variable: impl Into<String>) -> Self {
        self.settings.sealing_keys.push(KeySource::Variable(variable.into()));
        self
    }

    /// Sealing keys from a file, such as a secret that your platform mounts, read when the server starts: each in
    /// hex or base64 on a line of its own, the new one first; `#` begins a comment. Otherwise like
    /// [`sealing_keys_from_env`](Self::sealing_keys_from_env).
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

    /// Skill folder: serves the skills of one, too: read when the server starts, into its registry. Called again,
    /// this is one more folder. See [`Skill::read_dir`](genkit_core::Skill::read_dir); `skills!` puts them
    /// into the program.
    ///
    /// Clients list them over MCP's extension `io.modelcontextprotocol/skills`, and read their files as resources.
    /// [`permit`](Self::permit) is asked for each skill.
    ///
    /// ```no_run
    /// # async fn run() -> genkit::Result<()> {
    /// genkit::serve_mcp().skills_dir("skills").await
    /// # }
    /// ```
    ///
    /// What is wrong with the files is an error of serving: all mistakes with file and line.
    #[cfg(feature = "skills")]
    pub fn skills_dir(mut self, path: impl Into<std::path::PathBuf>) -> Self {
        self.settings.skill_dirs.push(path.into());
        self
    }

    /// Protocol extension: declares one in the server's capabilities.
    pub fn declare_extension(mut self, id: impl Into<String>, settings: Value) -> Self {
        self.settings.extensions.insert(id.into(), settings);
        self
    }

    /// Proxy: serves what the servers of a host offer beside this program's own: one server that
    /// fronts many.
    ///
    /// Names are `key__tool` for clients, which refuse a `/`; [`only`](Self::only) and
    /// [`except`](Self::except) take `key/tool`. What comes and goes in a server comes
    /// and goes here. What a server asks the user is asked of this server's client.
    ///
    /// ```no_run
    /// use genkit::mcp::McpHost;
    ///
    /// # async fn run() -> genkit::Result<()> {
    /// let host = McpHost::from_config_file("mcp.json")?;
    /// genkit::serve_mcp().name("all").host(&host).await
    /// # }
    /// ```
    #[cfg(feature = "host")]
    pub fn host(mut self, host: &genkit_mcp_host::McpHost) -> Self {
        self.hosts.push(host.clone());
        self
    }

    /// Graceful shutdown: ends the server when this future resolves: no new requests, the running
    /// ones finish. Ctrl-C and SIGTERM do the same.
    pub fn shutdown(mut self, signal: impl Future<Output = ()> + Send + 'static) -> Self {
        self.shutdown = Some(Box::pin(signal));
        self
    }
}

impl std::fmt::Debug for McpServer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Settings hold a key and a token: neither is shown.
        let mut shown = f.debug_struct("McpServer");
        shown.field("name", &self.settings.name).field("registry", &self.genkit.registry);
        shown.finish_non_exhaustive()
    }
}
