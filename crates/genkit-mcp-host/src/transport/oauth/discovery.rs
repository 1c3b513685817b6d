//! Discovery of a server's authorization server and its capabilities.

use std::collections::BTreeSet;
use std::sync::Arc;

use reqwest::Url;
use rmcp::transport::auth::{AuthError, AuthorizationManager, AuthorizationMetadata};
use serde_json::Value;

use super::authorization_client::AuthorizationClient;
use super::credentials::Credentials;
use super::dpop::Dpop;
use super::error::Error;
use super::settings::OAuth;
use crate::transport::http_client::addresses::AddressPolicy;
use crate::transport::http_client::client::without_secrets;
use crate::transport::http_client::error::HttpError;
use crate::transport::http_client::explain::RequestTarget;
use genkit_http_client::internal::net::{install_crypto, is_loopback};

/// The metadata member that lists the accepted algorithms of DPoP proofs (RFC 9449).
const PROOF_ALGORITHMS: &str = "dpop_signing_alg_values_supported";

/// Looks up the authorization server of one MCP server.
pub(super) struct Discovery {
    /// The URL without the query, which may contain a key. This URL is sent to the authorization server.
    pub(super) resource: Url,
    pub(super) target: String,
    pub(super) addresses: AddressPolicy,
    oauth: OAuth,
    /// The issuer that received the user's secret first; no other issuer may receive it.
    first: Option<Option<String>>,
    credentials: Option<Credentials>,
    dpop: Option<Arc<Dpop>>,
    manager: Option<AuthorizationManager>,
}

impl Discovery {
    pub(super) fn new(
        resource: Url,
        oauth: &OAuth,
        credentials: Option<Credentials>,
        dpop: Option<Arc<Dpop>>,
    ) -> Self {
        Self {
            target: resource.to_string(),
            addresses: AddressPolicy::for_resource(&resource, oauth.private_network),
            resource,
            oauth: oauth.clone(),
            first: None,
            credentials,
            dpop,
            manager: None,
        }
    }

    /// Looks up the metadata, starting from the challenge or else from the server's own documents.
    pub(super) async fn discover(
        &mut self,
        header: Option<&str>,
    ) -> Result<AuthorizationMetadata, HttpError> {
        let found = self.rmcp_manager().await?.resolve_metadata_from_challenge(header).await;
        let metadata =
            found.map_err(|error| self.request_target().authorization_error(&error))?.metadata;
        self.check_metadata(&metadata).map_err(|error| self.access_error(error))?;
        self.rmcp_manager().await?.set_metadata(metadata.clone());
        Ok(metadata)
    }

    /// Prefixes a failure with "no access to ..".
    pub(super) fn access_error(&self, failure: impl Into<HttpError>) -> HttpError {
        failure.into().no_access_to(&self.target)
    }

    /// Returns the target of authorization requests.
    pub(super) fn request_target(&self) -> RequestTarget<'_> {
        RequestTarget::new(&self.target)
    }

    /// Rejects metadata that would make this program, or the user's browser, send requests to forbidden addresses.
    pub(super) fn check_metadata(&mut self, metadata: &AuthorizationMetadata) -> Result<(), Error> {
        if let Some(expected) = &self.oauth.issuer {
            let found = metadata.issuer.as_deref().unwrap_or("(no issuer)");
            if found.trim_end_matches('/') != expected.trim_end_matches('/') {
                let (found, expected) = (found.to_owned(), expected.clone());
                return Err(Error::OtherIssuer { found, expected });
            }
        }
        for (what, address) in [
            // It may be empty for grants without a user.
            ("authorization", Some(&metadata.authorization_endpoint).filter(|it| !it.is_empty())),
            ("token", Some(&metadata.token_endpoint)),
            ("registration", metadata.registration_endpoint.as_ref()),
        ] {
            if let Some(address) = address {
                self.check_endpoint(what, address)?;
            }
        }
        if let Some(Value::Array(known)) = metadata.additional_fields.get(PROOF_ALGORITHMS)
            && self.dpop.is_some()
            && !known.iter().any(|algorithm| algorithm == Dpop::ALGORITHM)
        {
            return Err(Error::MissingProofAlgorithm);
        }
        if !self.oauth.has_secret() || self.oauth.issuer.is_some() {
            return Ok(());
        }
        for named in [metadata.issuer.as_ref(), Some(&metadata.token_endpoint)] {
            // A forbidden address gets its own error when the request is sent.
            let is_forbidden = |named: &String| {
                Url::parse(named).is_ok_and(|url| self.addresses.check_url(&url).is_err())
            };
            if !named.is_some_and(|named| self.is_same_or_local(named) || is_forbidden(named)) {
                let found = metadata.issuer.clone().unwrap_or_else(|| "(no issuer)".to_owned());
                return Err(Error::IssuerElsewhere { found });
            }
        }
        let first = self.first.get_or_insert_with(|| metadata.issuer.clone());
        if *first == metadata.issuer {
            return Ok(());
        }
        let name = |issuer: &Option<String>| issuer.clone().unwrap_or("(no issuer)".to_owned());
        Err(Error::IssuerChanged { now: name(&metadata.issuer), before: name(first) })
    }

    /// Returns whether a URL has the server's own origin, or is on this machine like the server.
    fn is_same_or_local(&self, address: &str) -> bool {
        let is_here = |url: Url| {
            url.origin() == self.resource.origin()
                || is_loopback(&url) && is_loopback(&self.resource)
        };
        Url::parse(address).is_ok_and(is_here)
    }

    fn check_endpoint(&self, what: &'static str, address: &str) -> Result<(), Error> {
        let url = Url::parse(address)
            .map_err(|fault| Error::InvalidEndpoint { what, fault: fault.to_string() })?;
        match url.scheme() {
            "https" => Ok(()),
            "http" if is_loopback(&url) && is_loopback(&self.resource) => Ok(()),
            "http" => {
                let url = without_secrets(&url).to_string();
                Err(Error::NotEncrypted { what, url })
            }
            scheme => Err(Error::NotHttps { what, scheme: scheme.to_owned() }),
        }
    }

    /// Returns the client of the authorization server.
    pub(super) async fn rmcp_manager(&mut self) -> Result<&mut AuthorizationManager, HttpError> {
        let manager = match self.manager.take() {
            Some(manager) => manager,
            None => self
                .make_manager()
                .await
                .map_err(|error| self.request_target().authorization_error(&error))?,
        };
        Ok(self.manager.insert(manager))
    }

    async fn make_manager(&self) -> Result<AuthorizationManager, AuthError> {
        install_crypto();
        let resource = self.resource.clone();
        let is_ours = is_loopback(&resource) || self.dpop.is_some() || self.oauth.has_network();
        let mut manager = if is_ours {
            let client = AuthorizationClient {
                addresses: self.addresses.clone(),
                oauth: self.oauth.clone(),
                resource: resource.clone(),
                dpop: self.dpop.clone(),
            };
            AuthorizationManager::new_with_oauth_http_client(resource, Arc::new(client)).await?
        } else if self.oauth.private_network {
            AuthorizationManager::new_allowing_private_addresses(resource).await?
        } else {
            AuthorizationManager::new(resource).await?
        };
        if let Some(credentials) = &self.credentials {
            manager.set_credential_store(credentials.clone());
        }
        Ok(manager)
    }
}

/// Removes duplicate scopes, keeping their order.
pub(super) fn without_duplicates(mut scopes: Vec<String>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    scopes.retain(|scope| seen.insert(scope.clone()));
    scopes
}
