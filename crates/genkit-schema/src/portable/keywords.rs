//! What is done with each keyword.

/// How a keyword is carried over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Class {
    /// Is for the reader; copied as it is, and outside where a schema is wrapped.
    Annotation,
    /// Limits the value; copied as it is.
    Assertion,
    /// Holds one schema.
    Schema,
    /// Holds schemas by name.
    Schemas,
    /// Has a rule of its own.
    Ruled,
    /// Means nothing once references are inlined; dropped.
    Scaffold,
    /// Is not in both drafts; dropped with a note.
    Newer,
    /// Is in no draft; dropped with a note.
    Unknown,
}

/// The class of a keyword.
pub(super) fn class(keyword: &str) -> Class {
    match keyword {
        "title" | "description" | "default" | "examples" | "deprecated" | "readOnly"
        | "writeOnly" | "$comment" => Class::Annotation,
        "multipleOf" | "maximum" | "exclusiveMaximum" | "minimum" | "exclusiveMinimum"
        | "maxLength" | "minLength" | "pattern" | "maxItems" | "minItems" | "uniqueItems"
        | "maxProperties" | "minProperties" | "contentEncoding" | "contentMediaType" => {
            Class::Assertion
        }
        "contains" | "propertyNames" | "not" | "if" | "then" | "else" => Class::Schema,
        "patternProperties" => Class::Schemas,
        "type"
        | "enum"
        | "const"
        | "format"
        | "properties"
        | "required"
        | "additionalProperties"
        | "unevaluatedProperties"
        | "items"
        | "prefixItems"
        | "unevaluatedItems"
        | "allOf"
        | "anyOf"
        | "oneOf" => Class::Ruled,
        "$schema" | "$id" | "$vocabulary" | "$defs" | "definitions" | "$ref" => Class::Scaffold,
        "dependentRequired" | "dependentSchemas" | "dependencies" | "minContains"
        | "maxContains" | "contentSchema" | "$anchor" | "$dynamicAnchor" | "$dynamicRef"
        | "$recursiveAnchor" | "$recursiveRef" => Class::Newer,
        extension if extension.starts_with("x-") => Class::Annotation,
        _ => Class::Unknown,
    }
}

/// Whether a `format` is in draft 7, in draft 2020-12 and in ajv-formats.
///
/// The last leaves out the internationalised ones. `uuid` and `duration` are too new, `uint32` and `double` are
/// schemars' own.
pub(super) fn is_portable_format(format: &str) -> bool {
    matches!(
        format,
        "date-time"
            | "date"
            | "time"
            | "email"
            | "hostname"
            | "ipv4"
            | "ipv6"
            | "uri"
            | "uri-reference"
            | "uri-template"
            | "json-pointer"
            | "relative-json-pointer"
            | "regex"
    )
}

/// The type of value that a keyword applies to; `None` if to any.
pub(super) fn applies_to(keyword: &str) -> Option<&'static str> {
    match keyword {
        "multipleOf" | "maximum" | "exclusiveMaximum" | "minimum" | "exclusiveMinimum" => {
            Some("number")
        }
        "maxLength" | "minLength" | "pattern" | "format" | "contentEncoding"
        | "contentMediaType" => Some("string"),
        "maxItems" | "minItems" | "uniqueItems" | "items" | "contains" => Some("array"),
        "maxProperties"
        | "minProperties"
        | "properties"
        | "patternProperties"
        | "required"
        | "additionalProperties"
        | "propertyNames" => Some("object"),
        _ => None,
    }
}
