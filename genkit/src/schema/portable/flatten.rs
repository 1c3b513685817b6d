//! One schema out of several: a `$ref` and what it names, an `anyOf` of one.
//!
//! Nothing is copied. A [`Flat`] is a list of layers, each a part of the exact schema that knows its pointer; what is
//! written first (at the place of use) wins over what is referred to.

use serde_json::{Map, Value};

use super::{
    MAX_DEPTH,
    keywords::{self, Class},
    pointer,
    walk::Walk,
};

/// A part of a schema.
pub(super) struct Layer<'a> {
    map: &'a Map<String, Value>,
    /// Where it is in the exact schema.
    at: String,
    /// A keyword that became the next layer.
    without: Option<&'static str>,
    /// The name of the definition that it is.
    definition: Option<String>,
}

/// A reference that was not followed.
pub(super) struct Cut<'a> {
    target: Option<&'a Value>,
    /// The name of what contains itself.
    pub again: Option<String>,
}

/// A schema in layers.
pub(super) struct Flat<'a> {
    layers: Vec<Layer<'a>>,
    pub cut: Option<Cut<'a>>,
    /// Whether null was split off.
    pub nullable: bool,
    /// Whether nothing is accepted.
    pub never: bool,
}

/// A keyword with its value and its pointer.
pub(super) type Entry<'f, 'a> = (&'a str, &'a Value, &'f str);

impl<'a> Layer<'a> {
    fn new(map: &'a Map<String, Value>, at: String) -> Self {
        Self { map, at, without: None, definition: None }
    }

    fn get(&self, key: &str) -> Option<&'a Value> {
        self.map.get(key).filter(|_| self.without != Some(key))
    }
}

impl<'a> Flat<'a> {
    /// The winning value of a keyword, and the pointer of the layer it is in.
    pub(super) fn get(&self, key: &str) -> Option<(&'a Value, &str)> {
        self.all(key).next()
    }

    /// Each value of a keyword, with the pointer of its layer.
    pub(super) fn all(&self, key: &str) -> impl Iterator<Item = (&'a Value, &str)> {
        self.layers.iter().filter_map(move |layer| Some((layer.get(key)?, layer.at.as_str())))
    }

    /// Each keyword once, with the winning value and the pointer of its layer.
    pub(super) fn entries(&self) -> impl Iterator<Item = Entry<'_, 'a>> {
        self.layers.iter().enumerate().flat_map(move |(depth, layer)| {
            let entries =
                layer.map.iter().map(move |(key, value)| (key.as_str(), value, layer.at.as_str()));
            entries.filter(move |(key, ..)| {
                layer.without != Some(key)
                    && self.layers[..depth].iter().all(|above| above.get(key).is_none())
            })
        })
    }

    /// The names of the properties that are always there, each once.
    pub(super) fn required(&self) -> Vec<&'a str> {
        let mut names = Vec::new();
        for (value, _) in self.all("required") {
            for name in value.as_array().into_iter().flatten().filter_map(Value::as_str) {
                if !names.contains(&name) {
                    names.push(name);
                }
            }
        }
        names
    }

    /// The title, unless it is only the name of a type.
    pub(super) fn title(&self, is_root: bool) -> Option<&'a Value> {
        let (depth, layer) =
            self.layers.iter().enumerate().find(|(_, layer)| layer.get("title").is_some())?;
        let title = layer.get("title")?;
        let is_name = title.as_str() == layer.definition.as_deref() || (is_root && depth == 0);
        (!is_name).then_some(title)
    }

    /// What a cut reference would have said under a keyword.
    pub(super) fn beyond_cut(&self, key: &str) -> Option<&'a Value> {
        self.cut.as_ref()?.target?.get(key)
    }

    /// The type of what a reference that was cut leads to, if there is only one.
    pub(super) fn type_beyond_cut(&self) -> Option<&'a str> {
        if let Some(written) = self.beyond_cut("type") {
            return written.as_str();
        }
        let branches = self.beyond_cut("anyOf").or_else(|| self.beyond_cut("oneOf"))?.as_array()?;
        let mut types = branches.iter().map(|branch| branch.get("type").and_then(Value::as_str));
        let first = types.next()??;
        types.all(|other| other == Some(first)).then_some(first)
    }
}

impl<'a> Walk<'a> {
    /// Follows references and unions of one from a schema. References that were followed stay on the stack.
    pub(super) fn flatten(&mut self, map: &'a Map<String, Value>, at: &str) -> Flat<'a> {
        let mut flat = Flat {
            layers: vec![Layer::new(map, at.to_owned())],
            cut: None,
            nullable: false,
            never: false,
        };
        while self.add_layer(&mut flat) {}
        self.note_conflicts(&flat);
        flat
    }

    /// Adds what the last layer leads to. Returns whether there may be more.
    fn add_layer(&mut self, flat: &mut Flat<'a>) -> bool {
        let Some(last) = flat.layers.last_mut() else {
            return false;
        };
        if let Some(reference) = last.get("$ref") {
            let at = last.at.clone();
            return self.follow(reference, &at, flat);
        }
        for key in ["anyOf", "oneOf", "allOf"] {
            let Some(branches) = last.get(key).and_then(Value::as_array) else {
                continue;
            };
            let mut others = branches.iter().enumerate().filter(|(_, branch)| !is_null(branch));
            let (Some((index, only)), None) = (others.next(), others.next()) else {
                continue;
            };
            let has_null = branches.len() > 1;
            // A union of one without null is an enum of one variant, whose text belongs to the value.
            if has_null == (key == "allOf") {
                continue;
            }
            last.without = Some(key);
            let at = pointer::element(&pointer::child(&last.at, key), index);
            flat.nullable |= has_null;
            return add_target(only, at, None, flat);
        }
        false
    }

    fn follow(&mut self, reference: &'a Value, at: &str, flat: &mut Flat<'a>) -> bool {
        let found = reference
            .as_str()
            .and_then(pointer::of_reference)
            .and_then(|pointer| Some((self.exact.pointer(&pointer)?, pointer)));
        let Some((target, pointer)) = found else {
            let what = format!("{reference} is not a place in this schema");
            self.note(at, what, "refer to a definition under `$defs`");
            flat.cut = Some(Cut { target: None, again: None });
            return false;
        };
        let name = pointer::name(&pointer);
        if self.references.contains(&pointer) {
            let title = || Some(self.exact.get("title")?.as_str()?.to_owned());
            let again = name.or_else(title).unwrap_or_else(|| "schema".to_owned());
            let what = format!("`{again}` contains itself and is cut where it does so first");
            self.note(at, what, "leave it if deep values are rare, they are accepted; else use a flat list with ids");
            flat.cut = Some(Cut { target: Some(target), again: Some(again) });
            return false;
        }
        // The root itself is on the stack from the start.
        let is_too_deep = self.references.len() > self.max_references || self.depth >= MAX_DEPTH;
        if is_too_deep && !is_leaf(target) {
            let name = name.unwrap_or_default();
            let what = format!(
                "`{name}` is cut here, since the schema is too large or too deep with all inlined"
            );
            self.note(at, what, "split the function into several, or nest fewer types");
            flat.cut = Some(Cut { target: Some(target), again: None });
            return false;
        }
        self.references.push(pointer.clone());
        add_target(target, pointer, name, flat)
    }

    /// Notes limits that are said twice and not alike: only one of them stays.
    fn note_conflicts(&mut self, flat: &Flat<'a>) {
        for (key, value, at) in flat.entries() {
            let class = keywords::class(key);
            let single = matches!(class, Class::Limit | Class::Schema | Class::Schemas)
                || matches!(
                    key,
                    "type"
                        | "enum"
                        | "const"
                        | "format"
                        | "items"
                        | "prefixItems"
                        | "additionalProperties"
                );
            if single && flat.all(key).any(|(other, _)| other != value) {
                let what = format!(
                    "`{key}` is said twice, beside a reference and in its target; the first is kept"
                );
                self.note(at, what, "say it in one place");
            }
        }
    }
}

fn add_target<'a>(
    target: &'a Value,
    at: String,
    definition: Option<String>,
    flat: &mut Flat<'a>,
) -> bool {
    match target {
        Value::Object(map) => {
            flat.layers.push(Layer { definition, ..Layer::new(map, at) });
            true
        }
        other => {
            flat.never |= other == &Value::Bool(false);
            false
        }
    }
}

/// Whether a schema is that of a plain value, which is no smaller when it is cut.
fn is_leaf(schema: &Value) -> bool {
    let Some(map) = schema.as_object() else {
        return true;
    };
    map.iter().all(|(key, value)| match key.as_str() {
        "anyOf" | "oneOf" => value.as_array().is_some_and(|all| all.iter().all(is_leaf)),
        "$ref" | "properties" | "items" | "prefixItems" | "allOf" => false,
        key => {
            !matches!(keywords::class(key), Class::Schema | Class::Schemas)
                && !key.ends_with("Properties")
        }
    })
}

/// Whether a schema is that of null and says nothing more.
pub(super) fn is_null(schema: &Value) -> bool {
    schema.as_object().is_some_and(|map| {
        map.len() == 1 && map.get("type").and_then(Value::as_str) == Some("null")
    })
}
