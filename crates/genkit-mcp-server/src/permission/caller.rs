//! The caller whose permission is checked.

use crate::principal::Principal;

/// The caller of a list, call or read, as passed to [`permit`](crate::builder::McpServer::permit).
///
/// ```
/// use genkit::mcp::server::Principal;
///
/// let server = genkit::serve_mcp()
///     .permit(|caller, item| {
///         caller.is_local() || caller.principal().is_some_and(|who| who.id() != "guest")
///             || item.tags().any(|tag| tag == "public")
///     });
/// # let _ = server;
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Caller<'a> {
    principal: Option<&'a Principal>,
    is_local: bool,
}

impl<'a> Caller<'a> {
    pub(crate) fn new(principal: Option<&'a Principal>, is_local: bool) -> Self {
        Self { principal, is_local }
    }

    /// Returns the principal set by [`authenticate`](crate::builder::McpServer::authenticate), a layer of the app, or
    /// [`extension`](crate::builder::McpServer::extension).
    pub fn principal(&self) -> Option<&'a Principal> {
        self.principal
    }

    /// Returns whether the caller is the user who started the server: a client on stdio or in the same process.
    pub fn is_local(&self) -> bool {
        self.is_local
    }

    /// Returns whether the caller has this OAuth scope. A local client without a principal has all scopes.
    pub fn has_scope(&self, scope: &str) -> bool {
        match self.principal {
            Some(principal) => principal.has_scope(scope),
            None => self.is_local,
        }
    }
}
