//! Interception of calls between the driver and the network. A test can respond instead of the
//! provider, or observe the provider's responses.

use std::collections::BTreeMap;

use super::redact::Secrets;
use crate::wire::HeaderLookup;
use genkit_core::Result;

/// A call that is about to be sent.
pub struct OutgoingCall<'a> {
    /// The path with its query, without the host and the base path.
    pub(crate) path: &'a str,
    pub(crate) body: &'a [u8],
    pub(crate) secrets: Secrets,
}

/// A response that was not received over the network.
#[derive(Clone, Default)]
pub struct StoredResponse {
    pub(crate) status: u16,
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: Vec<u8>,
}

pub enum Interception {
    /// Respond without sending the call.
    Respond(StoredResponse),
    /// Send the call and observe its response.
    Observe(Box<dyn Observer>),
}

/// An interceptor, which receives every call before it is sent.
pub trait Interceptor: Send + Sync {
    /// Returns whether the interceptor responds to every call, so that no key is needed.
    fn is_offline(&self) -> bool;

    fn intercept_call(&self, call: OutgoingCall<'_>) -> Result<Interception>;
}

/// An observer of one response while it is read. [`finish_response`](Self::finish_response) is not called for an
/// incomplete response.
pub trait Observer: Send {
    fn begin_response(&mut self, status: u16, header: HeaderLookup<'_>);

    fn receive_piece(&mut self, piece: &[u8]);

    fn finish_response(self: Box<Self>) -> Result<()>;
}
