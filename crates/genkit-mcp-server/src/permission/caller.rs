//! Who a permission is asked for.

use crate::principal::Principal;

/// Caller: who asks for a list, calls or reads, as [`permit`](crate::builder::McpServer::permit) sees
/// it.
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

    /// Principal: whom [`authenticate`](crate::builder::McpServer::authenticate), a layer of the app or
    /// [`extension`](crate::builder::McpServer::extension) named.
    pub fn principal(&self) -> Option<&'a Principal> {
        self.principal
    }

    /// Whether it is the user who started the server: a client on stdio or in memory.
    pub fn is_local(&self) -> bool {
        self.is_local
    }

    /// Whether it has this OAuth scope. A local client without a principal has all of them.
    pub fn has_scope(&self, scope: &str) -> bool {
        match self.principal {
            Some(principal) => principal.has_scope(scope),
            None => self.is_local,
        }
    }
}
