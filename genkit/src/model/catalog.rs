//! The catalog: from a model's name to the model.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use super::error::Error as E;
use super::provider::BuiltInProvider;
use super::{gemini, openai};
use crate::error::Result;
use crate::model::{Model, Offline, Provider};
use crate::suggest;
use crate::sync::lock;

/// A model by its name, `"provider/model"`, or as a value.
///
/// ```
/// use genkit::model::{ModelRef, Offline};
///
/// let named = ModelRef::from("gemini/gemini-2.5-flash");
/// let given = ModelRef::from(Offline::new());
/// assert_eq!((named.name(), given.name()), ("gemini/gemini-2.5-flash", "offline"));
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
            _ => Err(E::NoModelNamed.into()),
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
        if name == Offline::NAME {
            return Ok(Arc::new(Offline::new()));
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
        let known = PROVIDERS.iter().flat_map(|provider| provider.prefixes.iter().copied());
        let names = given.chain(providers).chain(known).chain([Offline::NAME]);
        E::UnknownModel { name, message: suggest::unknown("model", prefix, names) }
    }
}

fn named_model(provider: &dyn Provider, name: &str) -> Result<Arc<dyn Model>> {
    if name.is_empty() {
        return Err(E::OnlyProvider(provider.name().to_owned()).into());
    }
    provider.model(name)
}

/// The providers of this library: one line for each.
const PROVIDERS: &[BuiltInProvider] = &[gemini::PROVIDER, openai::PROVIDER];

fn built_in(prefix: &str) -> Option<&'static BuiltInProvider> {
    PROVIDERS.iter().find(|provider| provider.prefixes.contains(&prefix))
}

/// A provider of this library from the environment, made once in a program. A failure is not cached: the key may be
/// set later.
fn once(
    prefix: &str,
    from_env: fn(&str) -> Result<Arc<dyn Provider>>,
) -> Result<Arc<dyn Provider>> {
    static MADE: Mutex<Vec<(String, Arc<dyn Provider>)>> = Mutex::new(Vec::new());
    let mut made = lock(&MADE);
    if let Some((_, provider)) = made.iter().find(|(name, _)| name == prefix) {
        return Ok(Arc::clone(provider));
    }
    let provider = from_env(prefix)?;
    made.push((prefix.to_owned(), Arc::clone(&provider)));
    Ok(provider)
}
