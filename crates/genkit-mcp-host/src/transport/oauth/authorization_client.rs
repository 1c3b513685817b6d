//! Requests to authorization servers, with bounded responses and DPoP proofs.

use std::sync::Arc;

use reqwest::header::{CONTENT_TYPE, HeaderValue};
use reqwest::{Client, Method, Request, StatusCode, Url};
use rmcp::transport::auth::{
    OAuthHttpClient, OAuthHttpClientError, OAuthHttpClientFuture, OAuthHttpRedirectPolicy,
    OAuthHttpRequest,
};
use serde_json::Value;

use super::dpop::{Dpop, NONCE, WANTS_NONCE};
use super::error::Error;
use super::settings::OAuth;
use crate::transport::http_client::addresses::AddressPolicy;
use crate::transport::http_client::client::for_oauth;

/// The longest response from an authorization server that is read, in bytes. Default is 1 MiB.
const MAX_BODY: usize = 1024 * 1024;

/// The HTTP client that rmcp's authorization uses for local servers, for DPoP, and with certificates or a proxy. A
/// local server's authorization server is usually local too, and rmcp's own client would contact it through a proxy
/// from the environment. rmcp also does not support DPoP.
pub(super) struct AuthorizationClient {
    pub(super) addresses: AddressPolicy,
    pub(super) oauth: OAuth,
    /// The MCP server.
    pub(super) resource: Url,
    pub(super) dpop: Option<Arc<Dpop>>,
}

impl OAuthHttpClient for AuthorizationClient {
    fn execute(&self, oauth: OAuthHttpRequest) -> OAuthHttpClientFuture<'_> {
        Box::pin(async move {
            let follow = oauth.redirect_policy == OAuthHttpRedirectPolicy::Follow;
            let request = Request::try_from(oauth.request)?;
            let network = self.oauth.network_for(request.url(), &self.resource);
            let client = for_oauth(request.url(), follow, &self.addresses, &network)?;
            send_request(&client, request, self.dpop.as_deref()).await
        })
    }
}

/// Sends a request. Token requests contain a DPoP proof, and are resent with the server's nonce if the server requires
/// one.
pub(super) async fn send_request(
    client: &Client,
    mut request: Request,
    dpop: Option<&Dpop>,
) -> Result<http::Response<Vec<u8>>, OAuthHttpClientError> {
    let Some(dpop) = dpop.filter(|_| is_token_request(&request)) else {
        return execute_request(client, request).await;
    };
    let url = request.url().clone();
    let again = request.try_clone();
    dpop.add_proof(&mut request, None)?;
    let mut answer = execute_request(client, request).await?;
    dpop.record_nonce(&url, answer.headers());
    if let Some(mut request) = again.filter(|_| wants_nonce(&answer)) {
        dpop.add_proof(&mut request, None)?;
        answer = execute_request(client, request).await?;
        dpop.record_nonce(&url, answer.headers());
    }
    Ok(answer)
}

/// Returns whether this is a token request, the only kind with a form body.
fn is_token_request(request: &Request) -> bool {
    let kind = request.headers().get(CONTENT_TYPE).map(HeaderValue::as_bytes).unwrap_or_default();
    request.method() == Method::POST && kind.starts_with(b"application/x-www-form-urlencoded")
}

fn wants_nonce(answer: &http::Response<Vec<u8>>) -> bool {
    let said = || serde_json::from_slice::<Value>(answer.body()).unwrap_or_default();
    answer.status() == StatusCode::BAD_REQUEST
        && answer.headers().contains_key(NONCE)
        && said()["error"] == WANTS_NONCE
}

async fn execute_request(
    client: &Client,
    request: Request,
) -> Result<http::Response<Vec<u8>>, OAuthHttpClientError> {
    let mut response = client.execute(request).await?;
    let mut body = Vec::new();
    while let Some(piece) = response.chunk().await? {
        if body.len() + piece.len() > MAX_BODY {
            return Err(Error::AnswerTooLong(MAX_BODY).into());
        }
        body.extend_from_slice(&piece);
    }
    let mut answer = http::Response::new(body);
    *answer.status_mut() = response.status();
    answer.headers_mut().clone_from(response.headers());
    Ok(answer)
}
