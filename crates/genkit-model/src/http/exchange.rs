//! An exchange: a call and its response, with one timeout for both.

use std::pin::pin;

use super::endpoint::ApiEndpoint;
use super::error::CallError;
use super::response::HttpResponse;
use super::status::is_web_page;
use crate::wire::HeaderLookup;
use crate::wire::HttpCall;
use genkit_core::{Error, Result};

impl ApiEndpoint {
    /// Sends `call` and reads its response within the timeout of the endpoint. Secrets are
    /// removed from errors.
    pub(super) async fn run_exchange<'e, T, F: Future<Output = Result<T>>>(
        &'e self,
        mut call: HttpCall,
        read: impl FnOnce(HttpResponse<'e>) -> F,
    ) -> Result<T> {
        let body = std::mem::take(&mut call.body);
        // The future is large, so it is pinned here instead of being moved.
        let exchange = pin!(async {
            let response = self.send_call(&call.path, &call.headers, body).await?;
            read(response).await
        });
        let limit = self.timeout();
        // The agent loop also has a timeout, but a model can be called directly.
        let result = tokio::time::timeout(limit, exchange)
            .await
            .unwrap_or_else(|_| Err(CallError::Timeout(limit).into_error(self.api_label())));
        result.map_err(|error| self.collect_secrets(&call.headers).redact_error(error))
    }

    /// Reads the body of a response.
    ///
    /// # Errors
    /// If the status is an error, returns the error that `decode_error` reads from the body.
    pub(super) async fn read_body(
        &self,
        mut response: HttpResponse<'_>,
        decode_error: impl Fn(u16, HeaderLookup<'_>, &[u8]) -> Error,
    ) -> Result<Vec<u8>> {
        match response.status() {
            400.. => {
                let body = response.error_body().await;
                Err(decode_error(response.status(), &|name| response.header(name), &body))
            }
            300..400 => Err(response.redirect_error()),
            _ => {
                let body = response.read_whole(Vec::new()).await?;
                self.ensure_not_empty(&body)?;
                if is_web_page(&body) {
                    return Err(CallError::WebPage.into_error(self.api_label()));
                }
                Ok(body)
            }
        }
    }

    pub(super) fn ensure_not_empty(&self, body: &[u8]) -> Result<()> {
        if body.trim_ascii().is_empty() {
            return Err(CallError::Empty.into_error(self.api_label()));
        }
        Ok(())
    }
}
