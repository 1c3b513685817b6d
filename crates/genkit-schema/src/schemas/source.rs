//! The origin of a schema, and the data derived from it.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use serde_json::{Map, Value};

use crate::bounds::Shape;
use crate::check::Checker;
use crate::conversion::Loss;
use crate::dialect::object_root::object_root;
use crate::dialect::validated::to_validated;
use crate::portable;
use crate::repair::{Patterns, Repaired, repair, repair_arguments};
use crate::result_shape::ResultShape;
use crate::shared::Schema;

/// The origin of a schema.
pub(super) enum Origin {
    Input(Box<dyn Fn() -> Value + Send + Sync>),
    Output(fn() -> Option<Value>),
    /// A declared type that is not the return type.
    Declared(fn() -> Value),
    Written(WrittenSchema),
}

/// A hand-written schema, repaired.
pub(super) struct WrittenSchema {
    schema: Schema,
    repairs: Vec<Loss>,
    /// Whether the schema is for the arguments of a tool, whose root must be an object.
    is_input: bool,
    /// Whether the schema is served unchanged, because it declares its draft and needed no repair.
    is_final: bool,
}

impl Origin {
    pub(super) fn from_written_input(schema: Value, patterns: Patterns) -> Self {
        Self::from_repaired(repair_arguments(schema, patterns), true, patterns)
    }

    pub(super) fn from_written_output(schema: Value, patterns: Patterns) -> Self {
        Self::from_repaired(repair(schema, patterns), false, patterns)
    }

    fn from_repaired(repaired: Repaired, is_input: bool, patterns: Patterns) -> Self {
        let Repaired { schema, losses } = repaired;
        let is_declared = patterns == Patterns::All && schema.get("$schema").is_some();
        let is_final = is_declared && losses.is_empty();
        Self::Written(WrittenSchema {
            schema: Schema::new(schema),
            repairs: losses,
            is_input,
            is_final,
        })
    }
}

/// A schema and the data derived from it, each computed on first use.
pub(super) struct Source {
    origin: Origin,
    exact: OnceLock<Option<Schema>>,
    portable: OnceLock<Option<ServedSchema>>,
    checker: OnceLock<Checker>,
}

/// The schema sent to clients.
pub(super) struct ServedSchema {
    /// The schema as an object, shared with the lists. It is empty if the schema is not an object.
    pub(super) object: Arc<Map<String, Value>>,
    whole: OnceLock<Value>,
    pub(super) degraded: Vec<Loss>,
    pub(super) shape: ResultShape,
}

impl ServedSchema {
    fn new(schema: Value, degraded: Vec<Loss>) -> Self {
        let shape = ResultShape::from_schema(Some(&schema));
        let (object, whole) = match schema {
            Value::Object(object) => (object, OnceLock::new()),
            other => (Map::new(), OnceLock::from(other)),
        };
        Self { object: Arc::new(object), whole, degraded, shape }
    }

    /// Returns the schema as a value. For an object this is a copy, made on first use, because servers only list the
    /// object.
    pub(super) fn whole(&self) -> &Value {
        self.whole.get_or_init(|| Value::Object(Map::clone(&self.object)))
    }
}

impl Source {
    pub(super) fn share_source(origin: Origin) -> Arc<Self> {
        Arc::new(Self::new(origin))
    }

    /// Returns the source for arguments of a type, shared by all users of that type.
    pub(super) fn from_input(make: fn() -> Value) -> Arc<Self> {
        static SHARED: SharedSources = SharedSources::new();
        SHARED.source((make as *const ()).addr(), || Origin::Input(Box::new(make)))
    }

    /// Returns the source for results of a type, shared by all users of that type.
    pub(super) fn of_result(make: fn() -> Option<Value>) -> Arc<Self> {
        static SHARED: SharedSources = SharedSources::new();
        SHARED.source((make as *const ()).addr(), || Origin::Output(make))
    }

    fn new(origin: Origin) -> Self {
        Self { origin, exact: OnceLock::new(), portable: OnceLock::new(), checker: OnceLock::new() }
    }

    /// Returns the exact schema, and caches it.
    pub(super) fn exact(&self) -> Option<&Schema> {
        match &self.origin {
            Origin::Written(written) => Some(&written.schema),
            _ => self.exact.get_or_init(|| self.make_schema().map(Schema::new)).as_ref(),
        }
    }

    /// Returns the repairs of a hand-written schema.
    pub(super) fn repairs(&self) -> &[Loss] {
        match &self.origin {
            Origin::Written(written) => &written.repairs,
            _ => &[],
        }
    }

    fn make_schema(&self) -> Option<Value> {
        match &self.origin {
            Origin::Written(written) => Some(Value::clone(&written.schema)),
            Origin::Input(make) => Some(make()),
            Origin::Declared(make) => Some(make()),
            Origin::Output(make) => make(),
        }
    }

    pub(super) fn portable(&self) -> Option<&ServedSchema> {
        if self.portable.get().is_none() {
            self.with_exact(|exact| self.fill_portable(exact));
        }
        self.portable.get().and_then(Option::as_ref)
    }

    pub(super) fn checker(&self) -> Option<&Checker> {
        if self.checker.get().is_none() && self.checked_shape().is_some() {
            self.with_exact(|exact| self.fill_checker(exact));
        }
        self.checker.get()
    }

    /// Provides the exact schema to `fill`. If it must be created, all data for a server is derived in one pass and the
    /// schema is dropped, because the exact schemas of a thousand tools would take more memory than everything else.
    fn with_exact(&self, fill: impl FnOnce(Option<&Value>)) {
        match (&self.origin, self.exact.get()) {
            (Origin::Written(written), _) => fill(Some(&written.schema)),
            (_, Some(kept)) => fill(kept.as_deref()),
            (_, None) => {
                let made = self.make_schema();
                self.fill_checker(made.as_ref());
                self.fill_portable(made.as_ref());
            }
        }
    }

    fn fill_checker(&self, exact: Option<&Value>) {
        if let (Some(shape), Some(exact)) = (self.checked_shape(), exact) {
            self.checker.get_or_init(|| Checker::new(exact, shape));
        }
    }

    fn fill_portable(&self, exact: Option<&Value>) {
        self.portable.get_or_init(|| exact.map(|exact| self.build_served(exact)));
    }

    fn build_served(&self, exact: &Value) -> ServedSchema {
        if let Origin::Written(WrittenSchema { is_final: true, .. }) = &self.origin {
            return ServedSchema::new(exact.clone(), Vec::new());
        }
        let (is_input, mut losses) = match &self.origin {
            Origin::Input(_) => (true, Vec::new()),
            Origin::Written(written) => (written.is_input, written.repairs.clone()),
            Origin::Output(_) | Origin::Declared(_) => (false, Vec::new()),
        };
        // A hand-written schema that every client accepts is served unchanged.
        let is_written = matches!(self.origin, Origin::Written(_));
        let mut plain = exact.clone();
        if is_written && let Value::Object(map) = &mut plain {
            map.shift_remove("$schema");
        }
        // Receivers compile the schemas of arguments; the schemas of results are only descriptive.
        let strict = if is_written && is_input { to_validated(&plain) } else { plain.clone() };
        let schema = if is_written && strict == plain && portable::has_portable_keywords(&plain) {
            plain
        } else {
            let portable = portable::portable(&strict);
            losses.extend(portable.degraded);
            portable.schema
        };
        let takes_object = |schema: &Value| match schema.get("type") {
            Some(kind) => kind == "object",
            None => schema.get("properties").is_some(),
        };
        if !(is_input && (takes_object(&schema) || takes_object(exact))) {
            return ServedSchema::new(schema, losses);
        }
        let (root, loss) = match object_root(&schema) {
            (Cow::Borrowed(_), _) => return ServedSchema::new(schema, losses),
            (Cow::Owned(root), loss) => (root, loss),
        };
        losses.extend(loss);
        ServedSchema::new(root, losses)
    }

    pub(super) fn is_written(&self) -> bool {
        matches!(self.origin, Origin::Written(_) | Origin::Declared(_))
    }

    /// Returns how the checker treats values, or `None` if nothing is checked.
    fn checked_shape(&self) -> Option<Shape> {
        match &self.origin {
            // The function returns a different type, so the schema may not match.
            Origin::Written(_) | Origin::Declared(_) => Some(Shape::Written),
            Origin::Input(_) => Some(Shape::Read),
            // A type serializes to values that match its schema.
            Origin::Output(_) => None,
        }
    }
}

/// The sources of types in use, by the address of the function that makes their schema. Functions with the same address
/// are identical.
struct SharedSources(Mutex<BTreeMap<usize, Weak<Source>>>);

impl SharedSources {
    const fn new() -> Self {
        Self(Mutex::new(BTreeMap::new()))
    }

    fn source(&self, make: usize, origin: impl FnOnce() -> Origin) -> Arc<Source> {
        // The number of entries equals the number of types, regardless of how many actions are created and dropped.
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = known.entry(make).or_default();
        entry.upgrade().unwrap_or_else(|| {
            let source = Source::share_source(origin());
            *entry = Arc::downgrade(&source);
            source
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::internal::{input_of, output_schema};

    #[test]
    fn schemas_of_a_type_are_shared_while_in_use() {
        let (one, other) =
            (Source::from_input(input_of::<i64>), Source::from_input(input_of::<i64>));
        assert!(Arc::ptr_eq(&one, &other));
        assert!(!Arc::ptr_eq(&one, &Source::from_input(input_of::<String>)));
        let number: fn() -> Option<Value> = || Some(output_schema::<i64>());
        let result = Source::of_result(number);
        assert!(Arc::ptr_eq(&result, &Source::of_result(number)));
        let gone = Arc::downgrade(&one);
        drop((one, other));
        assert!(gone.upgrade().is_none(), "an unused source is dropped");
        assert_eq!(Source::from_input(input_of::<i64>).exact().unwrap()["type"], "integer");
    }

    #[test]
    fn server_makes_a_schema_once_and_does_not_keep_it() {
        static MADE: AtomicUsize = AtomicUsize::new(0);
        let make = || {
            MADE.fetch_add(1, Ordering::Relaxed);
            serde_json::json!({ "type": "object", "properties": {
                "n": { "type": "integer", "format": "int64", "maximum": 3 },
            } })
        };
        let source = Source::share_source(Origin::Input(Box::new(make)));
        assert!(matches!(source.checker(), Some(Checker::Bounds(_))));
        let served = source.portable().unwrap();
        assert_eq!(served.object["properties"]["n"]["maximum"], 3);
        assert_eq!(served.whole().as_object(), Some(&*served.object));
        assert_eq!(MADE.load(Ordering::Relaxed), 1);
        assert!(source.exact.get().is_none());
        assert_eq!(source.exact().unwrap()["properties"]["n"]["format"], "int64");
        source.exact();
        assert_eq!(MADE.load(Ordering::Relaxed), 2, "the exact schema is cached once requested");
        let any =
            Source::share_source(Origin::from_written_input(Value::Bool(true), Patterns::All));
        let served = any.portable().unwrap();
        assert_eq!((served.whole(), served.object.len()), (&Value::Bool(true), 0));
    }
}
