//! The settings of a server and their defaults, written by the builder.

use std::time::Duration;

use serde_json::{Map, Value};

use super::lists::{Filter, PageSettings};
use super::permission::Permissions;
use super::quota::{MAX_SESSION_QUESTIONS, MAX_SESSIONS};
use genkit_core::internal::context::TypeMap;

/// The timeout of a tool, a prompt or a resource. Default is 60 seconds; time spent waiting for an
/// answer from the user does not count.
pub(crate) const DEFAULT_TIMEOUT: Duration = Duration::from_secs(60);

/// The maximum size of a result, in bytes of JSON. Default is 4 MiB.
pub(crate) const DEFAULT_MAX_OUTPUT: usize = 4 * 1024 * 1024;

/// The maximum size of a request over stdio (one line), in bytes. Default is 16 MiB.
pub(crate) const MAX_LINE_BYTES: usize = 16 * 1024 * 1024;

/// The maximum number of requests that run at the same time in the whole server. Default is 1,024.
pub(crate) const DEFAULT_MAX_IN_FLIGHT: usize = 1024;

/// The time that a client or its user has to answer a question while the function waits. Default is 10
/// minutes.
pub(crate) const QUESTION_TIMEOUT: Duration = Duration::from_secs(600);

/// The time that a task is kept after its creation, even if it has not finished. Default is 1 day.
pub(crate) const TASK_TTL: Duration = Duration::from_secs(24 * 3600);

/// The approval fallback: the decision on a call that needs approval if the client cannot ask its user.
///
/// ```
/// use genkit::mcp::server::ApprovalFallback;
/// use genkit::{Genkit, Registry, tool, tools};
///
/// /// Deletes a note.
/// #[tool(destructive, needs_approval)]
/// async fn delete(id: u64) -> String { format!("deleted {id}") }
///
/// # fn main() -> genkit::Result<()> {
/// let genkit = Genkit::builder().registry(Registry::new().add(tools![delete])).build()?;
/// let server = genkit.serve_mcp().approval_fallback(ApprovalFallback::TrustClient);
/// # let _ = server;
/// assert_eq!(ApprovalFallback::default(), ApprovalFallback::Refuse);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ApprovalFallback {
    /// Rejects the call with an error that states the reason. This is the default.
    #[default]
    Refuse,
    /// Runs the call. The client is trusted to have asked its user before it made the call.
    TrustClient,
}

/// The settings of a server.
#[derive(Clone)]
pub(crate) struct ServerSettings {
    pub(crate) name: String,
    pub(crate) title: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) website: Option<String>,
    pub(crate) icons: Vec<String>,
    pub(crate) version: String,
    pub(crate) instructions: Option<String>,
    /// The fields of the program's `Cargo.toml`, if they are known.
    pub(crate) package: Option<super::package::Package>,
    pub(crate) variables: Vec<super::package::Variable>,
    pub(crate) filter: Filter,
    pub(crate) permissions: Permissions,
    pub(crate) pages: PageSettings,
    /// Whether clients search for lazy tools instead of listing them.
    pub(crate) tool_search: bool,
    /// Folders of skills, read before the server starts.
    pub(crate) skill_dirs: Vec<std::path::PathBuf>,
    pub(crate) timeout: Duration,
    pub(crate) max_output: usize,
    pub(crate) max_in_flight: usize,
    pub(crate) per_second: Option<u32>,
    pub(crate) max_sessions: usize,
    pub(crate) max_questions: usize,
    pub(crate) question_timeout: Duration,
    #[cfg_attr(not(feature = "durable"), expect(unused, reason = "no call becomes a task"))]
    pub(crate) task_ttl: Duration,
    pub(crate) strict_args: bool,
    pub(crate) audit_contents: bool,
    pub(crate) trace_contents: bool,
    /// Whether the traces of clients are continued.
    pub(crate) trace_context: bool,
    /// Whether clients receive errors with all their causes; `None` uses the default of the transport.
    pub(crate) expose_errors: Option<bool>,
    pub(crate) approval_fallback: ApprovalFallback,
    /// The first key signs; all of them verify.
    pub(crate) sealing_keys: Vec<super::session::KeySource>,
    pub(crate) extensions: Map<String, Value>,
    /// Values added to every request as extensions.
    pub(crate) values: TypeMap,
    pub(crate) max_line: usize,
    /// The middleware of each request, the outermost first.
    pub(crate) middleware:
        std::sync::Arc<[std::sync::Arc<dyn super::middleware::RequestMiddleware>]>,
    pub(crate) http: super::http::HttpSettings,
}

impl Default for ServerSettings {
    fn default() -> Self {
        Self {
            name: program_name(),
            title: None,
            description: None,
            website: None,
            icons: Vec::new(),
            version: "1.0.0".to_owned(),
            instructions: None,
            package: None,
            variables: Vec::new(),
            filter: Filter::default(),
            permissions: Permissions::default(),
            pages: PageSettings::default(),
            tool_search: false,
            skill_dirs: Vec::new(),
            timeout: DEFAULT_TIMEOUT,
            max_output: DEFAULT_MAX_OUTPUT,
            max_in_flight: DEFAULT_MAX_IN_FLIGHT,
            per_second: None,
            max_sessions: MAX_SESSIONS,
            max_questions: MAX_SESSION_QUESTIONS,
            question_timeout: QUESTION_TIMEOUT,
            task_ttl: TASK_TTL,
            strict_args: false,
            audit_contents: false,
            trace_contents: false,
            trace_context: true,
            expose_errors: None,
            approval_fallback: ApprovalFallback::default(),
            sealing_keys: Vec::new(),
            extensions: Map::new(),
            values: TypeMap::default(),
            max_line: MAX_LINE_BYTES,
            middleware: std::sync::Arc::default(),
            http: super::http::HttpSettings::default(),
        }
    }
}

impl ServerSettings {
    /// Returns whether every client over HTTP must send a token.
    pub(crate) fn is_authenticated(&self) -> bool {
        self.http.requires_token()
    }
}

/// Returns the name of the running program, which is the default name of a server.
fn program_name() -> String {
    std::env::current_exe()
        .ok()
        .and_then(|path| Some(path.file_stem()?.to_str()?.to_owned()))
        .unwrap_or_else(|| "genkit".to_owned())
}
