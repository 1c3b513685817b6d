//! The keywords of JSON Schema that contain schemas.

/// The kind of a keyword's value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum KeywordValue {
    /// One schema, or a boolean instead.
    Schema,
    /// A list of schemas.
    List,
    /// Schemas by name.
    Named,
    /// Anything else.
    Data,
}

pub(super) fn keyword_value(keyword: &str) -> KeywordValue {
    match keyword {
        "items"
        | "additionalProperties"
        | "unevaluatedProperties"
        | "unevaluatedItems"
        | "contains"
        | "propertyNames"
        | "contentSchema"
        | "not"
        | "if"
        | "then"
        | "else" => KeywordValue::Schema,
        "anyOf" | "oneOf" | "allOf" | "prefixItems" => KeywordValue::List,
        "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas" => {
            KeywordValue::Named
        }
        _ => KeywordValue::Data,
    }
}
