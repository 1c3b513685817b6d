//! A field of a form: the keywords that MCP supports for each kind of field, and their valid values.

use serde_json::{Map, Value};

/// A keyword, and the kind of value that it takes.
type Keyword = (&'static str, Takes);

#[derive(Clone, Copy)]
enum Takes {
    Text,
    Length,
    Format,
    Number,
    Integer,
    Truth,
    Texts,
    Choices,
    Items,
}

const FORMATS: [&str; 4] = ["email", "uri", "date", "date-time"];

const TEXT: &[Keyword] = &[
    ("minLength", Takes::Length),
    ("maxLength", Takes::Length),
    ("format", Takes::Format),
    ("default", Takes::Text),
];
const NUMBER: &[Keyword] =
    &[("minimum", Takes::Number), ("maximum", Takes::Number), ("default", Takes::Number)];
const INTEGER: &[Keyword] =
    &[("minimum", Takes::Integer), ("maximum", Takes::Integer), ("default", Takes::Integer)];
const BOOLEAN: &[Keyword] = &[("default", Takes::Truth)];
const NAMES: &[Keyword] =
    &[("enum", Takes::Texts), ("enumNames", Takes::Texts), ("default", Takes::Text)];
const TITLED: &[Keyword] = &[("oneOf", Takes::Choices), ("default", Takes::Text)];
const LIST: &[Keyword] = &[
    ("minItems", Takes::Length),
    ("maxItems", Takes::Length),
    ("items", Takes::Items),
    ("default", Takes::Texts),
];

/// The reason why a form cannot show a field.
#[derive(Debug)]
pub(super) enum FieldError {
    /// The field is not a plain value.
    Kind,
    /// The name of a keyword with an invalid value, and a description of valid values.
    Keyword(&'static str, &'static str),
}

/// Returns the field as sent to clients, without keywords that MCP does not support.
pub(super) fn form_field(field: &Value) -> Result<Value, FieldError> {
    let kind = field.get("type").and_then(Value::as_str).ok_or(FieldError::Kind)?;
    let keywords = match kind {
        "string" if field.get("enum").is_some() => NAMES,
        "string" if field.get("oneOf").is_some() => TITLED,
        "string" => TEXT,
        "number" => NUMBER,
        "integer" => INTEGER,
        "boolean" => BOOLEAN,
        "array" if is_choice(&field["items"]) => LIST,
        _ => return Err(FieldError::Kind),
    };
    let mut shown = Map::new();
    shown.insert("type".to_owned(), Value::from(kind));
    let titles = [("title", Takes::Text), ("description", Takes::Text)];
    for (keyword, takes) in titles.iter().chain(keywords) {
        let Some(value) = field.get(*keyword).filter(|value| !value.is_null()) else { continue };
        let value = takes.valid_value(value);
        let value = value.ok_or(FieldError::Keyword(keyword, takes.type_words()))?;
        shown.insert((*keyword).to_owned(), value);
    }
    Ok(Value::Object(shown))
}

impl Takes {
    fn valid_value(self, value: &Value) -> Option<Value> {
        let fits = match self {
            Self::Text => value.is_string(),
            Self::Length => value.as_u64().is_some_and(|length| u32::try_from(length).is_ok()),
            Self::Format => value.as_str().is_some_and(|format| FORMATS.contains(&format)),
            Self::Number => value.is_number(),
            Self::Integer => value.is_i64(),
            Self::Truth => value.is_boolean(),
            Self::Texts => value.as_array().is_some_and(|all| all.iter().all(Value::is_string)),
            Self::Choices => return list_choices(value),
            Self::Items => return item_choices(value),
        };
        fits.then(|| value.clone())
    }

    fn type_words(self) -> &'static str {
        match self {
            Self::Text => "a string",
            Self::Length => "an integer from 0 to 4294967295",
            Self::Format => "one of `email`, `uri`, `date` and `date-time`",
            Self::Number => "a number",
            Self::Integer => "a 64-bit integer",
            Self::Truth => "`true` or `false`",
            Self::Texts => "a list of strings",
            Self::Choices => "a list of choices with a `const` and a `title`, as strings",
            Self::Items => "a string with an `enum`, or an `anyOf` of choices with a `title`",
        }
    }
}

/// Returns the choices with only their `const` and `title`.
fn list_choices(value: &Value) -> Option<Value> {
    let choice = |choice: &Value| {
        let mut shown = Map::new();
        for key in ["const", "title"] {
            shown.insert(key.to_owned(), choice.get(key)?.as_str()?.into());
        }
        Some(Value::Object(shown))
    };
    value.as_array()?.iter().map(choice).collect::<Option<Vec<_>>>().map(Value::Array)
}

/// Returns whether the items of a list are choices.
fn is_choice(items: &Value) -> bool {
    ["enum", "anyOf", "oneOf"].iter().any(|keyword| items.get(keyword).is_some())
}

/// Returns the items of a field with multiple choices.
fn item_choices(value: &Value) -> Option<Value> {
    let mut shown = Map::new();
    if let Some(texts) = value.get("enum") {
        shown
            .insert("type".to_owned(), value.get("type").filter(|kind| *kind == "string")?.clone());
        shown.insert("enum".to_owned(), Takes::Texts.valid_value(texts)?);
    } else {
        let titled = value.get("anyOf").or_else(|| value.get("oneOf"))?;
        shown.insert("anyOf".to_owned(), list_choices(titled)?);
    }
    Some(Value::Object(shown))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_kind_is_shown_with_the_keywords_that_it_has_and_no_others() {
        for (given, shown) in [
            (
                json!({"type": "string", "title": "A", "minLength": 1, "pattern": "a", "format": "email"}),
                json!({"type": "string", "title": "A", "minLength": 1, "format": "email"}),
            ),
            (
                json!({"type": "integer", "minimum": -1, "maximum": null, "multipleOf": 2, "default": 3}),
                json!({"type": "integer", "minimum": -1, "default": 3}),
            ),
            (json!({"type": "number", "maximum": 1.5}), json!({"type": "number", "maximum": 1.5})),
            (
                json!({"type": "boolean", "default": true}),
                json!({"type": "boolean", "default": true}),
            ),
            (
                json!({"type": "string", "enum": ["a"], "maxLength": 3}),
                json!({"type": "string", "enum": ["a"]}),
            ),
            (
                json!({"type": "string", "oneOf": [{"const": "a", "title": "A", "description": "x"}]}),
                json!({"type": "string", "oneOf": [{"const": "a", "title": "A"}]}),
            ),
            (
                json!({"type": "array", "items": {"type": "string", "enum": ["a"]}, "maxItems": 2, "uniqueItems": true}),
                json!({"type": "array", "maxItems": 2, "items": {"type": "string", "enum": ["a"]}}),
            ),
            (
                json!({"type": "array", "items": {"oneOf": [{"const": "a", "title": "A"}]}}),
                json!({"type": "array", "items": {"anyOf": [{"const": "a", "title": "A"}]}}),
            ),
        ] {
            assert_eq!(form_field(&given).expect("a field of a form"), shown, "{given}");
        }
    }

    #[test]
    fn nested_field_is_rejected() {
        for given in [
            json!({}),
            json!({"type": "object"}),
            json!({"type": ["string", "null"]}),
            json!({"type": "array", "items": {"type": "string"}}),
        ] {
            assert!(matches!(form_field(&given), Err(FieldError::Kind)), "{given}");
        }
    }

    #[test]
    fn invalid_keyword_value_is_rejected_by_keyword() {
        for (given, keyword) in [
            (json!({"type": "string", "title": 1}), "title"),
            (json!({"type": "string", "minLength": -1}), "minLength"),
            (json!({"type": "string", "maxLength": 4_294_967_296_u64}), "maxLength"),
            (json!({"type": "string", "format": "uuid"}), "format"),
            (json!({"type": "string", "enum": ["a", 1]}), "enum"),
            (json!({"type": "string", "oneOf": [{"const": "a"}]}), "oneOf"),
            (json!({"type": "integer", "minimum": 1.5}), "minimum"),
            (json!({"type": "number", "default": "1"}), "default"),
            (json!({"type": "boolean", "default": 0}), "default"),
            (json!({"type": "array", "items": {"type": "integer", "enum": [1]}}), "items"),
            (
                json!({"type": "array", "items": {"type": "string", "enum": ["a"]}, "default": [1]}),
                "default",
            ),
        ] {
            let Err(FieldError::Keyword(named, takes)) = form_field(&given) else {
                panic!("{given} is accepted")
            };
            assert_eq!(named, keyword, "{given}");
            assert!(!takes.is_empty());
        }
    }
}
