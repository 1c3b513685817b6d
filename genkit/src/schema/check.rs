//! The checker of a schema: what it asserts is checked in every build.

use std::sync::Arc;

use serde_json::Value;

use super::bounds::{Bounds, Shape};
use super::error::Error as E;

/// What checks values against one schema.
pub(super) enum Checker {
    /// It asserts nothing.
    Nothing,
    Bounds(Arc<Bounds>),
    /// It has keywords that only a complete validator knows.
    #[cfg(feature = "validation")]
    Complete(Box<jsonschema::Validator>),
    /// Why it cannot be checked.
    Unusable(String),
}

impl Checker {
    pub(super) fn new(schema: &Value, shape: Shape) -> Self {
        match Bounds::compile(schema, shape) {
            Ok(None) => Self::Nothing,
            Ok(Some(bounds)) => Self::Bounds(Arc::new(bounds)),
            Err(why) => Self::complete(schema, shape, &why),
        }
    }

    #[cfg(feature = "validation")]
    fn complete(schema: &Value, shape: Shape, why: &E) -> Self {
        let is_written = shape == Shape::Written;
        match is_written.then(|| jsonschema::validator_for(schema)) {
            Some(Ok(validator)) => Self::Complete(Box::new(validator)),
            _ => Self::Unusable(why.to_string()),
        }
    }

    #[cfg(not(feature = "validation"))]
    fn complete(_: &Value, _: Shape, why: &E) -> Self {
        Self::Unusable(why.to_string())
    }

    /// Reads the strings of `value` once more that do not fit, and hold JSON.
    pub(super) fn reread(&self, value: &mut Value) {
        match self {
            Self::Bounds(bounds) => bounds.reread(value),
            #[cfg(feature = "validation")]
            Self::Complete(validator) => complete::reread(validator, value),
            Self::Nothing | Self::Unusable(_) => {}
        }
    }

    /// What of `value` breaks the schema.
    pub(super) fn check(&self, value: &Value) -> Result<(), String> {
        match self {
            Self::Nothing => Ok(()),
            Self::Bounds(bounds) => bounds.check(value),
            #[cfg(feature = "validation")]
            Self::Complete(validator) => complete::check(validator, value),
            Self::Unusable(why) => Err(why.clone()),
        }
    }
}

/// The complete validator.
#[cfg(feature = "validation")]
mod complete {
    use jsonschema::Validator;
    use serde_json::Value;

    /// How many violations one message names. Default is 5.
    const MAX_VIOLATIONS: usize = 5;

    pub(super) fn reread(validator: &Validator, value: &mut Value) {
        let errors = validator.iter_errors(value);
        let places: Vec<String> = errors.map(|error| error.instance_path().to_string()).collect();
        for place in places {
            let Some(place) = value.pointer_mut(&place) else { continue };
            if let Some(Ok(inner)) = place.as_str().map(serde_json::from_str) {
                *place = inner;
            }
        }
    }

    pub(super) fn check(validator: &Validator, value: &Value) -> Result<(), String> {
        let errors = validator.iter_errors(value).take(MAX_VIOLATIONS);
        let told = errors.map(|error| match error.instance_path().to_string().as_str() {
            "" => error.to_string(),
            path => format!("at `{}`: {error}", path.trim_start_matches('/').replace('/', ".")),
        });
        let told: Vec<String> = told.collect();
        if told.is_empty() { Ok(()) } else { Err(told.join("; ")) }
    }
}
