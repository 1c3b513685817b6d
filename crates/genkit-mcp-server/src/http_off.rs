//! Stubs for the module `http` without its feature: the server never listens, and its settings are
//! empty.

use std::convert::Infallible;

use genkit_core::{BoxFuture, Result, TraceContext};
use genkit_mcp::internal::spans::Network;

use crate::McpServer;
use crate::caller::Request;
use crate::principal::Principal;
use crate::state::SharedState;

#[derive(Clone, Default)]
pub(crate) struct HttpSettings {}

impl HttpSettings {
    #[expect(clippy::unnecessary_wraps, reason = "fails with the feature `http`")]
    pub(crate) fn check(&self) -> Result<()> {
        let Self {} = self;
        Ok(())
    }

    pub(crate) fn requires_token(&self) -> bool {
        let Self {} = self;
        false
    }

    pub(crate) fn set_max_body(&mut self, _: usize) {
        let Self {} = self;
    }
}

#[derive(Default)]
pub(crate) struct Listening {
    pub(crate) listen_address: Option<Infallible>,
}

impl McpServer {
    pub(crate) async fn run_http(self, _: Option<BoxFuture<'static, ()>>) -> Result<()> {
        match self.listening.listen_address {
            Some(never) => match never {},
            None => Ok(()),
        }
    }

    #[expect(clippy::unnecessary_wraps, reason = "fails with the feature `http`")]
    pub(crate) fn check_stream(&self, _: Option<&Principal>) -> Result<()> {
        let _ = self;
        Ok(())
    }
}

pub(crate) fn warn_unused(_: &Listening) {}

pub(crate) fn warn_unknown_callers(_: &SharedState) {}

pub(crate) fn http_parts(_: &Request, _: bool) -> (Network, Option<String>, Option<TraceContext>) {
    (Network::Pipe, None, None)
}
