//! Placeholders for the items of `http` without the feature. An endpoint cannot be created.

use std::error::Error as StdError;

use genkit_core::{Context, Error, Result, TraceContext};
use tokio::sync::watch;

use super::boxed::BoxedTransport;
use super::redact::Redactor;

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Endpoint {}

impl Endpoint {
    pub(crate) fn server(&self) -> Option<(String, Option<u16>)> {
        match *self {}
    }

    pub(crate) fn headers_for(&self, _: &Context, _: Option<&TraceContext>) -> Option<()> {
        match *self {}
    }

    pub(crate) fn build_redactor(&self) -> Redactor {
        match *self {}
    }
}

pub(crate) enum Connector {}

impl Connector {
    pub(crate) fn new(
        _: &str,
        endpoint: &Endpoint,
        _: watch::Sender<bool>,
        _: Redactor,
    ) -> Result<Self> {
        match *endpoint {}
    }

    pub(crate) fn open_transport(&self) -> BoxedTransport {
        match *self {}
    }
}

pub(crate) struct Explanation {
    pub(crate) error: Error,
    pub(crate) session_lost: bool,
    pub(crate) unsent: bool,
}

pub(crate) fn explain_error(_: &(dyn StdError + 'static)) -> Option<Explanation> {
    None
}
