//! References: the targets that a schema defines, and the resolution of each form of reference.

use std::collections::HashMap;
use std::rc::Rc;

use serde_json::Value;

use crate::json::pointer;

/// Keywords whose values are not schemas, so they contain no reference targets.
const VALUES: [&str; 5] = ["const", "enum", "default", "examples", "example"];

/// The reference targets in a schema.
pub(crate) struct References<'a> {
    root: &'a Value,
    /// The schemas with an `$id`, by their full URI.
    resources: HashMap<Rc<str>, &'a Value>,
    /// The URI of the enclosing resource by the address of an object, if that resource is not the root.
    bases: HashMap<usize, Rc<str>>,
    /// The anchors by resource and `#name`.
    anchors: HashMap<(Rc<str>, &'a str), &'a Value>,
    /// The number of `$dynamicAnchor`s with each name. The name `""` counts `$recursiveAnchor`.
    dynamic: HashMap<&'a str, usize>,
    own: Rc<str>,
    /// Whether the schema uses `unevaluatedProperties` or `unevaluatedItems`.
    pub(super) has_unevaluated: bool,
}

impl<'a> References<'a> {
    pub(crate) fn for_schema(root: &'a Value, is_old: bool) -> Self {
        let own: Rc<str> = root.get("$id").and_then(Value::as_str).unwrap_or_default().into();
        let own: Rc<str> = own.trim_end_matches('#').into();
        let mut references = Self {
            root,
            resources: HashMap::new(),
            bases: HashMap::new(),
            anchors: HashMap::new(),
            dynamic: HashMap::new(),
            own: Rc::clone(&own),
            has_unevaluated: false,
        };
        references.scan_schema(root, &own, is_old);
        references
    }

    // The recursion depth is limited, because the JSON parser limits the depth of the schema.
    fn scan_schema(&mut self, schema: &'a Value, base: &Rc<str>, is_old: bool) {
        let map = match schema {
            Value::Object(map) => map,
            Value::Array(items) => {
                return items.iter().for_each(|item| self.scan_schema(item, base, is_old));
            }
            _ => return,
        };
        let mut base = Rc::clone(base);
        let text = |key: &str| map.get(key).and_then(Value::as_str);
        let id = text("$id").filter(|_| !(is_old && map.contains_key("$ref")));
        match id {
            Some(id) if id.starts_with('#') => {
                self.anchors.insert((Rc::clone(&base), &id[1..]), schema);
            }
            Some(id) if !std::ptr::eq(schema, self.root) => {
                base = join_reference(&base, id.trim_end_matches('#')).into();
                self.resources.entry(Rc::clone(&base)).or_insert(schema);
            }
            _ => {}
        }
        if let Some(anchor) = text("$anchor") {
            self.anchors.insert((Rc::clone(&base), anchor), schema);
        }
        if let Some(anchor) = text("$dynamicAnchor") {
            self.anchors.insert((Rc::clone(&base), anchor), schema);
            *self.dynamic.entry(anchor).or_default() += 1;
        }
        if map.get("$recursiveAnchor") == Some(&Value::Bool(true)) {
            *self.dynamic.entry("").or_default() += 1;
        }
        if base != self.own {
            self.bases.insert(std::ptr::from_ref(schema).addr(), Rc::clone(&base));
        }
        for (key, value) in map {
            self.has_unevaluated |= key == "unevaluatedProperties" || key == "unevaluatedItems";
            if !VALUES.contains(&key.as_str()) {
                self.scan_schema(value, &base, is_old);
            }
        }
    }

    /// Resolves a `reference` in the schema `from`. Returns the target and its path.
    pub(crate) fn find_target(
        &self,
        from: &'a Value,
        reference: &str,
    ) -> Option<(&'a Value, String)> {
        let base = self.bases.get(&std::ptr::from_ref(from).addr()).unwrap_or(&self.own);
        let (document, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let document: Rc<str> = match document {
            "" => Rc::clone(base),
            other => join_reference(base, other).into(),
        };
        let resource = match self.resources.get(&document) {
            Some(resource) => resource,
            None if document == self.own => self.root,
            None => return None,
        };
        let at = pointer::from_reference(&format!("#{fragment}"));
        if let Some(at) = at {
            return Some((resource.pointer(&at)?, at));
        }
        let name = pointer::from_reference(&format!("#/{fragment}"))?;
        let name = name.strip_prefix('/')?;
        let schema = self.anchors.get(&(document, name))?;
        Some((schema, format!("#{name}")))
    }

    /// Returns whether the target of a dynamic reference depends on the path that leads to it.
    pub(super) fn is_dynamic(&self, reference: &str) -> bool {
        let name = reference.split_once('#').map_or("", |(_, name)| name);
        self.dynamic.get(name).is_some_and(|count| *count > 1)
    }
}

/// Resolves a relative reference to a document.
fn join_reference(base: &str, reference: &str) -> String {
    if reference.contains("://") || reference.starts_with("urn:") {
        return reference.to_owned();
    }
    let base = base.split('#').next().unwrap_or_default();
    let host = base
        .find("://")
        .map_or(0, |at| base[at + 3..].find('/').map_or(base.len(), |slash| at + 3 + slash));
    if reference.starts_with('/') {
        return format!("{}{reference}", &base[..host]);
    }
    let folder = base[host..].rfind('/').map_or(host, |slash| host + slash + 1);
    format!("{}{reference}", &base[..folder])
}
