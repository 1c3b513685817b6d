//! What a schema asks for, with its references followed and its `null` set apart.

use serde_json::{Map, Value};

/// How deep a schema is looked into; references count too.
pub(super) const MAX_DEPTH: usize = 32;

/// How many properties of an object, branches of a choice and values of a list are looked at.
const MAX_MEMBERS: usize = 256;

/// What kind of value a schema asks for.
#[derive(Clone, Debug)]
pub(super) enum Kind<'s> {
    /// One of these values.
    Choice(Vec<Listed<'s>>),
    /// One of these schemas.
    Union(Vec<&'s Value>),
    Bool,
    Number {
        integer: bool,
    },
    Text,
    List,
    Object,
    Null,
    /// Whatever one likes.
    Any,
    /// Nothing fits.
    Never,
}

/// A value that a schema lists, with its title.
#[derive(Clone, Copy, Debug)]
pub(super) struct Listed<'s> {
    pub(super) value: &'s Value,
    pub(super) title: Option<&'s str>,
}

/// A schema as it is read here.
#[derive(Clone, Debug)]
pub(super) struct Shape<'s> {
    /// The schema and those that it refers to, the nearest first.
    layers: Vec<&'s Map<String, Value>>,
    pub(super) kind: Kind<'s>,
    pub(super) nullable: bool,
}

impl<'s> Shape<'s> {
    /// Reads `schema`, whose references point into `root`.
    pub(super) fn of(schema: &'s Value, root: &'s Value) -> Self {
        let mut shape = Self { layers: Vec::new(), kind: Kind::Any, nullable: false };
        let mut kind = None;
        let mut todo = vec![schema];
        let mut steps = 0;
        while let Some(schema) = todo.pop() {
            steps += 1;
            if steps > MAX_DEPTH || schema == &Value::Bool(false) {
                // A reference that leads back to itself says nothing that can be filled.
                return Self { kind: Kind::Never, ..shape };
            }
            let Some(layer) = schema.as_object() else { continue };
            shape.layers.push(layer);
            if let Some(reference) = layer.get("$ref").and_then(Value::as_str) {
                match resolve(reference, root) {
                    Some(target) => todo.push(target),
                    None => kind = kind.or(Some(Kind::Any)),
                }
            }
            todo.extend(layer.get("allOf").and_then(Value::as_array).into_iter().flatten());
            for key in ["anyOf", "oneOf"] {
                let Some(branches) = layer.get(key).and_then(Value::as_array) else { continue };
                match shape.choice(branches, root) {
                    Branches::One(only) => todo.push(only),
                    Branches::Kind(found) => kind = kind.or(Some(found)),
                    Branches::None => {}
                }
            }
            if let Some(found) = shape.listed(layer) {
                kind = Some(found);
            }
        }
        let own = shape.own_kind();
        shape.kind = kind.or(own).unwrap_or(Kind::Any);
        shape
    }

    /// What `anyOf` or `oneOf` says, without null.
    fn choice(&mut self, branches: &'s [Value], root: &'s Value) -> Branches<'s> {
        let mut rest = Vec::new();
        for branch in branches.iter().take(MAX_MEMBERS) {
            if is_null(branch) {
                self.nullable = true;
            } else {
                rest.push(branch);
            }
        }
        let listed = |branch: &&'s Value| {
            let target = branch.get("$ref").and_then(Value::as_str);
            let branch = target.and_then(|target| resolve(target, root)).unwrap_or(*branch);
            values(branch.as_object()?)
        };
        match rest.as_slice() {
            [] => Branches::None,
            [only] => Branches::One(only),
            several => match several.iter().map(listed).collect::<Option<Vec<_>>>() {
                Some(all) => Branches::Kind(Kind::Choice(all.into_iter().flatten().collect())),
                None => Branches::Kind(Kind::Union(rest)),
            },
        }
    }

    /// What `enum` or `const` says, without null.
    fn listed(&mut self, layer: &'s Map<String, Value>) -> Option<Kind<'s>> {
        let mut all = values(layer)?;
        let before = all.len();
        all.retain(|listed| !listed.value.is_null());
        self.nullable |= all.len() < before;
        Some(if all.is_empty() && before > 0 { Kind::Null } else { Kind::Choice(all) })
    }

    /// What `type` says, or what the other keywords tell of it.
    fn own_kind(&mut self) -> Option<Kind<'s>> {
        let mut names: Vec<&str> = match self.get("type") {
            Some(Value::String(name)) => vec![name],
            Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).take(8).collect(),
            _ => Vec::new(),
        };
        if names.len() > 1 {
            self.nullable |= names.contains(&"null");
            names.retain(|name| *name != "null");
        }
        let guessed = || {
            let has = |key: &str| self.get(key).is_some();
            Some(match () {
                () if has("properties") || has("additionalProperties") => Kind::Object,
                () if has("items") || has("prefixItems") => Kind::List,
                () if has("minimum") || has("maximum") => Kind::Number { integer: false },
                () if has("pattern") || has("format") || has("maxLength") => Kind::Text,
                () => return None,
            })
        };
        match names.first() {
            Some(&"string") => Some(Kind::Text),
            Some(&"integer") => Some(Kind::Number { integer: true }),
            Some(&"number") => Some(Kind::Number { integer: false }),
            Some(&"boolean") => Some(Kind::Bool),
            Some(&"array") => Some(Kind::List),
            Some(&"object") => Some(Kind::Object),
            Some(&"null") => Some(Kind::Null),
            _ => guessed(),
        }
    }

    /// What a keyword says, in the nearest place that has it.
    pub(super) fn get(&self, key: &str) -> Option<&'s Value> {
        self.layers.iter().find_map(|layer| layer.get(key))
    }

    /// A text that a keyword gives.
    pub(super) fn text(&self, key: &str) -> Option<&'s str> {
        self.get(key)?.as_str()
    }

    /// A count that a keyword gives.
    pub(super) fn count(&self, key: &str) -> Option<usize> {
        usize::try_from(self.get(key)?.as_u64()?).ok()
    }

    /// The properties of an object, and whether each is required.
    pub(super) fn properties(&self) -> Vec<(&'s str, &'s Value, bool)> {
        let all = self.layers.iter().filter_map(|layer| layer.get("properties")?.as_object());
        let mut found: Vec<(&str, &Value, bool)> = Vec::new();
        for (name, schema) in all.flatten().take(MAX_MEMBERS) {
            if !found.iter().any(|(known, ..)| known == name) {
                found.push((name, schema, self.requires(name)));
            }
        }
        found
    }

    fn requires(&self, name: &str) -> bool {
        let lists = self.layers.iter().filter_map(|layer| layer.get("required")?.as_array());
        lists.flatten().take(4 * MAX_MEMBERS).any(|required| required == name)
    }

    /// Required names that have no property: whatever they are, they cannot be filled.
    pub(super) fn unknown_required(&self) -> Option<&'s str> {
        let known = |name: &str| {
            let has = |layer: &&Map<String, Value>| {
                layer.get("properties").and_then(|all| all.get(name)).is_some()
            };
            self.layers.iter().any(has)
        };
        let lists = self.layers.iter().filter_map(|layer| layer.get("required")?.as_array());
        lists.flatten().filter_map(Value::as_str).take(MAX_MEMBERS).find(|name| !known(name))
    }
}

enum Branches<'s> {
    One(&'s Value),
    Kind(Kind<'s>),
    None,
}

fn is_null(schema: &Value) -> bool {
    schema.get("type").is_some_and(|kind| kind == "null")
        || schema.get("const").is_some_and(Value::is_null)
}

/// The values that a schema lists by itself.
fn values(layer: &Map<String, Value>) -> Option<Vec<Listed<'_>>> {
    let title = layer.get("title").and_then(Value::as_str);
    if let Some(value) = layer.get("const") {
        return Some(vec![Listed { value, title }]);
    }
    let all = layer.get("enum")?.as_array()?.iter().take(MAX_MEMBERS);
    Some(all.map(|value| Listed { value, title: None }).collect())
}

/// What a reference within the same document points to.
fn resolve<'s>(reference: &str, root: &'s Value) -> Option<&'s Value> {
    let pointer = reference.strip_prefix('#')?;
    root.pointer(pointer).or_else(|| root.pointer(&decoded(pointer)?))
}

/// A pointer without its percent-encoding.
fn decoded(pointer: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(pointer.len());
    let mut rest = pointer.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte == b'%' {
            let (digits, after) = rest.split_at_checked(2)?;
            bytes.push(u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?);
            rest = after;
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn kind(schema: &Value) -> String {
        let shape = Shape::of(schema, schema);
        let kind = match shape.kind {
            Kind::Choice(all) => {
                all.iter().map(|listed| listed.value.to_string()).collect::<Vec<_>>().join("|")
            }
            Kind::Union(all) => format!("{} ways", all.len()),
            kind => format!("{kind:?}"),
        };
        if shape.nullable { format!("{kind}?") } else { kind }
    }

    #[test]
    fn schemas_have_a_kind() {
        for (schema, wanted) in [
            (json!(true), "Any"),
            (json!(false), "Never"),
            (json!(7), "Any"),
            (json!({"type": ["string", "null"]}), "Text?"),
            (
                json!({"anyOf": [{"$ref": "#/$defs/U"}, {"type": "null"}], "$defs": {"U": {"enum": ["a", "b"]}}}),
                "\"a\"|\"b\"?",
            ),
            (json!({"oneOf": [{"const": 1}, {"const": 2, "title": "two"}]}), "1|2"),
            (json!({"enum": ["a", null]}), "\"a\"?"),
            (json!({"anyOf": [{"type": "string"}, {"type": "integer"}]}), "2 ways"),
            (
                json!({"allOf": [{"$ref": "#/$defs/a%20b"}], "$defs": {"a b": {"type": "boolean"}}}),
                "Bool",
            ),
            (json!({"$ref": "#"}), "Never"),
            (
                json!({"$ref": "#/$defs/A", "$defs": {"A": {"$ref": "#/$defs/B"}, "B": {"$ref": "#/$defs/A"}}}),
                "Never",
            ),
            (json!({"$ref": "other.json"}), "Any"),
            (json!({"$ref": "#/%zz"}), "Any"),
            (json!({"properties": {}}), "Object"),
            (json!({"type": 3, "items": true}), "List"),
            (json!({"type": "null"}), "Null"),
        ] {
            assert_eq!(kind(&schema), wanted, "{schema}");
        }
    }
}
