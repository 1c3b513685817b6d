//! The catalog: from a model's name to the model.

use std::collections::HashMap;
use std::sync::Arc;

use super::built_in::{built_in, once, prefixes};
use super::error::Error as E;
use super::model_ref::{Kind, ModelRef};
use crate::error::Result;
use crate::model::{Model, Provider};
use crate::suggest;

/// The models and providers that a program was given, before those that this library knows.
#[derive(Clone, Default)]
pub(crate) struct Models {
    models: HashMap<String, Arc<dyn Model>>,
    providers: Vec<Arc<dyn Provider>>,
    default: Option<ModelRef>,
}

impl Models {
    pub(crate) fn add(&mut self, model: Arc<dyn Model>) {
        self.models.insert(model.name().to_owned(), model);
    }

    pub(crate) fn add_provider(&mut self, provider: Arc<dyn Provider>) {
        self.providers.push(provider);
    }

    pub(crate) fn set_default(&mut self, model: ModelRef) {
        if let Kind::Value(model) = &model.0 {
            self.add(Arc::clone(model));
        }
        self.default = Some(model);
    }

    pub(crate) fn find(&self, model: &ModelRef) -> Result<Arc<dyn Model>> {
        match &model.0 {
            Kind::Value(model) => Ok(Arc::clone(model)),
            Kind::Name(name) => self.named(name),
        }
    }

    /// The model where a request names none: the program's default, else `GENKIT_MODEL`.
    pub(crate) fn default_model(&self) -> Result<Arc<dyn Model>> {
        if let Some(model) = &self.default {
            return self.find(model);
        }
        match std::env::var("GENKIT_MODEL") {
            Ok(name) if !name.is_empty() => self.named(&name),
            _ => Err(E::NoModelNamed.into()),
        }
    }

    /// Those that are known by themselves, by name: what was given, and the default.
    #[cfg(feature = "dev-tools")]
    pub(crate) fn known(&self) -> Vec<Arc<dyn Model>> {
        let mut known: Vec<_> = self.models.values().cloned().collect();
        let default = self.default_model().ok();
        known.extend(default.filter(|model| !self.models.contains_key(model.name())));
        known.sort_by(|a, b| a.name().cmp(b.name()));
        known
    }

    /// The name of the model where a request names none.
    #[cfg(feature = "dev-tools")]
    pub(crate) fn default_name(&self) -> Option<String> {
        self.default_model().ok().map(|model| model.name().to_owned())
    }

    fn named(&self, name: &str) -> Result<Arc<dyn Model>> {
        // Genkit's developer tools name actions by their whole key.
        let name = name.strip_prefix("/model/").unwrap_or(name);
        if let Some(model) = self.models.get(name) {
            return Ok(Arc::clone(model));
        }
        let (prefix, rest) = name.split_once('/').unwrap_or((name, ""));
        if let Some(provider) = self.providers.iter().find(|provider| provider.name() == prefix) {
            return named_model(&**provider, rest);
        }
        if let Some(from_env) = built_in(prefix).and_then(|provider| provider.from_env) {
            return named_model(&*once(prefix, from_env)?, rest);
        }
        Err(self.unknown(name, prefix).into())
    }

    fn unknown(&self, name: &str, prefix: &str) -> E {
        let name = name.to_owned();
        if let Some(provider) = built_in(prefix) {
            return E::FeatureOff { name, feature: provider.feature };
        }
        let given = self.models.keys().map(String::as_str);
        let providers = self.providers.iter().map(|provider| provider.name());
        let own = prefixes().map(|prefix: &str| prefix);
        let unknown = suggest::unknown("model", prefix, given.chain(providers).chain(own));
        let stop = if unknown.ends_with('?') { "" } else { "." };
        E::UnknownModel { name, unknown: unknown + stop }
    }
}

fn named_model(provider: &dyn Provider, name: &str) -> Result<Arc<dyn Model>> {
    if name.is_empty() {
        return Err(E::OnlyProvider(provider.name().to_owned()).into());
    }
    provider.model(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_model_is_told_how_to_be_given() {
        let told = |name: &str| Models::default().named(name).err().unwrap().to_string();
        let unknown = told("offline");
        assert!(unknown.starts_with("Unknown model: offline. There are: anthropic, "), "{unknown}");
        assert!(unknown.ends_with("after `Genkit::builder().model(..)`"), "{unknown}");
        assert!(told("gemni/x").contains("Did you mean `gemini`? A model of your own"));
    }
}
