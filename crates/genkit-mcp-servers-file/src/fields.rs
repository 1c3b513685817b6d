//! Typed access to the values of an entry.

use serde_json::{Map, Value};

use crate::error::{Error, ErrorReason};
use crate::location::Location;
use crate::variables::{Variables, expand_variables};

/// The fields of one server's entry.
pub(crate) struct Fields<'a> {
    pub(crate) at: &'a Location<'a>,
    pub(crate) entry: Map<String, Value>,
    pub(crate) variables: &'a Variables<'a>,
}

impl Fields<'_> {
    /// Returns whether there is a value with this key.
    pub(crate) fn has_key(&self, key: &str) -> bool {
        self.find_value(key).is_some()
    }

    /// Returns a string with its variables expanded.
    pub(crate) fn read_text(&self, key: &str) -> Result<Option<String>, Error> {
        self.find_value(key)
            .map(|value| self.expand_value(&self.at.for_key(key), value))
            .transpose()
    }

    /// Returns an array of strings with their variables expanded.
    pub(crate) fn read_texts(&self, key: &str) -> Result<Vec<String>, Error> {
        let at = self.at.for_key(key);
        let values = self.read_array(&at, key)?.into_iter().flatten().enumerate();
        values.map(|(index, value)| self.expand_scalar(&at.index(index), value)).collect()
    }

    /// Returns an array of strings without expanding variables.
    pub(crate) fn read_strings(&self, key: &str) -> Result<Option<Vec<String>>, Error> {
        let at = self.at.for_key(key);
        let Some(values) = self.read_array(&at, key)? else { return Ok(None) };
        let string = |(index, value): (usize, &Value)| match value {
            Value::String(text) => Ok(text.clone()),
            other => Err(at.index(index).type_error("a string", other)),
        };
        values.iter().enumerate().map(string).collect::<Result<_, _>>().map(Some)
    }

    /// Returns an object of strings with their variables expanded; `null` values are omitted, as in VS Code.
    pub(crate) fn read_pairs(&self, key: &str) -> Result<Vec<(String, String)>, Error> {
        let at = self.at.for_key(key);
        let values = self.read_typed(&at, key, "an object of strings", Value::as_object)?;
        let present = values.into_iter().flatten().filter(|(_, value)| !value.is_null());
        present
            .map(|(name, value)| Ok((name.clone(), self.expand_scalar(&at.for_key(name), value)?)))
            .collect()
    }

    /// Returns a number above zero.
    pub(crate) fn read_number(&self, key: &str) -> Result<Option<f64>, Error> {
        let at = self.at.for_key(key);
        let number = self.read_typed(&at, key, "a number", Value::as_f64)?;
        match number.filter(|number| *number <= 0.0) {
            Some(_) => Err(at.error_at(ErrorReason::NotPositive)),
            None => Ok(number),
        }
    }

    fn find_value(&self, key: &str) -> Option<&Value> {
        self.entry.get(key).filter(|value| !value.is_null())
    }

    fn read_typed<'v, T>(
        &'v self,
        at: &Location<'_>,
        key: &str,
        expected: &'static str,
        read: impl FnOnce(&'v Value) -> Option<T>,
    ) -> Result<Option<T>, Error> {
        let Some(value) = self.find_value(key) else { return Ok(None) };
        read(value).map(Some).ok_or_else(|| at.type_error(expected, value))
    }

    fn read_array(&self, at: &Location<'_>, key: &str) -> Result<Option<&Vec<Value>>, Error> {
        self.read_typed(at, key, "an array of strings", Value::as_array)
    }

    /// Like [`expand_value`](Self::expand_value); numbers and booleans are converted to strings.
    fn expand_scalar(&self, at: &Location<'_>, value: &Value) -> Result<String, Error> {
        match value {
            Value::Number(_) | Value::Bool(_) => Ok(value.to_string()),
            other => self.expand_value(at, other),
        }
    }

    fn expand_value(&self, at: &Location<'_>, value: &Value) -> Result<String, Error> {
        match value {
            Value::String(text) => {
                expand_variables(text, self.variables).map_err(|reason| at.error_at(reason))
            }
            other => Err(at.type_error("a string", other)),
        }
    }
}
