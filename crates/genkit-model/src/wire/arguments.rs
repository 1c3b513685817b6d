//! The arguments of a tool call as a JSON object, which APIs require even if a history holds
//! another value.

use serde::Serialize;
use serde_json::{Map, Value};

#[derive(Serialize)]
#[serde(untagged)]
pub enum ArgumentsObject<'a> {
    Object(&'a Map<String, Value>),
    None {},
    Other { input: &'a Value },
}

impl<'a> ArgumentsObject<'a> {
    pub fn from_input(input: &'a Value) -> Self {
        match input {
            Value::Object(input) => Self::Object(input),
            Value::Null => Self::None {},
            input => Self::Other { input },
        }
    }
}
