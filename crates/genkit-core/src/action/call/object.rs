//! The schema of an object, built from its fields as schemars would derive it for a struct with these fields.

use schemars::generate::SchemaSettings;
use schemars::{Schema, SchemaGenerator};
use serde_json::{Map, Value};

use super::field::{Field, Note};

/// A temporary title, so that the keywords are in the same order as in the derive.
const TITLE: &str = "__Input";

/// Returns the exact schema of an object with these `fields` and no others.
pub(super) fn object_schema(fields: &[Field]) -> Value {
    let mut settings = SchemaSettings::draft2020_12().for_deserialize();
    let meta_schema = settings.meta_schema.take();
    let mut generator = settings.into_generator();
    let mut object = Map::new();
    object.insert("type".to_owned(), "object".into());
    object.insert("additionalProperties".to_owned(), false.into());
    let (mut properties, mut required) = (Map::new(), Vec::new());
    for field in fields {
        let (schema, is_optional) = member_schema(field, &mut generator);
        properties.insert(field.name.to_owned(), schema.to_value());
        if !is_optional {
            required.push(Value::from(field.name));
        }
    }
    if !properties.is_empty() {
        object.insert("properties".to_owned(), properties.into());
    }
    if !required.is_empty() {
        object.insert("required".to_owned(), required.into());
    }
    object.insert("title".to_owned(), TITLE.into());
    if let Some(meta_schema) = meta_schema {
        object.insert("$schema".to_owned(), Value::from(meta_schema.into_owned()));
    }
    let definitions = generator.take_definitions(false);
    if !definitions.is_empty() {
        object.insert("$defs".to_owned(), definitions.into());
    }
    remove_title(object.into())
}

/// Removes a title that comes from an internal type name.
pub(super) fn remove_title(mut schema: Value) -> Value {
    if schema.get("title").and_then(Value::as_str).is_some_and(|title| title.starts_with("__")) {
        schema.as_object_mut().map(|schema| schema.remove("title"));
    }
    schema
}

/// Returns the schema of one field, and whether the field is optional.
fn member_schema(field: &Field, generator: &mut SchemaGenerator) -> (Schema, bool) {
    let member = (field.ty.member_schema)(generator);
    let mut schema = member.schema;
    let [title, description] = split_headings(field.notes);
    for (keyword, text) in [("title", title), ("description", description)] {
        if !text.is_empty() {
            schema.insert(keyword.to_owned(), text.into());
        }
    }
    let examples: Vec<_> = field.notes.iter().filter_map(Note::example_value).collect();
    if !examples.is_empty() {
        schema.insert("examples".to_owned(), examples.into_iter().flatten().collect());
    }
    for note in field.notes {
        match note {
            Note::Bound { of, keyword, value } if is_applicable(&schema, of) => {
                schema.insert((*keyword).to_owned(), value());
            }
            Note::Format(format) => {
                schema.insert("format".to_owned(), (*format).into());
            }
            _ => {}
        }
    }
    if let Some(shown) = field.default.and_then(|default| (default.shown)()) {
        schema.insert("default".to_owned(), shown);
    }
    (schema, member.is_optional || field.default.is_some())
}

impl Note {
    /// Returns `None` if this is not an example, and `Some(None)` for an example that cannot be
    /// serialized.
    fn example_value(&self) -> Option<Option<Value>> {
        match self {
            Self::Example(value) => Some(value()),
            _ => None,
        }
    }
}

/// Returns the title and the description from the attributes, otherwise from the doc comment.
fn split_headings(notes: &[Note]) -> [&str; 2] {
    let (mut title, mut description, mut doc) = (None, None, None);
    for note in notes {
        match note {
            Note::Doc(text) => doc = Some(split_doc(text)),
            Note::Title(text) => title = Some(*text),
            Note::Description(text) => description = Some(*text),
            Note::Example(_) | Note::Bound { .. } | Note::Format(_) => {}
        }
    }
    let (heading, rest) = doc.unwrap_or_default();
    [title.unwrap_or(heading), description.unwrap_or(rest)]
}

/// Splits a doc comment into title and description. A heading in the first line is the title.
fn split_doc(doc: &str) -> (&str, &str) {
    let doc = doc.trim_ascii();
    if !doc.starts_with('#') {
        return ("", doc);
    }
    let (heading, rest) = doc.split_once('\n').unwrap_or((doc, ""));
    (heading.trim_start_matches('#').trim_ascii(), rest.trim_ascii())
}

/// Returns whether a keyword for the type `of` applies to the types that the schema allows.
fn is_applicable(schema: &Schema, of: &str) -> bool {
    let is = |name: &str| match schema.get("type") {
        Some(Value::String(only)) => only == name,
        Some(Value::Array(all)) => all.iter().any(|one| one == name),
        _ => false,
    };
    is(of) || (of == "number" && is("integer"))
}
