//! A map from types to values.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::sync::Arc;

use disqualified::ShortName;

use crate::bound_registry::InstanceRegistry;

/// A map with at most one value of each type. Cheap to clone.
#[derive(Clone, Default)]
pub struct TypeMap(Option<Arc<HashMap<TypeId, StoredValue>>>);

#[derive(Clone)]
struct StoredValue {
    value: Arc<dyn Any + Send + Sync>,
    type_name: &'static str,
}

impl TypeMap {
    /// Inserts a value, replacing a value of the same type.
    pub fn insert<T: Send + Sync + 'static>(&mut self, value: T) {
        let map = Arc::make_mut(self.0.get_or_insert_default());
        let value = StoredValue { value: Arc::new(value), type_name: std::any::type_name::<T>() };
        map.insert(TypeId::of::<T>(), value);
    }

    pub fn get<T: 'static>(&self) -> Option<&T> {
        self.0.as_ref()?.get(&TypeId::of::<T>())?.value.downcast_ref()
    }

    /// Returns the union of both maps. Values of `over` take precedence.
    pub fn with(&self, over: &Self) -> Self {
        let (Some(own), Some(over)) = (&self.0, &over.0) else {
            return if over.0.is_some() { over.clone() } else { self.clone() };
        };
        let both = own.iter().chain(&**over).map(|(id, value)| (*id, value.clone()));
        Self(Some(Arc::new(both.collect())))
    }

    pub fn is_empty(&self) -> bool {
        self.0.as_ref().is_none_or(|map| map.is_empty())
    }

    /// Returns the name of a type in the map that could have been confused with the type `name`: a type that wraps it
    /// (such as `Arc<Db>` for `Db`), a type that it wraps, or a type with the same name in another module or version.
    pub(crate) fn related_type(&self, name: &str) -> Option<&'static str> {
        let wraps = |outer: &str, inner: &str| outer.contains(&format!("<{inner}>"));
        let mut names = self.0.iter().flat_map(|map| map.values()).map(|value| value.type_name);
        let is_namesake = |given| ShortName(given).to_string() == ShortName(name).to_string();
        names.find(|given| wraps(given, name) || wraps(name, given) || is_namesake(given))
    }

    /// Returns whether these are the states of a `Genkit` instance.
    pub(crate) fn has_instance(&self) -> bool {
        self.get::<InstanceRegistry>().is_some()
    }

    pub(crate) fn contains_type(&self, id: TypeId) -> bool {
        self.0.as_ref().is_some_and(|map| map.contains_key(&id))
    }
}
