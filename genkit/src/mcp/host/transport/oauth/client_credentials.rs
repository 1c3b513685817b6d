//! The client credentials grant: access that a program has of its own.

use reqwest::Url;
use reqwest::header::{ACCEPT, CONTENT_TYPE};
use rmcp::transport::auth::AuthorizationMetadata;
use serde_json::Value;
use tokio::sync::watch;

use super::challenge::Challenge;
use super::credentials::{AccessToken, now};
use super::discovery::{Discovery, distinct, read};
use super::error::Error;
use super::settings::{ClientAuthentication, OAuth};
use crate::error::ErrorKind;
use crate::mcp::host::transport::http_client::client::for_oauth;
use crate::mcp::host::transport::http_client::error::deepest;
use crate::mcp::host::transport::http_client::explain::RequestTarget;
use crate::mcp::host::transport::http_client::failure::HttpFailure;

const ASSERTION_TYPE: &str = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

/// The client credentials grant for one server.
pub(super) struct ClientCredentials {
    client: String,
    oauth: OAuth,
    discovery: Discovery,
    metadata: Option<AuthorizationMetadata>,
    /// The scopes of the last request.
    scopes: Vec<String>,
    token: Option<AccessToken>,
    /// Never true: the user is not asked. A channel without a sender has ended.
    _asking_user: watch::Sender<bool>,
}

impl ClientCredentials {
    pub(super) fn new(resource: Url, oauth: &OAuth, asking_user: watch::Sender<bool>) -> Self {
        Self {
            client: oauth.client_id.clone().unwrap_or_default(),
            oauth: oauth.clone(),
            discovery: Discovery::new(resource, oauth, None),
            metadata: None,
            scopes: Vec::new(),
            token: None,
            _asking_user: asking_user,
        }
    }

    /// The access that is there, renewed if it is about to end.
    pub(super) async fn current(&mut self) -> Result<Option<AccessToken>, HttpFailure> {
        let old = self.token.as_ref().is_some_and(|token| !token.is_fresh());
        if let (true, Some(metadata)) = (old, self.metadata.clone()) {
            self.token = Some(self.exchange(&metadata).await?);
        }
        Ok(self.token.clone())
    }

    /// New access.
    pub(super) async fn renew(
        &mut self,
        challenge: &Challenge,
    ) -> Result<AccessToken, HttpFailure> {
        let metadata = self.discovery.look_up(challenge.header()).await?;
        self.scopes = self.wanted(challenge).await?;
        let token = self.exchange(&metadata).await?;
        self.metadata = Some(metadata);
        self.token = Some(token.clone());
        Ok(token)
    }

    async fn wanted(&mut self, challenge: &Challenge) -> Result<Vec<String>, HttpFailure> {
        let mut scopes = self.oauth.scopes.clone();
        match challenge {
            Challenge::Access { .. } if scopes.is_empty() => {
                scopes = self.discovery.manager().await?.select_initial_scopes(&[]).await;
                // It is for refresh tokens, and a program needs none.
                scopes.retain(|scope| scope != "offline_access");
            }
            Challenge::Access { .. } => {}
            Challenge::Wider { scopes: more, .. } => {
                scopes.extend(self.scopes.iter().chain(more).cloned());
                if more.iter().all(|scope| self.scopes.contains(scope)) {
                    let (target, client) = (self.discovery.target.clone(), self.client.clone());
                    let scopes = more.join(" ");
                    return Err(Error::ClientNotAllowed { target, client, scopes }.into());
                }
            }
        }
        Ok(distinct(scopes))
    }

    /// Asks the token endpoint.
    async fn exchange(&self, metadata: &AuthorizationMetadata) -> Result<AccessToken, HttpFailure> {
        // It was checked when it was looked up.
        let endpoint = Url::parse(&metadata.token_endpoint)
            .map_err(|fault| self.discovery.failed(Error::TokenEndpoint(fault.to_string())))?;
        let client = for_oauth(&endpoint, false, &self.discovery.addresses);
        let client = client.map_err(|error| self.discovery.failed(HttpFailure::of(&error)))?;
        let mut request = client
            .post(endpoint.clone())
            .header(ACCEPT, "application/json")
            .header(CONTENT_TYPE, "application/x-www-form-urlencoded");
        let mut form = vec![("grant_type", "client_credentials".to_owned())];
        if !self.scopes.is_empty() {
            form.push(("scope", self.scopes.join(" ")));
        }
        form.push(("resource", self.discovery.resource.to_string()));
        match &self.oauth.authentication {
            ClientAuthentication::Key { pem, algorithm } => {
                let audience = metadata.issuer.as_deref().unwrap_or(endpoint.as_str());
                let signed = algorithm
                    .signer(pem)
                    .and_then(|signer| Ok(signer.assertion(&self.client, audience)?));
                let signed = signed.map_err(|error| self.discovery.failed(error))?;
                form.push(("client_assertion_type", ASSERTION_TYPE.to_owned()));
                form.push(("client_assertion", signed));
            }
            ClientAuthentication::Secret(secret) if takes_basic(metadata) => {
                // Both halves are encoded first (RFC 6749, 2.3.1).
                let half = |text: &str| encoded(&[("", text.to_owned())])[1..].to_owned();
                request = request.basic_auth(half(&self.client), Some(half(secret)));
            }
            ClientAuthentication::Secret(secret) => {
                form.push(("client_id", self.client.clone()));
                form.push(("client_secret", secret.clone()));
            }
            ClientAuthentication::None => form.push(("client_id", self.client.clone())),
        }
        let response = request.body(encoded(&form)).send().await;
        let at = RequestTarget::new(endpoint.as_str());
        let mut response = response.map_err(|error| self.discovery.failed(at.request(&error)))?;
        let status = response.status().as_u16();
        let body = read(&mut response).await.map_err(|error| {
            self.discovery.failed(Error::TokenEndpointFailed(deepest(error.as_ref())))
        })?;
        let answer: Value = serde_json::from_slice(&body).unwrap_or_default();
        if !response.status().is_success() {
            let member = |name: &str| answer[name].as_str().unwrap_or_default();
            let text = format!("{} {}", member("error"), member("error_description"));
            let mut failure = at.status(status, None, text.trim());
            if matches!(status, 400 | 401 | 403) {
                failure.kind = ErrorKind::Unauthenticated;
            }
            return Err(self.discovery.failed(failure));
        }
        let token = answer["access_token"].as_str();
        let token = token.ok_or_else(|| self.discovery.failed(Error::NoAccessToken))?;
        Ok(AccessToken::new(token.to_owned(), now(), answer["expires_in"].as_u64()))
    }
}

/// Whether the secret goes into a header: the default of the metadata (RFC 8414).
fn takes_basic(metadata: &AuthorizationMetadata) -> bool {
    let methods = metadata.additional_fields.get("token_endpoint_auth_methods_supported");
    let Some(methods) = methods.and_then(Value::as_array) else { return true };
    let has = |name: &str| methods.iter().any(|method| method == name);
    has("client_secret_basic") || !has("client_secret_post")
}

/// `application/x-www-form-urlencoded`, which is also how a query is written.
fn encoded(form: &[(&str, String)]) -> String {
    let mut url = Url::parse("form:///").expect("a constant address");
    url.query_pairs_mut().extend_pairs(form);
    url.query().unwrap_or_default().to_owned()
}
