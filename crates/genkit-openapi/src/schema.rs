//! Schemas of a document as JSON Schema 2020-12 that stands alone: what `$ref` names comes along as `$defs`.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value, json};

use crate::document::{ApiDocument, Checked, quote_text};
use crate::text::{clean_text, safe_name, unique_name};

/// How large the schemas of one operation may be, in bytes of JSON. Default is 128 KiB.
const MAX_SCHEMA: usize = 128 * 1024;

/// How long a description inside of a schema may be, in characters. Default is 1,000.
const MAX_WORDS: usize = 1000;

/// Which way a value goes: what only the other way has is left out.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Input,
    Output,
}

/// Converts the schemas of one operation.
pub(crate) struct Converter<'d> {
    document: &'d ApiDocument,
    side: Side,
    /// Our name of each `$ref`.
    names: HashMap<String, String>,
    taken: HashSet<String>,
    pending: Vec<(String, &'d Value)>,
    /// The definition that is converted, where a `$recursiveRef` may lead back to it.
    recursive: Option<String>,
    /// How much was converted, in bytes.
    pub(crate) cost: usize,
}

impl<'d> Converter<'d> {
    pub(crate) fn new(document: &'d ApiDocument, side: Side) -> Self {
        Self {
            document,
            side,
            names: HashMap::new(),
            taken: HashSet::new(),
            pending: Vec::new(),
            recursive: None,
            cost: 0,
        }
    }

    /// The definitions that were named since the beginning.
    pub(crate) fn take_definitions(&mut self) -> Checked<Map<String, Value>> {
        let mut definitions = Map::new();
        while let Some((name, schema)) = self.pending.pop() {
            let is_anchor = schema.get("$recursiveAnchor") == Some(&Value::Bool(true));
            self.recursive = is_anchor.then(|| name.clone());
            let converted = self.convert_schema(schema)?;
            definitions.insert(name, converted);
        }
        Ok(definitions)
    }

    fn spend_bytes(&mut self, bytes: usize) -> Checked<()> {
        self.cost += bytes;
        if self.cost > MAX_SCHEMA {
            return Err(format!(
                "its schemas are larger than {MAX_SCHEMA} bytes: make them smaller in the document, or write a tool by hand"
            ));
        }
        Ok(())
    }

    pub(crate) fn convert_schema(&mut self, schema: &'d Value) -> Checked<Value> {
        let members = match schema {
            Value::Bool(_) => return Ok(schema.clone()),
            Value::Object(members) => members,
            _ => return Err("a schema is no object: correct it in the document".to_owned()),
        };
        self.spend_bytes(4)?;
        let mut converted = Map::new();
        let is_reference = members.contains_key("$ref");
        for (keyword, value) in members {
            // Beside a `$ref` of 3.0 nothing else counts; its words do no harm.
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
            if let Some(value) = self.convert_keyword(keyword, value, members)? {
                self.spend_bytes(keyword.len() + 4)?;
                converted.insert(keyword.clone(), value);
            }
        }
        self.drop_other_side(members, &mut converted);
        if self.document.is_3_0 && !is_reference {
            bounds_of_3_0(members, &mut converted);
            if members.get("nullable") == Some(&Value::Bool(true)) {
                converted = make_nullable(converted);
            }
        }
        Ok(Value::Object(converted))
    }

    /// What a keyword becomes; nothing where it asserts nothing that a model or a check needs.
    fn convert_keyword(
        &mut self,
        keyword: &str,
        value: &'d Value,
        all: &'d Map<String, Value>,
    ) -> Checked<Option<Value>> {
        Ok(Some(match keyword {
            "$ref" => self.convert_reference(value)?,
            "properties" | "patternProperties" | "dependentSchemas" => {
                let mut converted = Map::new();
                for (name, schema) in value.as_object().into_iter().flatten() {
                    if keyword == "properties" && self.is_of_other_side(schema) {
                        continue;
                    }
                    self.spend_bytes(name.len() + 4)?;
                    converted.insert(name.clone(), self.convert_schema(schema)?);
                }
                Value::Object(converted)
            }
            "allOf" | "anyOf" | "oneOf" | "prefixItems" => {
                let schemas = value.as_array().into_iter().flatten();
                Value::Array(
                    schemas.map(|schema| self.convert_schema(schema)).collect::<Checked<_>>()?,
                )
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
            | "unevaluatedItems" => self.convert_schema(value)?,
            "description" | "title" => match value.as_str() {
                Some(words) => {
                    self.spend_bytes(words.len().min(MAX_WORDS))?;
                    clean_text(words, MAX_WORDS).into()
                }
                None => return Ok(None),
            },
            "type" | "format" | "enum" | "const" | "default" | "pattern" | "minimum"
            | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" | "minLength"
            | "maxLength" | "minItems" | "maxItems" | "uniqueItems" | "minProperties"
            | "maxProperties" | "minContains" | "maxContains" | "required"
            | "dependentRequired" | "deprecated" | "examples" => {
                self.spend_bytes(value.to_string().len())?;
                value.clone()
            }
            "example" if !all.contains_key("examples") => return Ok(None),
            "$dynamicRef" | "$recursiveRef" => {
                return Err(format!("a schema has `{keyword}`, which is not read: use `$ref`"));
            }
            _ => return Ok(None),
        }))
    }

    fn convert_reference(&mut self, value: &'d Value) -> Checked<Value> {
        let Some(reference) = value.as_str() else {
            return Err("a `$ref` is no text: correct it in the document".to_owned());
        };
        if let Some(name) = self.names.get(reference) {
            return Ok(format!("#/$defs/{name}").into());
        }
        let schema = self.document.find_reference(reference)?;
        if !schema.is_object() && !schema.is_boolean() {
            return Err(format!("`$ref: {}` leads to no schema", quote_text(reference)));
        }
        let wanted = safe_name(reference.rsplit('/').next().unwrap_or_default());
        let name = unique_name(&wanted, |name| self.taken.contains(name));
        self.spend_bytes(reference.len() + name.len())?;
        self.taken.insert(name.clone());
        self.names.insert(reference.to_owned(), name.clone());
        self.pending.push((name.clone(), schema));
        Ok(format!("#/$defs/{name}").into())
    }

    /// Whether a property is read only, in what is sent, or write only, in what comes back.
    fn is_of_other_side(&self, schema: &Value) -> bool {
        let keyword = match self.side {
            Side::Input => "readOnly",
            Side::Output => "writeOnly",
        };
        let says = |schema: &Value| schema.get(keyword) == Some(&Value::Bool(true));
        says(schema) || self.document.resolve_value(schema).is_ok_and(says)
    }

    fn drop_other_side(&self, given: &Map<String, Value>, converted: &mut Map<String, Value>) {
        let Some(properties) = given.get("properties").and_then(Value::as_object) else { return };
        if let Some(required) = converted.get_mut("required").and_then(Value::as_array_mut) {
            required.retain(|name| {
                let property = name.as_str().and_then(|name| properties.get(name));
                !property.is_some_and(|schema| self.is_of_other_side(schema))
            });
        }
    }
}

/// `exclusiveMinimum: true` of 3.0 beside a `minimum` is the number itself in 2020-12.
fn bounds_of_3_0(given: &Map<String, Value>, converted: &mut Map<String, Value>) {
    for (flag, bound) in [("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")] {
        let Some(Value::Bool(is_exclusive)) = given.get(flag) else { continue };
        converted.shift_remove(flag);
        if *is_exclusive && let Some(number) = converted.shift_remove(bound) {
            converted.insert(flag.to_owned(), number);
        }
    }
}

/// `nullable: true` of 3.0.
fn make_nullable(mut schema: Map<String, Value>) -> Map<String, Value> {
    if let Some(Value::String(kind)) = schema.get("type") {
        let kinds = json!([kind, "null"]);
        schema.insert("type".to_owned(), kinds);
        if let Some(Value::Array(values)) = schema.get_mut("enum")
            && !values.contains(&Value::Null)
        {
            values.push(Value::Null);
        }
        return schema;
    }
    let mut choice = Map::new();
    for keyword in ["title", "description", "default"] {
        if let Some(words) = schema.shift_remove(keyword) {
            choice.insert(keyword.to_owned(), words);
        }
    }
    choice.insert("anyOf".to_owned(), json!([schema, {"type": "null"}]));
    choice
}
