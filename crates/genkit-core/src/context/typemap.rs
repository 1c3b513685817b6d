//! A map of values by their type.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::sync::Arc;

/// A map with at most one value of each type. Cheap to clone.
#[derive(Clone, Default)]
pub struct TypeMap(Option<Arc<HashMap<TypeId, Arc<dyn Any + Send + Sync>>>>);

impl TypeMap {
    /// Inserts a value, replacing one of the same type.
    pub fn insert<T: Send + Sync + 'static>(&mut self, value: T) {
        let map = Arc::make_mut(self.0.get_or_insert_default());
        map.insert(TypeId::of::<T>(), Arc::new(value));
    }

    pub fn get<T: 'static>(&self) -> Option<&T> {
        self.0.as_ref()?.get(&TypeId::of::<T>())?.downcast_ref()
    }

    /// Returns the union of both maps. Values of `over` take precedence.
    pub fn with(&self, over: &Self) -> Self {
        let (Some(own), Some(over)) = (&self.0, &over.0) else {
            return if over.0.is_some() { over.clone() } else { self.clone() };
        };
        let both = own.iter().chain(&**over).map(|(id, value)| (*id, Arc::clone(value)));
        Self(Some(Arc::new(both.collect())))
    }

    pub fn is_empty(&self) -> bool {
        self.0.as_ref().is_none_or(|map| map.is_empty())
    }

    pub(crate) fn contains_type(&self, id: TypeId) -> bool {
        self.0.as_ref().is_some_and(|map| map.contains_key(&id))
    }
}
