//! Token requests that rmcp does not support: a form, with a JSON document as the response.

use reqwest::Url;
use reqwest::header::{ACCEPT, CONTENT_TYPE};
use serde_json::Value;

use super::authorization_client::send_request;
use super::dpop::Dpop;
use super::error::Error;
use crate::transport::http_client::addresses::AddressPolicy;
use crate::transport::http_client::client::{for_oauth, without_secrets};
use crate::transport::http_client::error::HttpError;
use crate::transport::http_client::error::quote_root_cause;
use crate::transport::http_client::explain::RequestTarget;
use crate::transport::http_client::network::Network;
use crate::transport::redact::Redactor;
use genkit_core::ErrorKind;

/// One request to a token endpoint.
pub(super) struct TokenRequest {
    endpoint: Url,
    form: Vec<(&'static str, String)>,
    basic: Option<(String, String)>,
}

impl TokenRequest {
    pub(super) fn new(endpoint: Url, grant_type: &str) -> Self {
        Self { endpoint, form: vec![("grant_type", grant_type.to_owned())], basic: None }
    }

    pub(super) fn with_field(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.form.push((name, value.into()));
        self
    }

    pub(super) fn with_scopes(self, scopes: &[String]) -> Self {
        if scopes.is_empty() { self } else { self.with_field("scope", scopes.join(" ")) }
    }

    /// Authenticates with a header; id and secret are form-encoded first (RFC 6749, 2.3.1).
    pub(super) fn basic_auth(self, id: &str, secret: &str) -> Self {
        let half = |text: &str| encode_form(&[("", text.to_owned())])[1..].to_owned();
        Self { basic: Some((half(id), half(secret))), ..self }
    }

    /// Sends the request without following redirects, and returns the document of a successful response.
    pub(super) async fn send_request(
        self,
        addresses: &AddressPolicy,
        network: &Network,
        dpop: Option<&Dpop>,
        redactor: &Redactor,
    ) -> Result<Value, HttpError> {
        let client = for_oauth(&self.endpoint, false, addresses, network);
        let client = client.map_err(|error| HttpError::from_error(&error))?;
        let mut request = client
            .post(self.endpoint.clone())
            .header(ACCEPT, "application/json")
            .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
            .body(encode_form(&self.form));
        if let Some((id, secret)) = &self.basic {
            request = request.basic_auth(id, Some(secret));
        }
        let shown = without_secrets(&self.endpoint);
        let at = RequestTarget::new(shown.as_str());
        let request = request.build().map_err(|error| at.request_error(&error))?;
        let response = send_request(&client, request, dpop).await.map_err(|error| {
            match error.downcast_ref::<reqwest::Error>() {
                Some(error) => at.request_error(error),
                None => Error::TokenEndpointFailed(quote_root_cause(error.as_ref())).into(),
            }
        })?;
        let status = response.status();
        let answer: Value = serde_json::from_slice(response.body()).unwrap_or_default();
        if status.is_success() {
            return Ok(answer);
        }
        let member = |name: &str| answer[name].as_str().unwrap_or_default();
        let text = format!("{} {}", member("error"), member("error_description"));
        // Redact before shortening, because part of a secret would not be recognized.
        let text = redactor.redact_text(text.trim());
        let mut failure = at.status_error(status.as_u16(), None, &text);
        if matches!(status.as_u16(), 400 | 401 | 403) {
            failure.kind = ErrorKind::Unauthenticated;
        }
        Err(failure)
    }
}

/// Encodes as `application/x-www-form-urlencoded`, which is also the format of a query.
fn encode_form(form: &[(&str, String)]) -> String {
    let mut url = Url::parse("form:///").expect("a constant address");
    url.query_pairs_mut().extend_pairs(form);
    url.query().unwrap_or_default().to_owned()
}
