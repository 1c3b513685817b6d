//! From a model's name to the model.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use crate::error::{Error, ErrorKind, Result};
use crate::model::{Model, Provider};
use crate::suggest;
use crate::sync::lock;

/// A model by its name, `"provider/model"`, or as a value.
///
/// ```
/// use genkit::model::ModelRef;
/// use genkit::testing::ScriptedModel;
///
/// let named = ModelRef::from("gemini/gemini-2.5-flash");
/// let given = ModelRef::from(ScriptedModel::text("hello").named("house/polite"));
/// assert_eq!((named.name(), given.name()), ("gemini/gemini-2.5-flash", "house/polite"));
/// ```
#[derive(Clone)]
pub struct ModelRef(Kind);

#[derive(Clone)]
enum Kind {
    Name(String),
    Value(Arc<dyn Model>),
}

impl ModelRef {
    /// Its name.
    pub fn name(&self) -> &str {
        match &self.0 {
            Kind::Name(name) => name,
            Kind::Value(model) => model.name(),
        }
    }
}

impl std::fmt::Debug for ModelRef {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("ModelRef").field(&self.name()).finish()
    }
}

impl From<&str> for ModelRef {
    fn from(name: &str) -> Self {
        Self(Kind::Name(name.to_owned()))
    }
}

impl From<String> for ModelRef {
    fn from(name: String) -> Self {
        Self(Kind::Name(name))
    }
}

impl<M: Model> From<M> for ModelRef {
    fn from(model: M) -> Self {
        Self(Kind::Value(Arc::new(model)))
    }
}

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
            _ => Err(Error::invalid_argument(
                "no model is named: add `.model(\"gemini/gemini-2.5-flash\")` to the request, give \
                 `Genkit::builder().model(..)` one for all, or set GENKIT_MODEL",
            )),
        }
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
        if let Some(provider) = built_in(prefix) {
            return named_model(&*provider?, rest);
        }
        Err(self.unknown(name, prefix))
    }

    fn unknown(&self, name: &str, prefix: &str) -> Error {
        if let Some((_, feature)) = PROVIDERS.iter().find(|(known, _)| *known == prefix) {
            return Error::new(
                ErrorKind::FailedPrecondition,
                format!(
                    "`{name}` needs the feature `{feature}` of genkit: turn it on in Cargo.toml"
                ),
            );
        }
        let given = self.models.keys().map(String::as_str);
        let providers = self.providers.iter().map(|provider| provider.name());
        let known = PROVIDERS.iter().map(|(known, _)| *known);
        let unknown = suggest::unknown("model", prefix, given.chain(providers).chain(known));
        let stop = if unknown.ends_with('?') { "" } else { "." };
        let text = format!(
            "{unknown}{stop} A model of your own is given as a value, `.model(..)`, or found by its \
             name after `Genkit::builder().add_model(..)`"
        );
        Error::not_found(text).with_details(name.into())
    }
}

fn named_model(provider: &dyn Provider, name: &str) -> Result<Arc<dyn Model>> {
    if name.is_empty() {
        let provider = provider.name();
        return Err(Error::invalid_argument(format!(
            "`{provider}` is a provider: name a model too, as `{provider}/..`"
        )));
    }
    provider.model(name)
}

/// The providers of this library, and the feature that each comes with.
const PROVIDERS: [(&str, &str); 21] = [
    ("gemini", "gemini"),
    ("googleai", "gemini"),
    ("openai", "openai"),
    ("openrouter", "openai"),
    ("groq", "openai"),
    ("mistral", "openai"),
    ("deepseek", "openai"),
    ("xai", "openai"),
    ("gemini-openai", "openai"),
    ("together", "openai"),
    ("fireworks", "openai"),
    ("cerebras", "openai"),
    ("moonshot", "openai"),
    ("perplexity", "openai"),
    ("deepinfra", "openai"),
    ("nvidia", "openai"),
    ("huggingface", "openai"),
    ("ollama", "openai"),
    ("lmstudio", "openai"),
    ("vllm", "openai"),
    ("llamacpp", "openai"),
];

/// A provider of this library, from the environment, made once in a program; `None` if there is
/// no such provider. A failure is not kept: the key may be set later.
fn built_in(prefix: &str) -> Option<Result<Arc<dyn Provider>>> {
    static MADE: Mutex<Vec<(String, Arc<dyn Provider>)>> = Mutex::new(Vec::new());
    let mut made = lock(&MADE);
    if let Some((_, provider)) = made.iter().find(|(name, _)| name == prefix) {
        return Some(Ok(Arc::clone(provider)));
    }
    let provider = from_env(prefix)?;
    if let Ok(provider) = &provider {
        made.push((prefix.to_owned(), Arc::clone(provider)));
    }
    Some(provider)
}

/// One line for each provider.
fn from_env(prefix: &str) -> Option<Result<Arc<dyn Provider>>> {
    match prefix {
        #[cfg(feature = "gemini")]
        "gemini" | "googleai" => Some(super::Gemini::from_env().map(|made| Arc::new(made) as _)),
        #[cfg(feature = "openai")]
        server if super::OpenAi::knows(server) => {
            Some(super::OpenAi::server(server).map(|made| Arc::new(made) as _))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_model_is_told_how_to_be_given() {
        let told = |name: &str| Models::default().named(name).err().unwrap().to_string();
        let unknown = told("offline");
        assert!(unknown.starts_with("Unknown model: offline. There are: gemini, "), "{unknown}");
        assert!(unknown.ends_with("after `Genkit::builder().add_model(..)`"), "{unknown}");
        assert!(told("gemni/x").contains("Did you mean `gemini`? A model of your own"));
    }

    #[cfg(feature = "openai")]
    #[test]
    fn every_server_that_is_known_is_named() {
        let named = PROVIDERS.iter().filter(|(_, feature)| *feature == "openai");
        for (name, _) in named {
            assert!(crate::model::OpenAi::knows(name), "{name}");
        }
    }
}
