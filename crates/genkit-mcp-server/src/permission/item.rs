//! The item that a permission applies to.

use std::time::Duration;

use genkit_core::{Prompt, Resource, Skill, Tool};

/// Applies an expression to the value of any variant.
macro_rules! each {
    ($item:expr, $it:ident => $get:expr) => {
        match $item {
            Item::Tool($it) => $get,
            Item::Prompt($it) => $get,
            Item::Resource($it) => $get,
            Item::Skill($it) => $get,
        }
    };
}

/// A tool, prompt, resource or skill that a server offers, as passed to
/// [`permit`](crate::builder::McpServer::permit).
///
/// ```
/// use genkit::mcp::server::Item;
///
/// let server = genkit::serve_mcp().permit(|caller, item| match item {
///     Item::Tool(tool) => tool.annotations().read_only == Some(true) || caller.has_scope("write"),
///     _ => true,
/// });
/// # let _ = server;
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Item<'a> {
    /// A tool.
    Tool(&'a Tool),
    /// A prompt.
    Prompt(&'a Prompt),
    /// A resource or a resource template.
    Resource(&'a Resource),
    /// A skill with all its files.
    Skill(&'a Skill),
}

impl<'a> Item<'a> {
    /// Returns the name in this program; `key/name` for an item of an upstream server.
    pub fn name(&self) -> &'a str {
        each!(self, it => it.name())
    }

    /// Returns the tags of the item.
    pub fn tags(&self) -> impl Iterator<Item = &'a str> {
        each!(self, it => &it.info().tags).iter().map(|tag| &**tag)
    }

    /// Returns the metadata of the item.
    pub fn metadata(&self) -> &'a serde_json::Map<String, serde_json::Value> {
        each!(self, it => it.metadata())
    }

    /// Returns the time limit of the item, if it has its own.
    pub(crate) fn timeout(&self) -> Option<Duration> {
        match self {
            Item::Tool(tool) => tool.timeout(),
            Item::Prompt(prompt) => prompt.timeout(),
            Item::Resource(resource) => resource.timeout(),
            Item::Skill(_) => None,
        }
    }

    /// Returns the name of the upstream server that owns the item.
    pub(crate) fn upstream(&self) -> Option<&'a str> {
        self.metadata().get("mcp")?.get("server")?.as_str()
    }

    /// Returns the scopes in `permit = ".."`; empty without that option.
    pub fn scopes(&self) -> impl Iterator<Item = &'a str> {
        each!(self, it => it.info().permit.as_deref())
            .into_iter()
            .flat_map(str::split_ascii_whitespace)
    }
}

impl<'a> From<&'a Tool> for Item<'a> {
    fn from(tool: &'a Tool) -> Self {
        Self::Tool(tool)
    }
}

impl<'a> From<&'a Prompt> for Item<'a> {
    fn from(prompt: &'a Prompt) -> Self {
        Self::Prompt(prompt)
    }
}

impl<'a> From<&'a Resource> for Item<'a> {
    fn from(resource: &'a Resource) -> Self {
        Self::Resource(resource)
    }
}

impl<'a> From<&'a Skill> for Item<'a> {
    fn from(skill: &'a Skill) -> Self {
        Self::Skill(skill)
    }
}
