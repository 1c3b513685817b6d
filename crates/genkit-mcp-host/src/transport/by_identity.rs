//! Closures and stores that are compared by identity.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// A shared value that is equal only to itself.
pub(crate) struct ByIdentity<T: ?Sized>(pub(crate) Arc<T>);

impl<T: ?Sized> Clone for ByIdentity<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T: ?Sized> PartialEq for ByIdentity<T> {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl<T: ?Sized> fmt::Debug for ByIdentity<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("..")
    }
}

impl<T: ?Sized> Deref for ByIdentity<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}
