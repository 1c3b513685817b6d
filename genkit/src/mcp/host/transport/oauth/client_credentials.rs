//! Access that a program has of its own: the client credentials grant.

use std::collections::BTreeSet;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use reqwest::Url;
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use rmcp::transport::auth::AuthorizationMetadata;
use serde_json::Value;
use tokio::sync::watch;

use super::super::http::client::for_oauth;
use super::super::http::failure::{At, Failure, deepest};
use super::assertion::Signer;
use super::challenge::Challenge;
use super::credentials::{Token, now};
use super::discovery::{Discovery, read};
use super::{OAuth, Proof};
use crate::error::ErrorKind;

const ASSERTION_TYPE: &str = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

/// Access that a program has of its own.
pub(crate) struct Machine {
    client: String,
    proof: Proof,
    said: Vec<String>,
    discovery: Discovery,
    metadata: Option<AuthorizationMetadata>,
    /// What was asked for last.
    scopes: Vec<String>,
    token: Option<Token>,
    /// Never true: no person is asked. A channel without a sender has ended.
    _busy: watch::Sender<bool>,
}

impl Machine {
    pub(crate) fn new(resource: Url, oauth: &OAuth, busy: watch::Sender<bool>) -> Self {
        Self {
            client: oauth.client.clone().unwrap_or_default(),
            proof: oauth.proof.clone(),
            said: oauth.scopes.clone(),
            discovery: Discovery::new(resource, oauth, None),
            metadata: None,
            scopes: Vec::new(),
            token: None,
            _busy: busy,
        }
    }

    /// The access that is there, renewed if it is about to end.
    pub(crate) async fn current(&mut self) -> Result<Option<Token>, Failure> {
        let old = self.token.as_ref().is_some_and(|token| !token.is_fresh());
        if let (true, Some(metadata)) = (old, self.metadata.clone()) {
            self.token = Some(self.exchange(&metadata).await?);
        }
        Ok(self.token.clone())
    }

    /// New access.
    pub(crate) async fn renew(&mut self, challenge: &Challenge) -> Result<Token, Failure> {
        let metadata = self.discovery.look_up(challenge.header()).await?;
        self.scopes = self.wanted(challenge).await?;
        let token = self.exchange(&metadata).await?;
        self.metadata = Some(metadata);
        self.token = Some(token.clone());
        Ok(token)
    }

    async fn wanted(&mut self, challenge: &Challenge) -> Result<Vec<String>, Failure> {
        let mut scopes = self.said.clone();
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
                    let target = &self.discovery.target;
                    let text = format!(
                        "{target} does not allow this to {:?}: it wants `{}`",
                        self.client,
                        more.join(" ")
                    );
                    return Err(Failure::new(ErrorKind::PermissionDenied, text));
                }
            }
        }
        let mut seen = BTreeSet::new();
        scopes.retain(|scope| seen.insert(scope.clone()));
        Ok(scopes)
    }

    /// Asks the token endpoint.
    async fn exchange(&self, metadata: &AuthorizationMetadata) -> Result<Token, Failure> {
        let endpoint = self.endpoint(metadata)?;
        let mut form = vec![("grant_type", "client_credentials".to_owned())];
        if !self.scopes.is_empty() {
            form.push(("scope", self.scopes.join(" ")));
        }
        form.push(("resource", self.discovery.resource.to_string()));
        let mut basic = None;
        match &self.proof {
            Proof::Key { pem, algorithm } => {
                let audience = metadata.issuer.as_deref().unwrap_or(endpoint.as_str());
                let signer = Signer::new(pem, *algorithm);
                let signed = signer.and_then(|signer| signer.assertion(&self.client, audience));
                let signed = signed.map_err(|error| self.failed(error.kind(), &error.chain()))?;
                form.push(("client_assertion_type", ASSERTION_TYPE.to_owned()));
                form.push(("client_assertion", signed));
            }
            Proof::Secret(secret) if takes_basic(metadata) => {
                basic = Some(self.basic(secret)?);
            }
            Proof::Secret(secret) => {
                form.push(("client_id", self.client.clone()));
                form.push(("client_secret", secret.clone()));
            }
            Proof::None => form.push(("client_id", self.client.clone())),
        }
        let client = for_oauth(&endpoint, false, &self.discovery.reach);
        let client = client.map_err(|error| self.failed(error.kind(), &error.chain()))?;
        let mut request = client
            .post(endpoint.clone())
            .header(ACCEPT, "application/json")
            .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
            .body(encoded(&form));
        if let Some(basic) = basic {
            request = request.header(AUTHORIZATION, basic);
        }
        let at = At { target: endpoint.as_str(), session: false };
        let response = request.send().await;
        let mut response = response.map_err(|error| self.within(at.request(&error)))?;
        let status = response.status();
        let body = read(&mut response)
            .await
            .map_err(|error| self.failed(ErrorKind::Unavailable, &deepest(error.as_ref())))?;
        let answer: Value = serde_json::from_slice(&body).unwrap_or_default();
        if !status.is_success() {
            let of = |name: &str| answer[name].as_str().unwrap_or_default();
            let said = format!("{} {}", of("error"), of("error_description"));
            let refused = matches!(status.as_u16(), 400 | 401 | 403);
            let failure = at.status(status.as_u16(), None, said.trim());
            let failure =
                if refused { failure.of_kind(ErrorKind::Unauthenticated) } else { failure };
            return Err(self.within(failure));
        }
        let Some(token) = answer["access_token"].as_str() else {
            return Err(self.failed(ErrorKind::Unauthenticated, "its answer has no access token"));
        };
        Ok(Token::new(token.to_owned(), now(), answer["expires_in"].as_u64()))
    }

    /// The token endpoint, which was checked when it was looked up.
    fn endpoint(&self, metadata: &AuthorizationMetadata) -> Result<Url, Failure> {
        Url::parse(&metadata.token_endpoint).map_err(|fault| {
            self.failed(ErrorKind::FailedPrecondition, &format!("its token endpoint: {fault}"))
        })
    }

    /// Both halves are encoded first (RFC 6749, 2.3.1).
    fn basic(&self, secret: &str) -> Result<HeaderValue, Failure> {
        let half = |text: &str| encoded(&[("", text.to_owned())])[1..].to_owned();
        let both = STANDARD.encode(format!("{}:{}", half(&self.client), half(secret)));
        let value = HeaderValue::try_from(format!("Basic {both}"));
        let mut value = value.map_err(|_| self.failed(ErrorKind::Internal, "no header"))?;
        value.set_sensitive(true);
        Ok(value)
    }

    fn within(&self, failure: Failure) -> Failure {
        failure.within(&format!("no access to {}", self.discovery.target))
    }

    fn failed(&self, kind: ErrorKind, text: &str) -> Failure {
        self.within(Failure::new(kind, text))
    }
}

/// Whether the secret goes into a header: what a server that does not say takes (RFC 8414).
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
