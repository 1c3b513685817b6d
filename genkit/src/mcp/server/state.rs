//! Shared state of all connections of a server, and what of the registry they may see.

use std::sync::Arc;

use serde_json::{Map, Value};

#[cfg(feature = "mcp-http")]
use super::error::Error as E;
use super::hosts::FrontedHosts;
use super::lists::{ListCache, Lists};
use super::principal::HttpHead;
use super::quota::{ClientKey, QuotaLimits, Quotas};
use super::session::{Notifier, Session, StateSealer};
#[cfg(feature = "mcp-http")]
use super::settings::HealthSettings;
use super::settings::ServerSettings;
use crate::Genkit;
use crate::action::{Prompt, Resource, Tool};
use crate::disclosure::for_callers;
use crate::error::{Error, Result};

/// The state that all connections of a server share.
pub(crate) struct SharedState {
    pub(crate) genkit: Genkit,
    pub(crate) settings: ServerSettings,
    pub(crate) sealer: StateSealer,
    pub(crate) quotas: Quotas,
    /// The header in which a trusted proxy writes the address of the client.
    #[cfg(feature = "mcp-http")]
    pub(crate) client_address_from: Option<http::HeaderName>,
    pub(crate) notifier: Notifier,
    lists: ListCache,
    /// Whether clients read errors with all their causes.
    pub(crate) exposes_errors: bool,
    /// Hosts live as long as the server that fronts them.
    hosts: FrontedHosts,
}

impl SharedState {
    pub(crate) fn new(
        genkit: Genkit,
        settings: ServerSettings,
        hosts: FrontedHosts,
        exposes_errors: bool,
    ) -> Result<Self> {
        #[cfg(feature = "mcp-http")]
        check_health_path(settings.http.health.as_ref())?;
        Ok(Self {
            sealer: StateSealer::new(settings.sealing_key.as_deref())?,
            quotas: Quotas::new(&QuotaLimits {
                places: settings.max_in_flight,
                per_second: settings.per_second,
                sessions: settings.max_sessions,
                session_questions: settings.max_questions,
            }),
            #[cfg(feature = "mcp-http")]
            client_address_from: header_name(settings.http.client_address_from.as_deref())?,
            lists: ListCache::default(),
            notifier: Notifier::default(),
            genkit,
            settings,
            exposes_errors,
            hosts,
        })
    }

    /// Who sent a request.
    #[cfg(feature = "mcp-http")]
    pub(crate) fn client_key(&self, head: &HttpHead) -> ClientKey {
        head.client_key(self.client_address_from.as_ref())
    }

    /// Who sent a request.
    #[cfg(not(feature = "mcp-http"))]
    #[expect(clippy::unused_self, reason = "it knows the trusted header where there is one")]
    pub(crate) fn client_key(&self, _: &HttpHead) -> ClientKey {
        ClientKey::Local
    }

    /// The session of a client about whom nothing else is known.
    pub(crate) fn session_of(&self, key: ClientKey) -> Session {
        let client = self.quotas.client(key);
        match client.open_session() {
            Some((quota, counted)) => Session::new(quota, Some(counted)),
            None => Session::new(client.sessionless(""), None),
        }
    }

    /// How many servers behind this one are connected, of those that should be.
    #[cfg(feature = "mcp-http")]
    pub(crate) fn servers_behind(&self) -> (usize, usize) {
        self.hosts.servers()
    }

    /// Whether what fronted hosts have is in the registry.
    pub(crate) fn has_all_hosts(&self) -> bool {
        self.hosts.are_registered()
    }

    /// Waits, once, until what fronted hosts have is in the registry.
    pub(crate) async fn with_hosts(&self) -> &Self {
        self.hosts.registered_in(&self.genkit.registry).await;
        self
    }

    /// A failure of `action` as a client of this server may read it.
    pub(crate) fn for_client(&self, error: Error, action: &str) -> Error {
        for_callers(error, action, self.exposes_errors)
    }

    pub(crate) fn lists(&self) -> Arc<Lists> {
        self.lists.get(&self.genkit.registry, &self.settings.filter)
    }

    pub(crate) fn tool(&self, name: &str) -> Option<Tool> {
        let lists = self.lists();
        self.genkit
            .registry
            .tool(lists.tool_name(name))
            .filter(|tool| self.settings.filter.tool(tool))
    }

    pub(crate) fn prompt(&self, name: &str) -> Option<Prompt> {
        let lists = self.lists();
        self.genkit
            .registry
            .prompt(lists.prompt_name(name))
            .filter(|prompt| self.settings.filter.prompt(prompt))
    }

    /// The resource at `uri`: a fixed address first, then the most specific template.
    pub(crate) fn resource(&self, uri: &str) -> Option<(Resource, Map<String, Value>)> {
        self.genkit.registry.resource_for(uri, |resource| self.settings.filter.resource(resource))
    }
}

#[cfg(feature = "mcp-http")]
fn check_health_path(health: Option<&HealthSettings>) -> Result<()> {
    let Some(HealthSettings { path, .. }) = health else { return Ok(()) };
    let is_path = path.len() > 1 && path.starts_with('/') && !path.starts_with("/mcp");
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./".contains(c);
    match is_path && path.chars().all(is_plain) {
        true => Ok(()),
        false => Err(E::HealthPath(path.clone()).into()),
    }
}

#[cfg(feature = "mcp-http")]
fn header_name(name: Option<&str>) -> Result<Option<http::HeaderName>> {
    let parsed = name.map(str::parse).transpose();
    Ok(parsed.map_err(|_| E::HeaderName(name.unwrap_or_default().to_owned()))?)
}
