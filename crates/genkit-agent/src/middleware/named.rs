//! Named middleware, which prompts and plain-data requests refer to by name.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::Middleware;
use genkit_core::Result;
use genkit_core::internal::generate::error::Error as E;

type Make = Arc<dyn Fn(Option<Value>) -> Result<Arc<dyn Middleware>> + Send + Sync>;

/// Middleware constructors, by name.
#[derive(Clone, Default)]
pub struct NamedMiddleware(Arc<BTreeMap<String, Make>>);

impl NamedMiddleware {
    /// Adds middleware that takes no settings.
    pub(crate) fn add(&mut self, name: String, middleware: Arc<dyn Middleware>) {
        let of = name.clone();
        self.insert_constructor(name, move |config| match config {
            None | Some(Value::Null) => Ok(Arc::clone(&middleware)),
            Some(_) => Err(E::MiddlewareTakesNoConfig(of.clone()).into()),
        });
    }

    /// Adds middleware that is created from the `config` of the reference to it.
    pub(crate) fn add_configured<C, M>(
        &mut self,
        name: String,
        make: impl Fn(C) -> Result<M> + Send + Sync + 'static,
    ) where
        C: DeserializeOwned,
        M: Middleware,
    {
        let of = name.clone();
        self.insert_constructor(name, move |config| {
            // A reference without settings is treated as a reference with empty settings.
            let config = config.unwrap_or_else(|| Value::Object(serde_json::Map::new()));
            let config = C::deserialize(config)
                .map_err(|why| E::MiddlewareConfig { name: of.clone(), why: why.to_string() })?;
            Ok(Arc::new(make(config)?) as Arc<dyn Middleware>)
        });
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    fn insert_constructor(
        &mut self,
        name: String,
        make: impl Fn(Option<Value>) -> Result<Arc<dyn Middleware>> + Send + Sync + 'static,
    ) {
        Arc::make_mut(&mut self.0).insert(name, Arc::new(make));
    }

    /// Resolves `reference`: a name, or `{"name": .., "config": ..}`.
    pub(crate) fn find_by_reference(&self, reference: &Value) -> Result<Arc<dyn Middleware>> {
        let named = reference.as_object().and_then(|object| object.get("name"));
        let Some(name) = named.unwrap_or(reference).as_str() else {
            return Err(E::MiddlewareShape(reference.clone()).into());
        };
        let unknown = || {
            let known = self.0.keys().map(String::as_str);
            E::UnknownMiddleware(genkit_core::internal::suggest::unknown_name(
                "middleware",
                name,
                known,
            ))
        };
        let make = self.0.get(name).ok_or_else(unknown)?;
        make(reference.get("config").cloned())
    }
}
