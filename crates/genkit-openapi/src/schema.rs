//! Schemas of a document as self-contained JSON Schema 2020-12: definitions referenced by `$ref` are included as
//! `$defs`.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};

use crate::document::{ApiDocument, Checked, escape_text};
use crate::text::{safe_name, sanitize, unique_name};

/// The maximum size of the schemas of one operation, in bytes of JSON. Default is 128 KiB.
const MAX_SCHEMA: usize = 128 * 1024;

/// The maximum length of a description in a schema, in characters. Default is 1,000.
const MAX_DESCRIPTION_CHARS: usize = 1000;

/// The direction of a value. Properties that exist only in the other direction (requests or responses) are omitted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    Input,
    Output,
}

/// Converts the schemas of one operation.
pub(crate) struct Converter<'d> {
    document: &'d ApiDocument,
    side: Direction,
    /// The name in `$defs` for each `$ref`.
    names: HashMap<String, String>,
    taken: HashSet<String>,
    pending: Vec<(String, &'d Value)>,
    /// The definition that is being converted, if a `$recursiveRef` may refer to it.
    recursive: Option<String>,
    /// Notes about parts for which any value is accepted, with reasons.
    pub(crate) notes: Vec<String>,
    /// The size of the converted schemas, in bytes.
    pub(crate) cost: usize,
}

impl<'d> Converter<'d> {
    pub(crate) fn new(document: &'d ApiDocument, side: Direction) -> Self {
        Self {
            document,
            side,
            names: HashMap::new(),
            taken: HashSet::new(),
            pending: Vec::new(),
            recursive: None,
            notes: Vec::new(),
            cost: 0,
        }
    }

    /// Returns the definitions that have been referenced so far.
    pub(crate) fn definitions(&mut self) -> Checked<Map<String, Value>> {
        let mut definitions = Map::new();
        while let Some((name, schema)) = self.pending.pop() {
            let is_anchor = schema.get("$recursiveAnchor") == Some(&Value::Bool(true));
            self.recursive = is_anchor.then(|| name.clone());
            let converted = self.convert(schema)?;
            definitions.insert(name, converted);
        }
        Ok(definitions)
    }

    fn charge(&mut self, bytes: usize) -> Checked<()> {
        self.cost += bytes;
        if self.cost > MAX_SCHEMA {
            return Err(format!(
                "its schemas are larger than {MAX_SCHEMA} bytes; make them smaller in the document, or write a tool by hand"
            ));
        }
        Ok(())
    }

    pub(crate) fn convert(&mut self, schema: &'d Value) -> Checked<Value> {
        let members = match schema {
            Value::Bool(_) => return Ok(schema.clone()),
            Value::Object(members) => members,
            // The repair of the whole schema reports values that are not schemas.
            other => {
                self.charge(other.to_string().len())?;
                return Ok(other.clone());
            }
        };
        self.charge(4)?;
        let mut converted = Map::new();
        let is_reference = members.contains_key("$ref");
        for (keyword, value) in members {
            // In 3.0, siblings of a `$ref` have no effect; its description and title are harmless.
            if is_reference
                && self.document.is_3_0
                && !matches!(keyword.as_str(), "$ref" | "description" | "title")
            {
                continue;
            }
            let is_recursive = keyword == "$recursiveRef" && value == "#";
            if let Some(name) = self.recursive.as_ref().filter(|_| is_recursive) {
                converted.insert("$ref".to_owned(), format!("#/$defs/{name}").into());
                continue;
            }
            if let Some(value) = self.keyword(keyword, value, members)? {
                self.charge(keyword.len() + 4)?;
                converted.insert(keyword.clone(), value);
            }
        }
        self.drop_other_side(members, &mut converted);
        Ok(Value::Object(converted))
    }

    /// Converts a keyword. Returns `None` if it has no constraints that a model or a check needs.
    fn keyword(
        &mut self,
        keyword: &str,
        value: &'d Value,
        all: &'d Map<String, Value>,
    ) -> Checked<Option<Value>> {
        Ok(Some(match keyword {
            "$ref" => return self.reference(value),
            "properties" | "patternProperties" | "dependentSchemas" => {
                let mut converted = Map::new();
                for (name, schema) in value.as_object().into_iter().flatten() {
                    if keyword == "properties" && self.is_other_direction(schema) {
                        continue;
                    }
                    self.charge(name.len() + 4)?;
                    converted.insert(name.clone(), self.convert(schema)?);
                }
                Value::Object(converted)
            }
            "allOf" | "anyOf" | "oneOf" | "prefixItems" => {
                let schemas = value.as_array().into_iter().flatten();
                Value::Array(schemas.map(|schema| self.convert(schema)).collect::<Checked<_>>()?)
            }
            "items"
            | "additionalProperties"
            | "not"
            | "contains"
            | "propertyNames"
            | "if"
            | "then"
            | "else"
            | "unevaluatedProperties"
            | "unevaluatedItems" => self.convert(value)?,
            "description" | "title" => match value.as_str() {
                Some(words) => {
                    self.charge(words.len().min(MAX_DESCRIPTION_CHARS))?;
                    sanitize(words, MAX_DESCRIPTION_CHARS).into()
                }
                None => return Ok(None),
            },
            "nullable" if !self.document.is_3_0 => return Ok(None),
            "nullable" | "type" | "format" | "enum" | "const" | "default" | "pattern"
            | "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf"
            | "minLength" | "maxLength" | "minItems" | "maxItems" | "uniqueItems"
            | "minProperties" | "maxProperties" | "minContains" | "maxContains" | "required"
            | "dependentRequired" | "deprecated" | "examples" => {
                self.charge(value.to_string().len())?;
                value.clone()
            }
            "example" if !all.contains_key("examples") => return Ok(None),
            "$dynamicRef" | "$recursiveRef" => {
                return Err(format!(
                    "a schema has `{keyword}`, which is not supported; use `$ref`"
                ));
            }
            _ => return Ok(None),
        }))
    }

    /// Converts a `$ref`. Returns `None` if it does not refer to a schema, so that any value is accepted.
    fn reference(&mut self, value: &'d Value) -> Checked<Option<Value>> {
        let Some(reference) = value.as_str() else {
            self.notes.push(
                "a `$ref` is not a string, so any value is accepted; correct it in the document"
                    .to_owned(),
            );
            return Ok(None);
        };
        if let Some(name) = self.names.get(reference) {
            return Ok(Some(format!("#/$defs/{name}").into()));
        }
        let schema = match self.document.at(reference) {
            Ok(schema) if schema.is_object() || schema.is_boolean() => schema,
            found => {
                let why = found.err().unwrap_or_else(|| {
                    format!(
                        "`$ref: {}` does not refer to a schema; correct it in the document",
                        escape_text(reference)
                    )
                });
                self.notes.push(format!("any value is accepted at one position, because {why}"));
                return Ok(None);
            }
        };
        let wanted = safe_name(reference.rsplit('/').next().unwrap_or_default());
        let name = unique_name(&wanted, |name| self.taken.contains(name));
        self.charge(reference.len() + name.len())?;
        self.taken.insert(name.clone());
        self.names.insert(reference.to_owned(), name.clone());
        self.pending.push((name.clone(), schema));
        Ok(Some(format!("#/$defs/{name}").into()))
    }

    /// Returns whether a property is read-only in the input, or write-only in the output.
    fn is_other_direction(&self, schema: &Value) -> bool {
        let keyword = match self.side {
            Direction::Input => "readOnly",
            Direction::Output => "writeOnly",
        };
        let says = |schema: &Value| schema.get(keyword) == Some(&Value::Bool(true));
        says(schema) || self.document.resolve(schema).is_ok_and(says)
    }

    fn drop_other_side(&self, given: &Map<String, Value>, converted: &mut Map<String, Value>) {
        let Some(properties) = given.get("properties").and_then(Value::as_object) else { return };
        if let Some(required) = converted.get_mut("required").and_then(Value::as_array_mut) {
            required.retain(|name| {
                let property = name.as_str().and_then(|name| properties.get(name));
                !property.is_some_and(|schema| self.is_other_direction(schema))
            });
        }
    }
}
