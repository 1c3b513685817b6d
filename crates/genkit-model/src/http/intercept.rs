//! The seam between the driver and the network: a test plugs in what answers in place of the provider, or observes
//! what the provider answers.

use std::collections::BTreeMap;

use super::redact::Secrets;
use genkit_core::Result;

/// A call that is about to be sent.
pub struct OutgoingCall<'a> {
    /// With its query, without host and base path.
    pub(crate) path: &'a str,
    pub(crate) body: &'a [u8],
    pub(crate) secrets: Secrets,
}

/// A response that did not come over the network.
#[derive(Clone, Default)]
pub struct StoredResponse {
    pub(crate) status: u16,
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: Vec<u8>,
}

pub enum Interception {
    /// The call is not sent.
    Respond(StoredResponse),
    /// The call is sent.
    Observe(Box<dyn Observer>),
}

/// Sees every call before it is sent.
pub trait Interceptor: Send + Sync {
    /// Whether it responds to every call, so that no key is needed.
    fn is_offline(&self) -> bool;

    fn intercept(&self, call: OutgoingCall<'_>) -> Result<Interception>;
}

/// Sees one response while it is read. One that breaks off is not finished.
pub trait Observer: Send {
    fn begin(&mut self, status: u16, header: &dyn Fn(&str) -> Option<String>);

    fn receive(&mut self, piece: &[u8]);

    fn finish(self: Box<Self>) -> Result<()>;
}
