//! Which authorization server a server belongs to, and what it can do.

use std::sync::Arc;

use reqwest::Url;
use rmcp::transport::auth::{
    AuthError, AuthorizationManager, AuthorizationMetadata, OAuthHttpClient, OAuthHttpClientError,
    OAuthHttpClientFuture, OAuthHttpRedirectPolicy, OAuthHttpRequest,
};

use super::super::http::addresses::Reach;
use super::super::http::client::for_oauth;
use super::super::http::endpoint;
use super::super::http::failure::{At, Failure};
use super::credentials::Vault;
use super::{OAuth, Proof};
use crate::error::{ErrorKind, Result};
use crate::net::{install_crypto, is_loopback};

/// The longest answer of an authorization server that is read. Default is 1 MiB.
const MAX_BODY: usize = 1024 * 1024;

/// Looks up the authorization server of one MCP server.
pub(crate) struct Discovery {
    /// Without a query, which may hold a key: this address is told to the authorization server.
    pub(crate) resource: Url,
    pub(crate) target: String,
    pub(crate) reach: Reach,
    issuer: Option<String>,
    /// The issuer that a secret of the user was shown to first: no other gets to see it.
    first: Option<Option<String>>,
    has_secret: bool,
    private_network: bool,
    vault: Option<Vault>,
    manager: Option<AuthorizationManager>,
}

impl Discovery {
    pub(crate) fn new(resource: Url, oauth: &OAuth, vault: Option<Vault>) -> Self {
        Self {
            target: resource.to_string(),
            reach: Reach::of(&resource, oauth.private_network),
            resource,
            issuer: oauth.issuer.clone(),
            first: None,
            has_secret: oauth.proof != Proof::None,
            private_network: oauth.private_network,
            vault,
            manager: None,
        }
    }

    /// What a refusal, or else the server's own documents, lead to.
    pub(crate) async fn look_up(
        &mut self,
        header: Option<&str>,
    ) -> Result<AuthorizationMetadata, Failure> {
        let at = self.target.clone();
        let failed = |error: AuthError| At { target: &at, session: false }.authorization(&error);
        let found = self.manager().await?.resolve_metadata_from_challenge(header).await;
        let metadata = found.map_err(failed)?.metadata;
        if let Some(expected) = &self.issuer {
            let found = metadata.issuer.as_deref().unwrap_or("no issuer");
            if found.trim_end_matches('/') != expected.trim_end_matches('/') {
                let text = format!(
                    "no access to {at}: it names the authorization server {found}, and \
                     `.issuer(..)` says that its client is for {expected}"
                );
                return Err(Failure::new(ErrorKind::Unauthenticated, text));
            }
        }
        self.check(&metadata)?;
        self.manager().await?.set_metadata(metadata.clone());
        Ok(metadata)
    }

    /// Refuses what a server must not make this program, or the browser of a person, do.
    fn check(&mut self, metadata: &AuthorizationMetadata) -> Result<(), Failure> {
        let at = &self.target;
        let refused = |text: String| {
            let text = format!("no access to {at}: its authorization server {text}");
            Err(Failure::new(ErrorKind::FailedPrecondition, text))
        };
        for (what, address) in [
            // Programs that ask no person may leave it empty.
            ("authorization", Some(&metadata.authorization_endpoint).filter(|it| !it.is_empty())),
            ("token", Some(&metadata.token_endpoint)),
            ("registration", metadata.registration_endpoint.as_ref()),
        ] {
            let Some(address) = address else { continue };
            let local = |url: &Url| is_loopback(url) && is_loopback(&self.resource);
            match Url::parse(address) {
                Ok(url) if url.scheme() == "https" => {}
                Ok(url) if url.scheme() == "http" && local(&url) => {}
                Ok(url) if url.scheme() == "http" => {
                    let url = endpoint::target(&url);
                    return refused(format!(
                        "names the {what} endpoint {url}, which is not encrypted"
                    ));
                }
                Ok(url) => {
                    let scheme = url.scheme();
                    return refused(format!(
                        "names a {what} endpoint over `{scheme}`, not `https`"
                    ));
                }
                Err(fault) => {
                    return refused(format!("names a {what} endpoint that is no address: {fault}"));
                }
            }
        }
        if !self.has_secret || self.issuer.is_some() {
            return Ok(());
        }
        match &self.first {
            Some(first) if *first != metadata.issuer => {
                let name = |issuer: &Option<String>| issuer.clone().unwrap_or("no name".to_owned());
                refused(format!(
                    "is now {}, and was {} before: `.issuer(..)` says which one its secret is for",
                    name(&metadata.issuer),
                    name(first)
                ))
            }
            _ => {
                self.first = Some(metadata.issuer.clone());
                Ok(())
            }
        }
    }

    /// What speaks with the authorization server.
    pub(crate) async fn manager(&mut self) -> Result<&mut AuthorizationManager, Failure> {
        if self.manager.is_none() {
            let at = At { target: &self.target, session: false };
            let made = self.make().await.map_err(|error| at.authorization(&error))?;
            self.manager = Some(made);
        }
        Ok(self.manager.as_mut().expect("it was made above"))
    }

    async fn make(&self) -> Result<AuthorizationManager, AuthError> {
        install_crypto();
        let resource = self.resource.clone();
        let mut manager = if is_loopback(&resource) {
            AuthorizationManager::new_with_oauth_http_client(
                resource,
                Arc::new(Local(self.reach.clone())),
            )
            .await?
        } else if self.private_network {
            AuthorizationManager::new_allowing_private_addresses(resource).await?
        } else {
            AuthorizationManager::new(resource).await?
        };
        if let Some(vault) = &self.vault {
            manager.set_credential_store(vault.clone());
        }
        Ok(manager)
    }
}

/// For a server of this machine, whose authorization server is mostly here as well: rmcp's own
/// client would ask a proxy for it.
struct Local(Reach);

impl OAuthHttpClient for Local {
    fn execute(&self, asked: OAuthHttpRequest) -> OAuthHttpClientFuture<'_> {
        Box::pin(async move {
            let follow = asked.redirect_policy == OAuthHttpRedirectPolicy::Follow;
            let request = reqwest::Request::try_from(asked.request)?;
            let client = for_oauth(request.url(), follow, &self.0)?;
            let mut response = client.execute(request).await?;
            let mut answer = http::Response::builder().status(response.status());
            if let Some(headers) = answer.headers_mut() {
                headers.clone_from(response.headers());
            }
            let body = read(&mut response).await?;
            Ok(answer.body(body)?)
        })
    }
}

/// The body, if it is not too long.
pub(crate) async fn read(
    response: &mut reqwest::Response,
) -> Result<Vec<u8>, OAuthHttpClientError> {
    let mut body = Vec::new();
    while let Some(piece) = response.chunk().await? {
        if body.len() + piece.len() > MAX_BODY {
            return Err(format!("the answer is longer than {MAX_BODY} bytes").into());
        }
        body.extend_from_slice(&piece);
    }
    Ok(body)
}
