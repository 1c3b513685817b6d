//! Prompt references: how a request refers to the prompt of a run.

use serde_json::Value;

use genkit_core::Prompt;
use genkit_core::Registry;
use genkit_core::Result;
use genkit_core::internal::generate::error::Error as E;
use genkit_core::internal::suggest;

/// A reference to a prompt: a value, or the name of a prompt in the registry.
///
/// ```
/// use genkit::generate::PromptRef;
/// use genkit::{Prompt, prompt};
///
/// /// Requests a poem.
/// #[prompt]
/// async fn poem() -> &'static str { "A poem, please." }
///
/// assert_eq!(PromptRef::from(Prompt::of::<poem>()).name(), "poem");
/// assert_eq!(PromptRef::from("trip.formal").name(), "trip.formal"); // a variant
/// ```
#[derive(Clone, Debug)]
pub struct PromptRef(Kind);

#[derive(Clone, Debug)]
enum Kind {
    Value(Prompt),
    Name(String),
}

/// The prompt that a run starts with, and its input.
#[derive(Clone)]
pub(crate) struct PromptCall {
    pub(super) prompt: PromptRef,
    pub(super) input: Value,
}

impl PromptRef {
    /// Returns the name of the prompt.
    pub fn name(&self) -> &str {
        match &self.0 {
            Kind::Value(prompt) => prompt.name(),
            Kind::Name(name) => name,
        }
    }

    pub(super) fn find_prompt(&self, registry: &Registry) -> Result<Prompt> {
        let name = match &self.0 {
            Kind::Value(prompt) => return Ok(prompt.clone()),
            Kind::Name(name) => name,
        };
        // Genkit's developer tools name actions by their full key.
        let keys = ["/prompt/", "/executable-prompt/"];
        let short = keys.iter().find_map(|key| name.strip_prefix(key)).unwrap_or(name);
        registry.prompt(short).ok_or_else(|| unknown_prompt(short, registry).into())
    }
}

fn unknown_prompt(name: &str, registry: &Registry) -> E {
    let prompts = registry.prompts();
    let names = || prompts.iter().map(Prompt::name);
    let base = base_name(name);
    let is_variant = |other: &&str| base_name(other) == base;
    let variants: Vec<String> =
        names().filter(is_variant).map(|name| format!("`{name}`")).collect();
    let text = suggest::unknown_name("prompt", name, names());
    E::UnknownPrompt(match variants.is_empty() {
        true => text,
        false => format!("{text}; variants of `{base}`: {}", variants.join(", ")),
    })
}

/// Returns the name without the variant, which follows the first dot of the last segment.
fn base_name(name: &str) -> &str {
    let file = name.rfind('/').map_or(0, |at| at + 1);
    name[file..].find('.').map_or(name, |dot| &name[..file + dot])
}

impl From<&str> for PromptRef {
    fn from(name: &str) -> Self {
        name.to_owned().into()
    }
}

impl From<String> for PromptRef {
    fn from(name: String) -> Self {
        Self(Kind::Name(name))
    }
}

impl From<&String> for PromptRef {
    fn from(name: &String) -> Self {
        name.clone().into()
    }
}

impl From<Prompt> for PromptRef {
    fn from(prompt: Prompt) -> Self {
        Self(Kind::Value(prompt))
    }
}

impl From<&Prompt> for PromptRef {
    fn from(prompt: &Prompt) -> Self {
        prompt.clone().into()
    }
}
