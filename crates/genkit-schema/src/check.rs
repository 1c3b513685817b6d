//! The checker of a schema, which is available in every build.

use std::sync::Arc;

use serde_json::Value;

use super::bounds::{Bounds, Mismatch, Shape};

/// A checker of values against one schema.
pub(super) enum Checker {
    /// The schema has no constraints.
    Nothing,
    Bounds(Arc<Bounds>),
    /// The schema cannot be checked, for this reason.
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

    /// Parses strings in `value` that do not match the schema and contain JSON.
    pub(super) fn retry_parse(&self, value: &mut Value) {
        if let Self::Bounds(bounds) = self {
            bounds.retry_parse(value);
        }
    }

    /// Checks `value` against the schema.
    pub(super) fn check(&self, value: &Value) -> Result<(), String> {
        match self {
            Self::Nothing => Ok(()),
            Self::Bounds(bounds) => bounds.check(value),
            Self::Unusable(why) => Err(why.clone()),
        }
    }

    /// Checks `value` against the schema of another program. Accepts values that cannot be checked here, because that
    /// program checks them.
    pub(super) fn check_foreign(&self, value: &Value) -> Result<(), String> {
        let Self::Bounds(bounds) = self else { return Ok(()) };
        match bounds.check_value(value) {
            Ok(()) => Ok(()),
            Err(Mismatch::Broken(why)) => Err(why),
            Err(Mismatch::TooMuch) => {
                tracing::warn!(
                    "arguments are sent to their server without validation, because they are too large or the schema \
                     is too costly"
                );
                Ok(())
            }
        }
    }
}
