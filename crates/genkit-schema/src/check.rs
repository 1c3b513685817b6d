//! The checker of a schema: what it asserts is checked in every build.

use std::sync::Arc;

use serde_json::Value;

use super::bounds::{Bounds, Misfit, Shape};

/// What checks values against one schema.
pub(super) enum Checker {
    /// It asserts nothing.
    Nothing,
    Bounds(Arc<Bounds>),
    /// Why it cannot be checked.
    Unusable(String),
}

impl Checker {
    pub(super) fn new(schema: &Value, shape: Shape) -> Self {
        match Bounds::compile(schema, shape) {
            Ok(None) => Self::Nothing,
            Ok(Some(bounds)) => Self::Bounds(Arc::new(bounds)),
            Err(why) => Self::Unusable(why.to_string()),
        }
    }

    /// Reads the strings of `value` once more that do not fit, and hold JSON.
    pub(super) fn reread(&self, value: &mut Value) {
        if let Self::Bounds(bounds) = self {
            bounds.reread(value);
        }
    }

    /// What of `value` breaks the schema.
    pub(super) fn check(&self, value: &Value) -> Result<(), String> {
        match self {
            Self::Nothing => Ok(()),
            Self::Bounds(bounds) => bounds.check(value),
            Self::Unusable(why) => Err(why.clone()),
        }
    }

    /// The same for the schema of another program, which judges itself what cannot be checked here.
    pub(super) fn check_foreign(&self, value: &Value) -> Result<(), String> {
        let Self::Bounds(bounds) = self else { return Ok(()) };
        match bounds.verdict(value) {
            Ok(()) => Ok(()),
            Err(Misfit::Broken(why)) => Err(why),
            Err(Misfit::TooMuch) => {
                tracing::warn!(
                    "arguments go to their server unchecked: they are too large, or its schema too costly, to be \
                     checked here in time"
                );
                Ok(())
            }
        }
    }
}
