//! Shapes: the Rust form of a JSON Schema, before code is generated.

use serde_json::{Map, Value};

use super::names::{self, UniqueNames};

/// The maximum depth of a schema. Deeper parts become arbitrary JSON.
const MAX_DEPTH: usize = 32;

/// The key of the placeholder for a type of the program, whose schema is unknown to the macro.
pub(super) const PROGRAM_TYPE: &str = "x-genkit-type";

/// The type of a field.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Shape {
    Text,
    Integer,
    Number,
    Boolean,
    Null,
    Any,
    /// A type that may be null.
    Nullable(Box<Shape>),
    List(Box<Shape>),
    Map(Box<Shape>),
    /// A definition, by name.
    Named(String),
    /// A definition that contains itself, by name.
    Recursive(String),
    /// A type of the program, by name.
    ProgramType(String),
}

/// A type that is generated.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Definition {
    pub(super) name: String,
    pub(super) about: Option<String>,
    pub(super) schema: Value,
    pub(super) kind: Kind,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind {
    /// The fields, and the shape of all other keys.
    Struct(Vec<Field>, Option<Shape>),
    /// The strings.
    Enum(Vec<String>),
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Field {
    pub(super) key: String,
    pub(super) about: Option<String>,
    pub(super) shape: Shape,
    /// Whether the field may be omitted.
    pub(super) optional: bool,
}

/// Reads one schema, with every type that it needs.
pub(super) struct Reader<'a> {
    root: &'a Value,
    /// The prefix of the names of the generated types.
    name: &'a str,
    taken: UniqueNames,
    /// Definitions of the schema by JSON pointer: the pointer, the name, and whether reading is complete.
    known: Vec<(String, String, bool)>,
    pub(super) definitions: Vec<Definition>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(root: &'a Value, name: &'a str) -> Self {
        Self {
            root,
            name,
            taken: UniqueNames::default(),
            known: Vec::new(),
            definitions: Vec::new(),
        }
    }

    /// Reads the whole schema. Fields with a value in `defaults` are optional.
    pub(super) fn read_whole(&mut self, defaults: &Map<String, Value>) -> Shape {
        let name = self.name;
        if is_struct(self.root) {
            self.known.push(("#".to_owned(), name.to_owned(), false));
        }
        let shape = self.read_schema(self.root, name, 0);
        if let Some(Definition { kind: Kind::Struct(fields, _), .. }) =
            self.definitions.iter_mut().find(|definition| definition.name == name)
        {
            for field in fields {
                field.optional |= defaults.contains_key(&field.key);
            }
        }
        shape
    }

    fn read_schema(&mut self, schema: &Value, name: &str, depth: usize) -> Shape {
        let Some(schema) = schema.as_object().filter(|_| depth < MAX_DEPTH) else {
            return Shape::Any;
        };
        if let Some(given) = schema.get(PROGRAM_TYPE).and_then(Value::as_str) {
            return Shape::ProgramType(given.to_owned());
        }
        if let Some(pointer) = schema.get("$ref").and_then(Value::as_str) {
            return self.read_reference(pointer, depth);
        }
        if let Some(values) = schema.get("enum").and_then(Value::as_array) {
            return self.read_choice(schema, values, name);
        }
        if let Some(Value::String(only)) = schema.get("const") {
            return self.read_choice(schema, &[Value::String(only.clone())], name);
        }
        for word in ["anyOf", "oneOf"] {
            if let Some(branches) = schema.get(word).and_then(Value::as_array) {
                return self.read_alternatives(branches, name, depth);
            }
        }
        if schema.contains_key("allOf") {
            return Shape::Any;
        }
        let kinds: Vec<&str> = match schema.get("type") {
            Some(Value::String(kind)) => vec![kind],
            Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect(),
            _ if schema.contains_key("properties") => vec!["object"],
            _ => return Shape::Any,
        };
        let nullable = kinds.contains(&"null");
        let kinds: Vec<&str> = kinds.into_iter().filter(|kind| *kind != "null").collect();
        let shape = match kinds[..] {
            [] => return Shape::Null,
            ["string"] => Shape::Text,
            ["integer"] => Shape::Integer,
            ["number"] | ["integer", "number"] | ["number", "integer"] => Shape::Number,
            ["boolean"] => Shape::Boolean,
            ["array"] => {
                let item = schema.get("items").unwrap_or(&Value::Null);
                Shape::List(Box::new(self.read_schema(item, &format!("{name}Item"), depth + 1)))
            }
            ["object"] => self.read_object(schema, name, depth),
            _ => Shape::Any,
        };
        if nullable { shape.into_nullable() } else { shape }
    }

    fn read_object(&mut self, schema: &Map<String, Value>, name: &str, depth: usize) -> Shape {
        let empty = Map::new();
        let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&empty);
        let others = match schema.get("additionalProperties") {
            Some(Value::Bool(false)) => None,
            Some(of) => Some(self.read_schema(of, &format!("{name}Value"), depth + 1)),
            None if properties.is_empty() => Some(Shape::Any),
            None => None,
        };
        if let (true, Some(of)) = (properties.is_empty(), &others) {
            return Shape::Map(Box::new(of.clone()));
        }
        let name = self.taken.claim_name(name, "");
        let place = self.definitions.len();
        self.definitions.push(Definition {
            name: name.clone(),
            about: schema_description(schema),
            schema: Value::Object(schema.clone()),
            kind: Kind::Struct(Vec::new(), None),
        });
        let required: Vec<&str> = schema
            .get("required")
            .and_then(Value::as_array)
            .map(|keys| keys.iter().filter_map(Value::as_str).collect())
            .unwrap_or_default();
        let fields: Vec<Field> = properties
            .iter()
            .map(|(key, property)| {
                let of_field = format!("{name}{}", names::to_pascal_case(key));
                let shape = self.read_schema(property, &of_field, depth + 1);
                let about = property.as_object().and_then(schema_description);
                let optional =
                    !required.contains(&key.as_str()) || property.get("default").is_some();
                Field { key: key.clone(), about, shape, optional }
            })
            .collect();
        self.definitions[place].kind = Kind::Struct(fields, others);
        Shape::Named(name)
    }

    fn read_choice(&mut self, schema: &Map<String, Value>, values: &[Value], name: &str) -> Shape {
        let nullable = values.contains(&Value::Null);
        let values: Vec<&Value> = values.iter().filter(|value| !value.is_null()).collect();
        let texts: Option<Vec<String>> =
            values.iter().map(|value| value.as_str().map(str::to_owned)).collect();
        let Some(mut texts) = texts.filter(|texts| !texts.is_empty()) else {
            return Shape::Any;
        };
        let mut seen = Vec::new();
        texts.retain(|text| {
            let is_new = !seen.contains(text);
            seen.push(text.clone());
            is_new
        });
        let name = self.taken.claim_name(name, "");
        self.definitions.push(Definition {
            name: name.clone(),
            about: schema_description(schema),
            schema: Value::Object(schema.clone()),
            kind: Kind::Enum(texts),
        });
        let shape = Shape::Named(name);
        if nullable { shape.into_nullable() } else { shape }
    }

    /// Reads alternatives: a nullable type if all but one are null, otherwise arbitrary JSON.
    fn read_alternatives(&mut self, branches: &[Value], name: &str, depth: usize) -> Shape {
        let is_null = |branch: &Value| branch.get("type").and_then(Value::as_str) == Some("null");
        let others: Vec<&Value> = branches.iter().filter(|branch| !is_null(branch)).collect();
        match others[..] {
            [only] => {
                let shape = self.read_schema(only, name, depth + 1);
                if others.len() < branches.len() { shape.into_nullable() } else { shape }
            }
            _ => Shape::Any,
        }
    }

    /// Reads a definition inside the schema. A struct is read once; any other type is read at each reference.
    fn read_reference(&mut self, pointer: &str, depth: usize) -> Shape {
        if let Some((_, name, done)) = self.known.iter().find(|(known, ..)| known == pointer) {
            return match done {
                true => Shape::Named(name.clone()),
                false => Shape::Recursive(name.clone()),
            };
        }
        let root = self.root;
        let target = pointer.strip_prefix('#').and_then(|path| root.pointer(path));
        let (Some(target), Some((_, last))) = (target, pointer.rsplit_once('/')) else {
            return Shape::Any;
        };
        let name = self.taken.next(&format!("{}{}", self.name, names::to_pascal_case(last)), "");
        if is_struct(target) {
            self.known.push((pointer.to_owned(), name.clone(), false));
        }
        let shape = self.read_schema(target, &name, depth + 1);
        if let Some(known) = self.known.iter_mut().find(|(known, ..)| known == pointer) {
            known.2 = true;
        }
        shape
    }
}

/// Returns whether the schema becomes a struct.
fn is_struct(schema: &Value) -> bool {
    let only_object = schema.get("type").is_none_or(|kind| kind == "object");
    let other = ["enum", "const", "anyOf", "oneOf", "allOf", "$ref", PROGRAM_TYPE];
    let fields = schema.get("properties").and_then(Value::as_object);
    only_object
        && fields.is_some_and(|fields| !fields.is_empty())
        && other.iter().all(|word| schema.get(word).is_none())
}

impl Shape {
    /// Returns the shape of a field that may be omitted.
    pub(super) fn into_optional(self) -> Self {
        match self {
            Self::Null => Self::Any,
            other => other.into_nullable(),
        }
    }

    /// Returns the shape inside a list, a map or an option.
    pub(super) fn inner(&self) -> &Self {
        match self {
            Self::Nullable(of) | Self::List(of) | Self::Map(of) => of.inner(),
            other => other,
        }
    }

    pub(super) fn into_nullable(self) -> Self {
        match self {
            Self::Nullable(_) | Self::Any | Self::Null => self,
            other => Self::Nullable(Box::new(other)),
        }
    }
}

fn schema_description(schema: &Map<String, Value>) -> Option<String> {
    let text = schema.get("description").and_then(Value::as_str)?.trim();
    (!text.is_empty()).then(|| text.to_owned())
}
