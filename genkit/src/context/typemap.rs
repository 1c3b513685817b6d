//! Values by their type.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::sync::Arc;

/// At most one value of each type; cheap to clone.
#[derive(Clone, Default)]
pub(crate) struct TypeMap(Option<Arc<HashMap<TypeId, Arc<dyn Any + Send + Sync>>>>);

impl TypeMap {
    /// Puts a value in; one of the same type is replaced.
    pub(crate) fn insert<T: Send + Sync + 'static>(&mut self, value: T) {
        let map = Arc::make_mut(self.0.get_or_insert_default());
        map.insert(TypeId::of::<T>(), Arc::new(value));
    }

    pub(crate) fn get<T: 'static>(&self) -> Option<&T> {
        self.0.as_ref()?.get(&TypeId::of::<T>())?.downcast_ref()
    }

    pub(crate) fn contains(&self, id: TypeId) -> bool {
        self.0.as_ref().is_some_and(|map| map.contains_key(&id))
    }
}
