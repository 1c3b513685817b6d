//! The lookup of models and embedders by name.

use std::collections::HashMap;
use std::sync::Arc;

use super::built_in::{find_feature, known_prefixes, linked_provider, provider_once};
use super::embedder_ref::{EmbedderKind, EmbedderRef};
use super::error::Error as E;
use super::model_ref::{Kind, ModelRef};
use crate::{Embedder, Model, Provider};
use genkit_core::Result;
use genkit_core::internal::suggest;

/// The models, embedders and providers of a program. They take precedence over the built-in
/// providers.
#[derive(Clone, Default)]
pub struct Models {
    models: HashMap<String, Arc<dyn Model>>,
    embedders: HashMap<String, Arc<dyn Embedder>>,
    providers: Vec<Arc<dyn Provider>>,
    default: Option<ModelRef>,
}

impl Models {
    pub fn add(&mut self, model: Arc<dyn Model>) {
        self.models.insert(model.name().to_owned(), model);
    }

    pub fn add_embedder(&mut self, embedder: Arc<dyn Embedder>) {
        self.embedders.insert(embedder.name().to_owned(), embedder);
    }

    pub fn add_provider(&mut self, provider: Arc<dyn Provider>) {
        self.providers.push(provider);
    }

    pub fn set_default(&mut self, model: ModelRef) {
        if let Kind::Value(model) = &model.0 {
            self.add(Arc::clone(model));
        }
        self.default = Some(model);
    }

    pub fn find(&self, model: &ModelRef) -> Result<Arc<dyn Model>> {
        match &model.0 {
            Kind::Value(model) => Ok(Arc::clone(model)),
            Kind::Name(name) => self.model_named(name),
        }
    }

    /// Returns the registered embedders, sorted by name.
    pub fn known_embedders(&self) -> Vec<Arc<dyn Embedder>> {
        let mut known: Vec<_> = self.embedders.values().cloned().collect();
        known.sort_by(|a, b| a.name().cmp(b.name()));
        known
    }

    pub fn find_embedder(&self, embedder: &EmbedderRef) -> Result<Arc<dyn Embedder>> {
        let name = match &embedder.0 {
            EmbedderKind::Value(embedder) => return Ok(Arc::clone(embedder)),
            EmbedderKind::Name(name) => name.strip_prefix("/embedder/").unwrap_or(name),
        };
        if let Some(embedder) = self.embedders.get(name) {
            return Ok(Arc::clone(embedder));
        }
        match self.find_provider(name)? {
            Some((provider, rest)) => provider.embedder(rest),
            None => Err(self.unknown_embedder(name).into()),
        }
    }

    /// Returns the model for requests that do not specify a model: the program's default, or the value
    /// of `GENKIT_MODEL`.
    pub fn default_model(&self) -> Result<Arc<dyn Model>> {
        if let Some(model) = &self.default {
            return self.find(model);
        }
        match std::env::var("GENKIT_MODEL") {
            Ok(name) if !name.is_empty() => self.model_named(&name),
            _ => Err(E::MissingModelName.into()),
        }
    }

    /// Returns the registered models and the default model, sorted by name.
    pub fn known(&self) -> Vec<Arc<dyn Model>> {
        let mut known: Vec<_> = self.models.values().cloned().collect();
        let default = self.default_model().ok();
        known.extend(default.filter(|model| !self.models.contains_key(model.name())));
        known.sort_by(|a, b| a.name().cmp(b.name()));
        known
    }

    /// Returns the name of the model for requests that do not specify one.
    pub fn default_name(&self) -> Option<String> {
        self.default_model().ok().map(|model| model.name().to_owned())
    }

    fn model_named(&self, name: &str) -> Result<Arc<dyn Model>> {
        // Genkit's developer tools refer to actions by their full key.
        let name = name.strip_prefix("/model/").unwrap_or(name);
        if let Some(model) = self.models.get(name) {
            return Ok(Arc::clone(model));
        }
        match self.find_provider(name)? {
            Some((provider, rest)) => provider.model(rest),
            None => Err(self.unknown_model(name).into()),
        }
    }

    /// Returns the provider in the prefix of a name, and the rest of the name.
    fn find_provider<'a>(&self, name: &'a str) -> Result<Option<(Arc<dyn Provider>, &'a str)>> {
        if name.trim().is_empty() {
            return Err(E::MissingModelName.into());
        }
        let (prefix, rest) = name.split_once('/').unwrap_or((name, ""));
        let given = self.providers.iter().find(|provider| provider.name() == prefix);
        let provider = match (given, linked_provider(prefix)) {
            (Some(provider), _) => Arc::clone(provider),
            (None, Some(from_env)) => provider_once(prefix, from_env)?,
            (None, None) => return Ok(None),
        };
        if rest.is_empty() {
            return Err(E::OnlyProvider(provider.name().to_owned()).into());
        }
        Ok(Some((provider, rest)))
    }

    fn unknown_model(&self, name: &str) -> E {
        self.unknown_model_error("model", name, self.models.keys())
            .map_or_else(|feature| feature, |(name, unknown)| E::UnknownModel { name, unknown })
    }

    fn unknown_embedder(&self, name: &str) -> E {
        self.unknown_model_error("embedder", name, self.embedders.keys())
            .map_or_else(|feature| feature, |(name, unknown)| E::UnknownEmbedder { name, unknown })
    }

    /// Returns the name and the message for an unknown name, or an error if the name needs a feature that is
    /// disabled.
    fn unknown_model_error<'a>(
        &'a self,
        kind: &str,
        name: &str,
        given: impl Iterator<Item = &'a String>,
    ) -> Result<(String, String), E> {
        let (name, prefix) = (name.to_owned(), name.split('/').next().unwrap_or_default());
        if let Some(feature) = find_feature(prefix) {
            return Err(E::FeatureOff { name, feature });
        }
        let stop = |unknown: String| if unknown.ends_with('?') { unknown } else { unknown + "." };
        if let Some(provider) = guess_provider(&name) {
            let unknown = format!("Unknown {kind}: {name}. Did you mean `{provider}/{name}`?");
            return Ok((name, unknown));
        }
        // The part before the `/` is the name of a provider.
        let kind = if name.contains('/') { "provider" } else { kind };
        let providers = self.providers.iter().map(|provider| provider.name());
        let all = given.map(String::as_str).chain(providers);
        // Shortens the lifetime from `'static` to the lifetime of the borrowed names.
        let own = known_prefixes().map(|prefix: &str| prefix);
        let unknown = suggest::unknown_name(kind, prefix, all.chain(own));
        Ok((name, stop(unknown)))
    }
}

/// Returns the provider whose models have similar names, for a name without a provider.
fn guess_provider(name: &str) -> Option<&'static str> {
    const MAKERS: [(&str, &str); 7] = [
        ("claude-", "anthropic"),
        ("gemini-", "gemini"),
        ("gpt-", "openai"),
        ("chatgpt-", "openai"),
        ("o1", "openai"),
        ("o3", "openai"),
        ("text-embedding-", "openai"),
    ];
    let is_bare = !name.contains('/');
    MAKERS.iter().find(|(begin, _)| is_bare && name.starts_with(begin)).map(|(_, maker)| *maker)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_model_error_explains_how_to_pass_a_model() {
        let told = |name: &str| Models::default().model_named(name).err().unwrap().to_string();
        let unknown = told("offline");
        assert!(unknown.starts_with("Unknown model: offline. There are: anthropic, "), "{unknown}");
        assert!(unknown.ends_with("(..)` to refer to it by name"), "{unknown}");
        assert!(
            told("claude-x")
                .starts_with("Unknown model: claude-x. Did you mean `anthropic/claude-x`? ")
        );
        assert!(told("gemni/x").starts_with("Unknown provider: gemni. "), "{}", told("gemni/x"));
        assert!(told(" ").starts_with("no model is specified; "));
        assert!(told("gemni/x").contains("Did you mean `gemini`? To use a custom model"));
        let embedder =
            Models::default().find_embedder(&"gemni/x".into()).err().unwrap().to_string();
        assert!(embedder.contains("Did you mean `gemini`? To use a custom embedder"), "{embedder}");
    }
}
