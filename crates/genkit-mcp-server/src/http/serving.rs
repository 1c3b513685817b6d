//! Serving over HTTP: on its own listener, or as a router in an app.

use std::sync::Arc;

use super::{router, serve_listening};
use crate::McpServer;
use crate::error::Error as E;
use crate::principal::Principal;
use crate::state::SharedState;
use crate::tasks;
use genkit_core::{BoxFuture, Result};
use genkit_http_server::internal::Listening;

impl McpServer {
    /// Converts the server into a router, to mount the endpoint in an existing `axum` app.
    ///
    /// ```
    /// # use genkit::{Genkit, Registry, tool, tools};
    /// # /// Adds.
    /// # #[tool] async fn add(a: i64, b: i64) -> i64 { a + b }
    /// # fn main() -> genkit::Result<()> {
    /// # let genkit = Genkit::builder().registry(Registry::new().add(tools![add])).build()?;
    /// let app = axum::Router::<()>::new().nest("/ai", genkit.serve_mcp().router()?);
    /// // `POST /ai/mcp`
    /// # let _ = app;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// With `ctx.extension::<T>()`, functions read the values that your layers insert into the request
    /// extensions. A [`Principal`](crate::Principal) owns the sessions that it
    /// opens, and has its own quota and rate limit. Without a principal, clients are identified by address if you
    /// serve with `into_make_service_with_connect_info::<SocketAddr>()`; otherwise all clients count as
    /// one.
    ///
    /// A router does not manage connections, so you need to limit them yourself. `axum::serve` has no timeouts for
    /// silent and slow clients: use a proxy in front of it, or serve with `hyper-util` and a timer. Set `TCP_NODELAY`
    /// on your listener (`listener.tap_io(..)`), since a response that is sent in several parts otherwise takes about
    /// 40 ms longer.
    ///
    /// # Errors
    /// Returns the same errors as serving, because the registry is checked first.
    pub fn router(self) -> Result<axum::Router> {
        self.hosts.register_soon(&self.genkit.registry);
        warn_unused(&self.listening);
        Ok(router(self.check(false)?))
    }

    /// Serves over HTTP until the server is stopped.
    pub(crate) async fn run_http(mut self, shutdown: Option<BoxFuture<'static, ()>>) -> Result<()> {
        let listening = std::mem::take(&mut self.listening);
        let (shared, stop, _signals) = self.start(shutdown, false)?;
        warn_unknown_callers(&shared);
        let tasks = tasks::resume_stored(&shared);
        let served = serve_listening(Arc::clone(&shared), listening, stop).await;
        tasks.stop().await;
        served
    }

    /// Checks a server that will serve a byte stream, whose client the program has identified as `principal`.
    pub(crate) fn check_stream(&self, principal: Option<&Principal>) -> Result<()> {
        warn_unused(&self.listening);
        if self.settings.is_authenticated() && principal.is_none() {
            return Err(E::StreamWithoutToken.into());
        }
        Ok(())
    }
}

/// Warns if no caller can have the scopes that functions require.
pub(crate) fn warn_unknown_callers(shared: &SharedState) {
    let is_known =
        shared.settings.is_authenticated() || shared.settings.values.get::<Principal>().is_some();
    if !is_known && shared.all_lists().has_permits() {
        tracing::warn!(
            "`permit = \"..\"` requires scopes, but callers are not authenticated and have none; add \
             `.authenticate(..)`"
        );
    }
}

/// Warns about settings that have no effect because the server does not listen.
pub(crate) fn warn_unused(listening: &Listening) {
    if listening.is_set() {
        tracing::warn!(
            "`.http(..)`, `.listener(..)`, `.unix_listener(..)`, `.accept_with(..)` and `.on_listening(..)` \
             have no effect here, because a router or a byte stream does not listen, and a server without an \
             address uses stdio; use them with a server over HTTP that is awaited"
        );
    }
}
