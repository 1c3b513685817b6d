//! Checks of JSON against schemas that were written by hand.

use serde_json::Value;

#[cfg(feature = "validation")]
use super::error::Error as E;
use super::strictness::Strictness;
#[cfg(feature = "validation")]
use crate::error::Error;
use crate::error::Result;

/// How many violations one message names: enough to mend a call, no more.
#[cfg(feature = "validation")]
const MAX_VIOLATIONS: usize = 5;

/// A compiled schema, or why there is none.
pub(crate) struct Checker {
    #[cfg(feature = "validation")]
    validator: std::result::Result<jsonschema::Validator, String>,
}

#[cfg(feature = "validation")]
impl Checker {
    pub(crate) fn new(schema: &Value) -> Self {
        Self { validator: jsonschema::validator_for(schema).map_err(|e| e.to_string()) }
    }

    /// The arguments if they fit; strings that hold JSON are read once more where they do not.
    pub(crate) fn arguments(&self, mut arguments: Value, how: Strictness) -> Result<Value> {
        if arguments.is_null() {
            arguments = Value::Object(serde_json::Map::new());
        }
        let validator = self.validator()?;
        if how != Strictness::Exact && !validator.is_valid(&arguments) {
            let paths: Vec<String> = validator
                .iter_errors(&arguments)
                .map(|error| error.instance_path().to_string())
                .collect();
            for path in paths {
                let reread = arguments
                    .pointer(&path)
                    .and_then(Value::as_str)
                    .and_then(|text| serde_json::from_str::<Value>(text).ok());
                if let (Some(value), Some(place)) = (reread, arguments.pointer_mut(&path)) {
                    *place = value;
                }
            }
        }
        match self.violations(&arguments)? {
            None => Ok(arguments),
            Some(violations) => Err(Error::invalid_arguments(violations)),
        }
    }

    pub(crate) fn result(&self, value: Option<&Value>) -> Result<()> {
        match self.violations(value.unwrap_or(&Value::Null))? {
            None => Ok(()),
            Some(violations) => Err(E::Result(violations).into()),
        }
    }

    /// Whether the schema itself can be read.
    pub(crate) fn is_usable(&self) -> bool {
        self.validator.is_ok()
    }

    fn validator(&self) -> Result<&jsonschema::Validator> {
        self.validator.as_ref().map_err(|reason| E::InvalidSchema(reason.clone()).into())
    }

    fn violations(&self, value: &Value) -> Result<Option<String>> {
        let violations: Vec<String> = self
            .validator()?
            .iter_errors(value)
            .take(MAX_VIOLATIONS)
            .map(|error| match error.instance_path().to_string().as_str() {
                "" => error.to_string(),
                path => format!("at `{}`: {error}", path.trim_start_matches('/').replace('/', ".")),
            })
            .collect();
        Ok((!violations.is_empty()).then(|| violations.join("; ")))
    }
}

/// Without the feature `validation` a hand-written schema only informs; this is logged once.
#[cfg(not(feature = "validation"))]
impl Checker {
    pub(crate) fn new(_: &Value) -> Self {
        static LOGGED: std::sync::Once = std::sync::Once::new();
        LOGGED.call_once(|| {
            tracing::warn!(
                "a tool has a schema written by hand, and arguments are not checked against it: \
                 turn on the feature `validation` of genkit, or check them in the handler"
            );
        });
        Self {}
    }

    pub(crate) fn arguments(&self, arguments: Value, _: Strictness) -> Result<Value> {
        Ok(arguments)
    }

    pub(crate) fn result(&self, _: Option<&Value>) -> Result<()> {
        Ok(())
    }

    pub(crate) fn is_usable(&self) -> bool {
        true
    }
}
