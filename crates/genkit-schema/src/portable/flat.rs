//! One schema out of several: a `$ref` and what it names, an `anyOf` of one.
//!
//! Nothing is copied. A [`Flat`] is a list of layers, each a part of the exact schema that knows its pointer; what is
//! written first (at the place of use) wins over what is referred to.

use serde_json::{Map, Value};

/// A part of a schema.
pub(super) struct Layer<'a> {
    pub map: &'a Map<String, Value>,
    /// Place in the exact schema.
    pub at: String,
    /// A keyword that became the next layer.
    pub without: Option<&'static str>,
    /// The name of the definition that it is.
    pub definition: Option<String>,
}

/// A reference that was not followed.
pub(super) struct Cut<'a> {
    pub target: Option<&'a Value>,
    /// The name of what contains itself.
    pub again: Option<String>,
}

/// A schema in layers.
pub(super) struct Flat<'a> {
    pub layers: Vec<Layer<'a>>,
    pub cut: Option<Cut<'a>>,
    /// Whether null was split off.
    pub nullable: bool,
    /// Whether nothing is accepted.
    pub never: bool,
}

/// A keyword with its value and its pointer.
pub(super) type KeywordEntry<'f, 'a> = (&'a str, &'a Value, &'f str);

impl<'a> Layer<'a> {
    pub(super) fn new(map: &'a Map<String, Value>, at: String) -> Self {
        Self { map, at, without: None, definition: None }
    }

    pub(super) fn get(&self, key: &str) -> Option<&'a Value> {
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
    pub(super) fn entries(&self) -> impl Iterator<Item = KeywordEntry<'_, 'a>> {
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

    /// The keyword of what a cut reference names.
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

/// Whether a schema is that of null alone.
pub(super) fn is_null(schema: &Value) -> bool {
    schema.as_object().is_some_and(|map| {
        map.len() == 1 && map.get("type").and_then(Value::as_str) == Some("null")
    })
}
