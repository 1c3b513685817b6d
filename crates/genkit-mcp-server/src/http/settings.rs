//! The settings of a server over HTTP and their defaults, written by the builder.

use std::sync::Arc;
use std::time::Duration;

use super::auth::{Authentication, ProtectedResource};
use super::session_store::SessionStore;
use crate::error::Error as E;
use genkit_core::{BoxFuture, Result};

/// The maximum size of a request over HTTP, in bytes. Default is 4 MiB.
pub(crate) const DEFAULT_MAX_BODY: usize = 4 * 1024 * 1024;

/// The settings of a server over HTTP.
#[derive(Clone)]
pub(crate) struct HttpSettings {
    pub(crate) max_body: usize,
    pub(crate) hosts: Option<Vec<String>>,
    pub(crate) origins: Vec<String>,
    pub(crate) authentication: Authentication,
    /// The metadata for clients without a token.
    pub(crate) resource: Option<ProtectedResource>,
    pub(crate) sessions: bool,
    /// The time that a session can be idle; `None` uses the default.
    pub(crate) session_timeout: Option<Duration>,
    /// The header in which a trusted proxy reports the client address.
    pub(crate) client_address_from: Option<String>,
    /// The health routes, if they are enabled.
    pub(crate) health: Option<HealthSettings>,
    /// The store that keeps sessions after this process exits.
    pub(crate) session_store: Option<Arc<dyn SessionStore>>,
}

/// The path of the health routes, and the readiness checks.
#[derive(Clone)]
pub(crate) struct HealthSettings {
    pub(crate) path: String,
    pub(crate) checks: Arc<[HealthCheck]>,
}

/// A readiness check of the program.
pub(crate) type HealthCheck = Arc<dyn Fn() -> BoxFuture<'static, Result<()>> + Send + Sync>;

impl Default for HealthSettings {
    fn default() -> Self {
        Self { path: "/health".to_owned(), checks: Arc::default() }
    }
}

impl Default for HttpSettings {
    fn default() -> Self {
        Self {
            max_body: DEFAULT_MAX_BODY,
            health: None,
            hosts: None,
            origins: Vec::new(),
            authentication: Authentication::default(),
            resource: None,
            sessions: true,
            session_timeout: None,
            session_store: None,
            client_address_from: None,
        }
    }
}

impl HttpSettings {
    /// Returns whether every client must send a token.
    pub(crate) fn requires_token(&self) -> bool {
        self.authentication.is_required()
    }

    pub(crate) fn set_max_body(&mut self, bytes: usize) {
        self.max_body = bytes;
    }

    /// Performs all checks that are possible before the server starts.
    pub(crate) fn check(&self) -> Result<()> {
        if let Some(resource) = &self.resource {
            resource.check()?;
            if !self.authentication.is_required() {
                return Err(E::NothingVerifies.into());
            }
        }
        check_health_path(self.health.as_ref())?;
        self.client_address_header().map(drop)
    }

    /// Returns the header in which a trusted proxy reports the client address.
    pub(crate) fn client_address_header(&self) -> Result<Option<http::HeaderName>> {
        header_name(self.client_address_from.as_deref())
    }
}

fn check_health_path(health: Option<&HealthSettings>) -> Result<()> {
    let Some(HealthSettings { path, .. }) = health else { return Ok(()) };
    let is_path = path.len() > 1 && path.starts_with('/') && !path.starts_with("/mcp");
    let is_path = is_path && !path.starts_with("/.well-known");
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./".contains(c);
    match is_path && path.chars().all(is_plain) {
        true => Ok(()),
        false => Err(E::HealthPath(path.clone()).into()),
    }
}

fn header_name(name: Option<&str>) -> Result<Option<http::HeaderName>> {
    let parsed = name.map(str::parse).transpose();
    Ok(parsed.map_err(|_| E::HeaderName(name.unwrap_or_default().to_owned()))?)
}
