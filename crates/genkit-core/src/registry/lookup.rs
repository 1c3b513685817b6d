//! Lookup: the actions of a registry by kind, by name and by URI.

use serde_json::{Map, Value};

use super::Registry;
use super::actions::custom_key;
use std::sync::Arc;

use crate::action::{CustomAction, Flow, Prompt, Resource, Tool};
use crate::skill::Skill;
use genkit_untrusted::visible::Logged;

impl Registry {
    /// Returns all tools, sorted by name.
    pub fn tools(&self) -> Vec<Tool> {
        self.read().tools.values().cloned().collect()
    }

    /// Returns all prompts, sorted by name.
    pub fn prompts(&self) -> Vec<Prompt> {
        self.read().prompts.values().cloned().collect()
    }

    /// Returns all resources and resource templates, sorted by URI.
    pub fn resources(&self) -> Vec<Resource> {
        self.read().resources.values().cloned().collect()
    }

    /// Returns all flows, sorted by name.
    pub fn flows(&self) -> Vec<Flow> {
        self.read().flows.values().cloned().collect()
    }

    /// Returns all skills, sorted by name.
    ///
    /// ```
    /// assert!(genkit::Registry::new().skills().is_empty());
    /// ```
    pub fn skills(&self) -> Vec<Skill> {
        self.read().skills.values().cloned().collect()
    }

    /// Returns the skill with this name.
    pub fn skill(&self, name: &str) -> Option<Skill> {
        self.read().skills.get(name).cloned()
    }

    /// Returns whether there are any skills.
    #[doc(hidden)]
    pub fn has_skills(&self) -> bool {
        !self.read().skills.is_empty()
    }

    /// Returns the first skill that matches.
    #[doc(hidden)]
    pub fn find_skill(&self, fits: impl Fn(&Skill) -> bool) -> Option<Skill> {
        self.read().skills.values().find(|skill| fits(skill)).cloned()
    }

    /// Returns the actions of kinds that other crates define, sorted by kind and name.
    #[doc(hidden)]
    pub fn custom_actions(&self) -> Vec<Arc<dyn CustomAction>> {
        self.read().custom.values().cloned().collect()
    }

    /// Returns the action with this kind and name.
    #[doc(hidden)]
    pub fn custom_action(&self, kind: &str, name: &str) -> Option<Arc<dyn CustomAction>> {
        self.read().custom.get(&custom_key(kind, name)).cloned()
    }

    /// Returns the tool with this name.
    pub fn tool(&self, name: &str) -> Option<Tool> {
        self.read().tools.get(name).cloned()
    }

    /// Returns the prompt with this name.
    pub fn prompt(&self, name: &str) -> Option<Prompt> {
        self.read().prompts.get(name).cloned()
    }

    /// Returns the flow with this name.
    pub fn flow(&self, name: &str) -> Option<Flow> {
        self.read().flows.get(name).cloned()
    }

    /// Returns the resource whose URI or template is exactly `uri`.
    pub fn resource(&self, uri: &str) -> Option<Resource> {
        self.read().resources.get(uri).cloned()
    }

    /// Returns the resource that matches `uri` and passes the filter `wanted`. Resources of this program take
    /// precedence over the resources of other programs; within each group, a fixed URI takes precedence over templates,
    /// and a more specific template over others. Returns `None` if only resources of several other programs match.
    #[doc(hidden)]
    pub fn resource_for(
        &self,
        uri: &str,
        wanted: impl Fn(&Resource) -> bool,
    ) -> Option<(Resource, Map<String, Value>)> {
        let fixed = self.resource(uri).filter(|fixed| !fixed.is_template() && wanted(fixed));
        if let Some(own) = fixed.as_ref().filter(|fixed| !fixed.info().is_remote()) {
            return Some((own.clone(), Map::new()));
        }
        // Clone only the resources whose scheme matches.
        let templates = |is_remote: bool| -> Vec<Resource> {
            let actions = self.read();
            let candidates = actions.resources.values().filter(|resource| {
                resource.is_template()
                    && resource.info().is_remote() == is_remote
                    && resource.may_match(uri)
                    && wanted(resource)
            });
            candidates.cloned().collect()
        };
        if let Some(own) = Resource::most_specific(templates(false).into_iter(), uri) {
            return Some(own);
        }
        let remote = Resource::find_matching(templates(true).into_iter(), uri);
        // A malicious server could list the URI of another server's resource to have its own resource read instead.
        let offering = remote.iter().map(|(resource, _)| resource).chain(&fixed);
        let mut servers = offering.map(Resource::server);
        let first = servers.next();
        if servers.any(|other| Some(other) != first) {
            let uri = Logged::text(uri);
            tracing::warn!(%uri, "several MCP servers offer this resource; choose a server with `.client(\"server\")?.read_resource(..)`");
            return None;
        }
        match fixed {
            Some(fixed) => Some((fixed, Map::new())),
            None => Resource::select_most_specific(remote),
        }
    }
}
impl crate::skill::SkillSource for Registry {
    fn list(
        &self,
    ) -> crate::future::BoxFuture<'_, crate::error::Result<Vec<crate::skill::OfferedSkill>>> {
        let offered = self.skills().iter().map(crate::skill::OfferedSkill::from).collect();
        Box::pin(std::future::ready(Ok(offered)))
    }
}
