//! Mounting: adds the actions of one registry to another, under a prefix.

use std::panic::Location;

use super::error::{Error as E, MAX_PREFIX};
use super::verify::is_name_character;
use super::{Action, Registry};
use crate::action::{Prompt, Resource, SourceLocation, Tool};
use crate::glob::matches_glob;
use crate::skill::Skill;
use genkit_schema::internal::truncate::excerpt;

impl Registry {
    /// Mounts another registry: adds all of its actions, under names that start with `prefix`, to avoid conflicts with
    /// the names in this registry.
    ///
    /// | in `other` | in this registry, with the prefix `shop` |
    /// |---|---|
    /// | the tool, prompt, flow, evaluator or retriever `search` | `shop_search` |
    /// | the resource `note://{id}` | `note://shop/{id}`, with `shop_` before its name |
    /// | the skill `skill://refunds/SKILL.md` | `skill://shop/refunds/SKILL.md`, with its name unchanged |
    /// | actions of an `McpHost` server | tools and prompts as above, resources unchanged |
    ///
    /// Prompts still find the tools of `other` that they refer to. The result is a copy: actions added to `other` later
    /// are not included. State must be added to the program that serves the result. Duplicate names after mounting are
    /// reported by [`check`](Self::check). An empty prefix, or a prefix with characters that are invalid in a name, is
    /// also reported there, and nothing is mounted.
    ///
    /// ```
    /// use genkit::{Registry, resource, resources, tool, tools};
    ///
    /// /// Searches.
    /// #[tool]
    /// async fn search(words: String) -> String { words }
    ///
    /// /// Returns a note by its number.
    /// #[resource("note://{id}")]
    /// async fn note(id: u64) -> String { format!("note {id}") }
    ///
    /// let shop = Registry::new().add(tools![search]).add(resources![note]);
    /// let all = Registry::new().add(tools![search]).mount("shop", &shop);
    /// all.check()?;
    /// assert!(all.tool("search").is_some() && all.tool("shop_search").is_some());
    /// assert!(all.resource("note://shop/{id}").is_some());
    /// # Ok::<(), genkit::Error>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn mount(self, prefix: &str, other: &Self) -> Self {
        let is_prefix = (1..=MAX_PREFIX).contains(&prefix.len());
        if !is_prefix || !prefix.chars().all(is_name_character) {
            let caller = Location::caller();
            let at = SourceLocation { file: caller.file(), line: caller.line() };
            let prefix = excerpt(prefix, MAX_PREFIX);
            self.write().errors.push(E::MountPrefix { prefix, at });
            return self;
        }
        let name = |name: &str| format!("{prefix}_{name}");
        let tools = other.tools();
        // A prompt refers to tools by their names in `other`, which are prefixed here.
        let named = |pattern: &str| -> Vec<Tool> {
            let fits = |tool: &&Tool| matches_glob(pattern, tool.name());
            tools.iter().filter(fits).map(|tool| tool.renamed(name(tool.name()))).collect()
        };
        let mut actions: Vec<Action> = Vec::new();
        actions.extend(tools.iter().map(|tool| tool.renamed(name(tool.name())).into()));
        let prompt = |prompt: Prompt| prompt.mount_as(name(prompt.name()), named).into();
        actions.extend(other.prompts().into_iter().map(prompt));
        let resource = |resource: Resource| match resource.server() {
            // The URI belongs to that server.
            Some(_) => resource.into(),
            None => {
                resource.mount_as(name(resource.name()), mounted_uri(prefix, resource.uri())).into()
            }
        };
        actions.extend(other.resources().into_iter().map(resource));
        actions.extend(other.flows().iter().map(|flow| flow.with_name(name(flow.name())).into()));
        let skill = |skill: Skill| skill.mount_as(|uri| mounted_uri(prefix, uri)).into();
        actions.extend(other.skills().into_iter().map(skill));
        actions.extend(other.custom_actions().iter().map(|custom| {
            let flow = custom.flow();
            Action::Custom(custom.with_flow(flow.with_name(name(flow.name()))))
        }));
        // Errors in the other registry are also errors in this registry.
        let refused = other.read().errors.clone();
        self.write().errors.extend(refused);
        self.add(actions)
    }
}

/// Inserts the prefix in a URI: `note://{id}` becomes `note://prefix/{id}`.
fn mounted_uri(prefix: &str, uri: &str) -> String {
    let (scheme, rest) = match (uri.split_once("://"), uri.split_once(':')) {
        (Some((scheme, rest)), _) if !scheme.contains('{') => (format!("{scheme}://"), rest),
        (_, Some((scheme, rest))) if !scheme.contains('{') => (format!("{scheme}:"), rest),
        _ => (String::new(), uri),
    };
    let slash = if rest.starts_with('/') { "" } else { "/" };
    format!("{scheme}{prefix}{slash}{rest}")
}

#[cfg(test)]
mod tests {
    use super::mounted_uri;

    #[test]
    fn mounted_uri_keeps_its_scheme() {
        for (uri, mounted) in [
            ("note://{id}", "note://shop/{id}"),
            ("file:///etc/hosts", "file://shop/etc/hosts"),
            ("config:app", "config:shop/app"),
            ("a://b:80/c", "a://shop/b:80/c"),
            ("{scheme}://x", "shop/{scheme}://x"),
            ("plain", "shop/plain"),
        ] {
            assert_eq!(mounted_uri("shop", uri), mounted);
        }
    }
}
