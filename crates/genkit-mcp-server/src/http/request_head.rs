//! The head of a request that was received over HTTP.

use std::sync::Arc;

use bytes::BytesMut;
use http::{HeaderMap, HeaderValue};

use crate::principal::RequestHead;

impl RequestHead {
    /// Takes the head of a request that this server read. The header values are copied, because they are slices of the
    /// read buffer, and a request that runs for minutes would keep the whole buffer alive.
    pub(crate) fn for_http(mut headers: HeaderMap, mut extensions: http::Extensions) -> Self {
        let mut bytes = BytesMut::with_capacity(headers.values().map(HeaderValue::len).sum());
        headers.values_mut().for_each(|value| bytes.extend_from_slice(value.as_bytes()));
        let mut bytes = bytes.freeze();
        for value in headers.values_mut() {
            let is_sensitive = value.is_sensitive();
            if let Ok(own) = HeaderValue::from_maybe_shared(bytes.split_to(value.len())) {
                *value = own;
                value.set_sensitive(is_sensitive);
            }
        }
        extensions.insert(headers);
        Self { principal: extensions.get().cloned(), extensions: Arc::new(extensions) }
    }
}
