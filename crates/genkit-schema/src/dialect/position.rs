//! The keywords of JSON Schema that contain schemas.

/// The kind of value that a keyword takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Position {
    /// One schema, or a boolean.
    Schema,
    /// A list of schemas.
    List,
    /// Schemas by name.
    Named,
    /// No schema.
    Data,
}

impl Position {
    /// Returns the kind of the value of `keyword` in JSON Schema 2020-12.
    pub fn of_keyword(keyword: &str) -> Self {
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
            | "else" => Self::Schema,
            "anyOf" | "oneOf" | "allOf" | "prefixItems" => Self::List,
            "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas" => {
                Self::Named
            }
            _ => Self::Data,
        }
    }
}
