//! Grants without a user, for a program's own access.

use std::sync::Arc;

use reqwest::Url;
use rmcp::transport::auth::AuthorizationMetadata;
use serde_json::Value;
use tokio::sync::watch;

use super::assertion::await_token;
use super::challenge::Challenge;
use super::credentials::{AccessToken, unix_seconds};
use super::discovery::{Discovery, without_duplicates};
use super::dpop::{Dpop, is_bound};
use super::error::Error;
use super::identity_provider::AssertionFor;
use super::settings::{ClientAuthentication, GrantType, OAuth};
use super::token_endpoint::TokenRequest;
use crate::transport::http_client::error::HttpError;
use crate::transport::redact::Redactor;

const JWT_BEARER: &str = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const ASSERTION_TYPE: &str = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

/// A grant without a user, for one server.
pub(super) struct NonInteractive {
    client: String,
    oauth: OAuth,
    discovery: Discovery,
    metadata: Option<AuthorizationMetadata>,
    /// The scopes of the last request.
    scopes: Vec<String>,
    token: Option<AccessToken>,
    dpop: Option<Arc<Dpop>>,
    /// Redacts assertions, which differ on each request.
    redactor: Redactor,
    /// Stays `false`, since no user is asked. It is kept because dropping the sender would close the channel.
    _asking_user: watch::Sender<bool>,
}

impl NonInteractive {
    pub(super) fn new(
        resource: Url,
        oauth: &OAuth,
        asking_user: watch::Sender<bool>,
        redactor: Redactor,
        dpop: Option<Arc<Dpop>>,
    ) -> Self {
        Self {
            client: oauth.client_id.clone().unwrap_or_default(),
            oauth: oauth.clone(),
            discovery: Discovery::new(resource, oauth, None, dpop.clone()),
            metadata: None,
            scopes: Vec::new(),
            token: None,
            dpop,
            redactor,
            _asking_user: asking_user,
        }
    }

    /// Returns the current token, renewed if it is about to expire.
    pub(super) async fn current_token(&mut self) -> Result<Option<AccessToken>, HttpError> {
        let old = self.token.as_ref().is_some_and(|token| !token.is_fresh());
        if let (true, Some(metadata)) = (old, self.metadata.clone()) {
            self.token = Some(self.request_token(&metadata).await?);
        }
        Ok(self.token.clone())
    }

    /// Requests a new token.
    pub(super) async fn renew_token(
        &mut self,
        challenge: &Challenge,
    ) -> Result<AccessToken, HttpError> {
        let metadata = self.discovery.discover(challenge.challenge_header()).await?;
        self.scopes = self.scopes_to_request(challenge).await?;
        let token = self.request_token(&metadata).await?;
        self.metadata = Some(metadata);
        self.token = Some(token.clone());
        Ok(token)
    }

    async fn scopes_to_request(&mut self, challenge: &Challenge) -> Result<Vec<String>, HttpError> {
        let mut scopes = self.oauth.scopes.clone();
        match challenge {
            Challenge::Access { .. } if scopes.is_empty() => {
                scopes = self.discovery.rmcp_manager().await?.select_initial_scopes(&[]).await;
                // This scope requests a refresh token, which these grants do not use.
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
        Ok(without_duplicates(scopes))
    }

    async fn request_token(
        &self,
        metadata: &AuthorizationMetadata,
    ) -> Result<AccessToken, HttpError> {
        self.exchange_grant(metadata).await.map_err(|failure| self.discovery.access_error(failure))
    }

    /// Sends the request to the token endpoint.
    async fn exchange_grant(
        &self,
        metadata: &AuthorizationMetadata,
    ) -> Result<AccessToken, HttpError> {
        // Checked when the metadata was looked up.
        let endpoint = Url::parse(&metadata.token_endpoint)
            .map_err(|fault| Error::TokenEndpoint(fault.to_string()))?;
        let issuer = metadata.issuer.clone().unwrap_or_else(|| endpoint.to_string());
        let network = self.oauth.network_for(&endpoint, &self.discovery.resource);
        let request = self.grant_request(endpoint, &issuer).await?.with_scopes(&self.scopes);
        let request = request.with_field("resource", self.discovery.resource.as_str());
        let request = self.authenticate_request(request, metadata, &issuer)?;
        let (addresses, dpop) = (&self.discovery.addresses, self.dpop.as_deref());
        let answer = request.send_request(addresses, &network, dpop, &self.redactor).await?;
        let token = answer["access_token"].as_str().ok_or(Error::MissingAccessToken)?;
        if dpop.is_some() && !is_bound(answer["token_type"].as_str()) {
            return Err(Error::NotBound.into());
        }
        Ok(AccessToken::new(token.to_owned(), unix_seconds(), answer["expires_in"].as_u64()))
    }

    /// Creates the token request with its grant.
    async fn grant_request(&self, endpoint: Url, issuer: &str) -> Result<TokenRequest, HttpError> {
        let assertion = match &self.oauth.grant {
            GrantType::JwtBearer(source) => {
                await_token(source(issuer.to_owned()), "OAuth::jwt_bearer(..)", "assertion").await?
            }
            GrantType::IdentityAssertion(provider) => {
                let (resource, scopes) = (&self.discovery.resource, self.scopes.as_slice());
                let wanted = AssertionFor { audience: issuer, resource, scopes };
                provider.request_assertion(wanted, &self.oauth, &self.redactor).await?
            }
            _ => return Ok(TokenRequest::new(endpoint, "client_credentials")),
        };
        self.redactor.hide_for_now("assertion", &assertion);
        Ok(TokenRequest::new(endpoint, JWT_BEARER).with_field("assertion", assertion))
    }

    /// Adds the client authentication to the request.
    fn authenticate_request(
        &self,
        request: TokenRequest,
        metadata: &AuthorizationMetadata,
        issuer: &str,
    ) -> Result<TokenRequest, Error> {
        Ok(match &self.oauth.authentication {
            ClientAuthentication::Key { pem, algorithm } => {
                let signed = algorithm.make_signer(pem)?.sign_assertion(&self.client, issuer)?;
                request
                    .with_field("client_assertion_type", ASSERTION_TYPE)
                    .with_field("client_assertion", signed)
            }
            ClientAuthentication::Secret(secret) if supports_basic_auth(metadata) => {
                request.basic_auth(&self.client, secret)
            }
            ClientAuthentication::Secret(secret) => {
                request.with_field("client_id", &self.client).with_field("client_secret", secret)
            }
            ClientAuthentication::None => request.with_field("client_id", &self.client),
        })
    }
}

/// Returns whether the secret is sent in a header, the default of the metadata (RFC 8414).
fn supports_basic_auth(metadata: &AuthorizationMetadata) -> bool {
    let methods = metadata.additional_fields.get("token_endpoint_auth_methods_supported");
    let Some(methods) = methods.and_then(Value::as_array) else { return true };
    let has = |name: &str| methods.iter().any(|method| method == name);
    has("client_secret_basic") || !has("client_secret_post")
}
