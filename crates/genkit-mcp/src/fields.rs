//! Reads the fields of parameters by name.

use std::fmt;

use genkit_core::internal::bounded_json::{BoundedValue, ValueBudget};
use rmcp::model::{InputResponses, RequestMetaObject};
use serde::de::{self, Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::{Map, Value};

/// The fields of the parameters of all methods, and of the objects in [`OBJECTS`]. All others are skipped.
const NAMES: [&str; 26] = [
    "_meta",
    "argument",
    "arguments",
    "capabilities",
    "clientInfo",
    "context",
    "cursor",
    "inputResponses",
    "level",
    "name",
    "notifications",
    "promptsListChanged",
    "protocolVersion",
    "reason",
    "ref",
    "requestId",
    "requestState",
    "resourceSubscriptions",
    "resourcesListChanged",
    "taskId",
    "taskIds",
    "title",
    "toolsListChanged",
    "type",
    "uri",
    "value",
];

/// The fields that are objects with fields from [`NAMES`].
const OBJECTS: [&str; 4] = ["argument", "context", "notifications", "ref"];

/// An object whose fields can be taken by name.
pub struct Fields(Map<String, Value>);

impl Fields {
    /// Parses an object. Returns `None` if the text is not an object or has a duplicate field.
    pub fn parse_object(raw: &str) -> Option<Self> {
        serde_json::from_str(raw).ok()
    }

    /// Takes a field that is listed in [`OBJECTS`].
    pub fn take_fields(&mut self, name: &str) -> Option<Self> {
        match self.0.swap_remove(name)? {
            Value::Object(members) => Some(Self(members)),
            _ => None,
        }
    }

    pub fn take_value(&mut self, name: &str) -> Option<Value> {
        self.0.swap_remove(name)
    }

    pub fn get_value(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }

    pub fn take_text(&mut self, name: &str) -> Option<String> {
        self.take_optional(name, |value| match value {
            Value::String(text) => Some(text),
            _ => None,
        })?
    }

    /// Takes a string. The outer `None` means a wrong type, and the inner `None` a missing or `null` field.
    pub fn optional_text(&mut self, name: &str) -> Option<Option<String>> {
        self.take_optional(name, |value| match value {
            Value::String(text) => Some(text),
            _ => None,
        })
    }

    pub fn take_object(&mut self, name: &str) -> Option<Option<Map<String, Value>>> {
        self.take_optional(name, |value| match value {
            Value::Object(members) => Some(members),
            _ => None,
        })
    }

    pub fn take_bool(&mut self, name: &str) -> Option<Option<bool>> {
        self.take_optional(name, |value| value.as_bool())
    }

    pub fn take_texts(&mut self, name: &str) -> Option<Option<Vec<String>>> {
        self.take_optional(name, |value| {
            let texts = value.as_array()?.iter().map(|text| text.as_str().map(str::to_owned));
            texts.collect()
        })
    }

    pub fn take_meta(&mut self) -> Option<RequestMetaObject> {
        Some(self.take_object("_meta")?.map(RequestMetaObject::from).unwrap_or_default())
    }

    /// Takes the answers to the questions of an earlier result.
    pub fn take_responses(&mut self) -> Option<Option<InputResponses>> {
        let Some(given) = self.take_object("inputResponses")? else { return Some(None) };
        let mut responses = InputResponses::new();
        for (key, answer) in given {
            responses.insert(key, answer);
        }
        Some(Some(responses))
    }

    /// Takes the answers to the questions of an earlier round, and the state of that round.
    pub fn take_rounds(&mut self) -> Option<(Option<InputResponses>, Option<String>)> {
        Some((self.take_responses()?, self.optional_text("requestState")?))
    }

    fn take_optional<T>(&mut self, name: &str, read: fn(Value) -> Option<T>) -> Option<Option<T>> {
        match self.0.swap_remove(name) {
            None | Some(Value::Null) => Some(None),
            Some(value) => read(value).map(Some),
        }
    }
}

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;

        impl<'de> Visitor<'de> for Members {
            type Value = Fields;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Fields, A::Error> {
                let mut read = Map::new();
                while let Some(name) = members.next_key::<String>()? {
                    if !NAMES.contains(&name.as_str()) {
                        members.next_value::<IgnoredAny>()?;
                        continue;
                    }
                    let value = if OBJECTS.contains(&name.as_str()) {
                        members
                            .next_value::<Option<Fields>>()?
                            .map_or(Value::Null, |it| it.0.into())
                    } else {
                        members.next_value_seed(BoundedValue(&ValueBudget::default()))?
                    };
                    if read.insert(name, value).is_some() {
                        return Err(de::Error::custom("duplicate member"));
                    }
                }
                Ok(Fields(read))
            }
        }
        deserializer.deserialize_map(Members)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn duplicate_member_is_rejected_in_params_too() {
        for twice in [
            r#"{"uri": "a", "uri": "a"}"#,
            r#"{"ref": {"type": "ref/prompt", "name": "a", "name": "b"}}"#,
            r#"{"argument": {"name": "a", "value": "b", "value": "c"}}"#,
            r#"{"context": {"arguments": {}, "arguments": {}}}"#,
            r#"{"notifications": {"toolsListChanged": true, "toolsListChanged": false}}"#,
            r#"{"notifications": []}"#,
            "[]",
        ] {
            assert!(Fields::parse_object(twice).is_none(), "{twice}");
        }
        let once =
            r#"{"ref": {"type": "ref/prompt", "x": 1, "x": 2}, "context": null, "y": 1, "y": 2}"#;
        let mut once = Fields::parse_object(once).expect("unused duplicates are allowed");
        assert!(once.take_object("context").is_some_and(|context| context.is_none()));
        let mut of = once.take_fields("ref").expect("an object");
        assert_eq!(of.take_text("type").as_deref(), Some("ref/prompt"));
        assert!(of.take_value("x").is_none());
    }
}
