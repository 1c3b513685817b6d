//! The treatment of each keyword.

/// The treatment of a keyword.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Class {
    /// Describes the value. Copied unchanged, and placed outside if a schema is wrapped.
    Annotation,
    /// Constrains the value. Copied unchanged.
    Assertion,
    /// Contains one schema.
    Schema,
    /// Contains schemas by name.
    Schemas,
    /// Has its own rule.
    Ruled,
    /// Has no meaning after references are inlined. Dropped.
    Scaffold,
    /// Is not in both drafts. Dropped with a note.
    Newer,
    /// Is in neither draft. Dropped with a note.
    Unknown,
}

/// Returns the class of a keyword.
pub(super) fn keyword_class(keyword: &str) -> Class {
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

/// Returns whether a keyword is defined by JSON Schema.
pub(crate) fn is_known_keyword(keyword: &str) -> bool {
    keyword_class(keyword) != Class::Unknown && !keyword.starts_with("x-")
}

/// Returns whether a `format` is in draft 7, in draft 2020-12 and in ajv-formats.
///
/// ajv-formats lacks the internationalized formats. `uuid` and `duration` are too new; `uint32` and `double` are
/// specific to schemars.
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

/// Returns the type of value that a keyword applies to, or `None` if it applies to all.
pub(crate) fn applicable_type(keyword: &str) -> Option<&'static str> {
    match keyword {
        "multipleOf" | "maximum" | "exclusiveMaximum" | "minimum" | "exclusiveMinimum" => {
            Some("number")
        }
        "maxLength" | "minLength" | "pattern" | "format" | "contentEncoding"
        | "contentMediaType" => Some("string"),
        "maxItems" | "minItems" | "uniqueItems" | "items" | "prefixItems" | "unevaluatedItems"
        | "contains" | "minContains" | "maxContains" => Some("array"),
        "maxProperties"
        | "minProperties"
        | "properties"
        | "patternProperties"
        | "required"
        | "additionalProperties"
        | "unevaluatedProperties"
        | "dependentRequired"
        | "dependentSchemas"
        | "propertyNames" => Some("object"),
        _ => None,
    }
}
