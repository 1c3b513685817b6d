//! Flattening of several schemas into one: a `$ref` and its target, an `anyOf` with one branch.
//!
//! Nothing is copied. A [`Flat`] is a list of layers: parts of the exact schema with their pointers. Earlier layers (at
//! the referring schema) take precedence over the targets of references.

use serde_json::{Map, Value};

/// A part of a schema.
pub(super) struct Layer<'a> {
    pub map: &'a Map<String, Value>,
    /// The pointer in the exact schema.
    pub at: String,
    /// A keyword whose content became the next layer.
    pub without: Option<&'static str>,
    /// The name of the definition, if the layer is one.
    pub definition: Option<String>,
}

/// A reference that was not followed.
pub(super) struct Cut<'a> {
    pub target: Option<&'a Value>,
    /// The name of the recursive type, if the reference was cut because of recursion.
    pub again: Option<String>,
}

/// A schema in layers.
pub(super) struct Flat<'a> {
    pub layers: Vec<Layer<'a>>,
    pub cut: Option<Cut<'a>>,
    /// Whether null was split off.
    pub nullable: bool,
    /// Whether no value is accepted.
    pub never: bool,
}

/// A keyword with its value and the pointer of its layer.
pub(super) type KeywordEntry<'f, 'a> = (&'a str, &'a Value, &'f str);

impl<'a> Layer<'a> {
    pub(super) fn new(map: &'a Map<String, Value>, at: String) -> Self {
        Self { map, at, without: None, definition: None }
    }

    pub(super) fn get_keyword(&self, key: &str) -> Option<&'a Value> {
        self.map.get(key).filter(|_| self.without != Some(key))
    }
}

impl<'a> Flat<'a> {
    /// Returns the effective value of a keyword, and the pointer of its layer.
    pub(super) fn find_keyword(&self, key: &str) -> Option<(&'a Value, &str)> {
        self.all_values(key).next()
    }

    /// Returns all values of a keyword, with the pointers of their layers.
    pub(super) fn all_values(&self, key: &str) -> impl Iterator<Item = (&'a Value, &str)> {
        self.layers
            .iter()
            .filter_map(move |layer| Some((layer.get_keyword(key)?, layer.at.as_str())))
    }

    /// Returns each keyword once, with its effective value and the pointer of its layer.
    pub(super) fn keyword_entries(&self) -> impl Iterator<Item = KeywordEntry<'_, 'a>> {
        self.layers.iter().enumerate().flat_map(move |(depth, layer)| {
            let entries =
                layer.map.iter().map(move |(key, value)| (key.as_str(), value, layer.at.as_str()));
            entries.filter(move |(key, ..)| {
                layer.without != Some(key)
                    && self.layers[..depth].iter().all(|above| above.get_keyword(key).is_none())
            })
        })
    }

    /// Returns the names of the required properties, each once.
    pub(super) fn required_names(&self) -> Vec<&'a str> {
        let mut names = Vec::new();
        for (value, _) in self.all_values("required") {
            for name in value.as_array().into_iter().flatten().filter_map(Value::as_str) {
                if !names.contains(&name) {
                    names.push(name);
                }
            }
        }
        names
    }

    /// Returns the title, unless it is only the name of a type.
    pub(super) fn shown_title(&self, is_root: bool) -> Option<&'a Value> {
        let (depth, layer) = self
            .layers
            .iter()
            .enumerate()
            .find(|(_, layer)| layer.get_keyword("title").is_some())?;
        let title = layer.get_keyword("title")?;
        let is_name = title.as_str() == layer.definition.as_deref() || (is_root && depth == 0);
        (!is_name).then_some(title)
    }

    /// Returns a keyword in the target of a reference that was cut.
    pub(super) fn beyond_cut(&self, key: &str) -> Option<&'a Value> {
        self.cut.as_ref()?.target?.get(key)
    }

    /// Returns the type of the target of a reference that was cut, if there is only one.
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

/// Returns whether a schema accepts only null.
pub(super) fn is_null(schema: &Value) -> bool {
    schema.as_object().is_some_and(|map| {
        map.len() == 1 && map.get("type").and_then(Value::as_str) == Some("null")
    })
}
