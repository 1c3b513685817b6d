//! What all connections of a server share, and what of the registry they may see.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::lists::{ListCache, Lists};
use super::rate_limit::Gate;
use super::session::Hub;
use super::session::Seal;
use super::settings::Settings;
use crate::Genkit;
use crate::action::{Prompt, Resource, Tool};
use crate::error::Result;

/// What all connections of a server share.
pub(crate) struct Shared {
    pub(crate) genkit: Genkit,
    pub(crate) settings: Settings,
    pub(crate) seal: Seal,
    pub(crate) gate: Gate,
    pub(crate) hub: Hub,
    lists: ListCache,
    /// Hosts live as long as the server that fronts them.
    #[cfg(feature = "mcp-host")]
    _hosts: Vec<crate::mcp::McpHost>,
}

impl Shared {
    pub(crate) fn new(genkit: Genkit, settings: Settings) -> Result<Self> {
        Ok(Self {
            seal: Seal::new(settings.sealing_key.as_deref())?,
            gate: Gate::new(settings.max_in_flight, settings.per_second),
            lists: ListCache::default(),
            hub: Hub::default(),
            genkit,
            settings,
            #[cfg(feature = "mcp-host")]
            _hosts: Vec::new(),
        })
    }

    /// With these hosts.
    #[cfg(feature = "mcp-host")]
    pub(crate) fn fronting(mut self, hosts: Vec<crate::mcp::McpHost>) -> Self {
        self._hosts = hosts;
        self
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

    /// The resource that answers for `uri`: a fixed address first, then the most specific
    /// template.
    pub(crate) fn resource(&self, uri: &str) -> Option<(Resource, Map<String, Value>)> {
        self.genkit.registry.resource_for(uri, |resource| self.settings.filter.resource(resource))
    }
}
