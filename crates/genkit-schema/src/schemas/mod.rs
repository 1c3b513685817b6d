//! The schemas of one action: exact, served, and compiled for checks.

mod source;

use std::sync::Arc;

use serde_json::Map;
use serde_json::{Value, json};

use self::source::{Origin, ServedSchema, Source};
use super::bounds::Bounds;
use super::check::Checker;
use super::conversion::Loss;
use super::error::Error as E;
use super::properties::{drop_blanks, fill_defaults};
use super::repair::Patterns;
use super::result_shape::ResultShape;
use super::shared::Schema;
use super::strictness::Strictness;
use crate::error::Result;

/// The schemas of an action: derived from types on first use, or hand-written. Clones share them.
#[derive(Clone)]
pub struct Schemas {
    input: Arc<Source>,
    output: Arc<Source>,
    /// Whether they come from another program, which validates the arguments itself.
    foreign: bool,
}

impl Schemas {
    /// Creates schemas from types.
    pub fn derived(
        input: impl Fn() -> Value + Send + Sync + 'static,
        output: fn() -> Option<Value>,
    ) -> Self {
        Self {
            input: Source::share_source(Origin::Input(Box::new(input))),
            output: Source::of_result(output),
            foreign: false,
        }
    }

    /// Returns the schemas with a declared output schema, against which results are checked.
    pub fn with_output(self, output: OutputSchema) -> Self {
        let output = match output {
            OutputSchema::Type(make) => Origin::Declared(make),
            OutputSchema::Written(make) => Origin::from_written_output(make(), Patterns::All),
        };
        Self { output: Source::share_source(output), ..self }
    }

    /// Creates schemas from the hand-written ones if present, and otherwise from types.
    pub fn from_written(
        input: Option<Value>,
        input_of: fn() -> Value,
        output: Option<Value>,
        output_of: fn() -> Option<Value>,
    ) -> Self {
        Self {
            input: match input {
                Some(written) => {
                    Source::share_source(Origin::from_written_input(written, Patterns::All))
                }
                None => Source::from_input(input_of),
            },
            output: match output {
                Some(written) => {
                    Source::share_source(Origin::from_written_output(written, Patterns::All))
                }
                None => Source::of_result(output_of),
            },
            foreign: false,
        }
    }

    /// Returns the schemas without an argument, and the schema of that argument alone. Returns `None` if there is no
    /// such argument.
    pub fn split_argument(&self, argument: &str) -> Option<(Self, Self)> {
        let mut input = self.input().clone();
        let property = input.get_mut("properties")?.as_object_mut()?.shift_remove(argument)?;
        let mut alone = json!({ "type": "object", "required": [argument] });
        if let Some(definitions) = input.get("$defs") {
            alone["$defs"] = definitions.clone();
        }
        alone["properties"] =
            Value::Object([(argument.to_owned(), property)].into_iter().collect());
        if let Some(required) = input.get_mut("required").and_then(Value::as_array_mut) {
            required.retain(|name| name != argument);
        }
        let written = |schema| Self {
            input: Source::share_source(Origin::from_written_input(schema, Patterns::All)),
            ..self.clone()
        };
        Some((written(input), written(alone)))
    }

    /// Creates the schemas of a tool of another program.
    pub fn foreign(input: Value, output: Option<Value>) -> Self {
        let output = match output {
            Some(written) => Origin::from_written_output(written, Patterns::Supported),
            None => Origin::Output(|| None),
        };
        Self {
            input: Source::share_source(Origin::from_written_input(input, Patterns::Supported)),
            output: Source::share_source(output),
            foreign: true,
        }
    }

    pub fn input(&self) -> &Value {
        self.input.exact().map_or(&Value::Null, |schema| schema)
    }

    pub fn output(&self) -> Option<&Value> {
        self.output.exact().map(|schema| &**schema)
    }

    /// Returns both exact schemas, shared, for models.
    pub fn shared(&self) -> [Option<Schema>; 2] {
        [self.input.exact().cloned(), self.output.exact().cloned()]
    }

    pub fn portable_input(&self) -> &Value {
        self.input.portable().map_or(&Value::Null, ServedSchema::whole)
    }

    pub fn portable_output(&self) -> Option<&Value> {
        self.output.portable().map(ServedSchema::whole)
    }

    /// Returns whether the input schema explicitly describes an object.
    pub fn takes_object(&self) -> bool {
        let kind = self.input.portable().and_then(|served| served.object.get("type"));
        kind.and_then(Value::as_str) == Some("object")
    }

    /// Returns the served input schema as a shared object.
    pub fn served_input(&self) -> Arc<Map<String, Value>> {
        self.input.portable().map(|served| Arc::clone(&served.object)).unwrap_or_default()
    }

    /// Returns the served output schema as a shared object.
    pub fn served_output(&self) -> Option<Arc<Map<String, Value>>> {
        self.output.portable().map(|served| Arc::clone(&served.object))
    }

    /// Returns the kind of result that the output schema describes.
    pub fn shape(&self) -> ResultShape {
        self.output.portable().map_or(ResultShape::Nothing, |served| served.shape)
    }

    /// Returns the repairs of hand-written schemas that change which values are accepted.
    pub fn repairs(&self) -> impl Iterator<Item = &Loss> {
        [&self.input, &self.output].into_iter().flat_map(|source| source.repairs())
    }

    /// Returns the constraints that the portable schemas cannot express.
    pub fn degraded(&self) -> impl Iterator<Item = &Loss> {
        let both = [self.input.portable(), self.output.portable()];
        both.into_iter().flatten().flat_map(|served| served.degraded.iter())
    }

    /// Returns the reason why one of the schemas cannot be checked, if there is one.
    pub fn unusable(&self) -> Option<&str> {
        // Another program checks its own schemas.
        let own = [&self.input, &self.output].into_iter().filter(|_| !self.foreign);
        own.filter_map(|source| source.checker()).find_map(|checker| match checker {
            Checker::Unusable(why) => Some(why.as_str()),
            _ => None,
        })
    }

    /// Returns the bounds of a type's input schema, to be checked after the type has deserialized a value.
    pub fn bounds(&self) -> Result<Option<&Arc<Bounds>>> {
        match self.input.checker() {
            Some(_) if self.input.is_written() => Ok(None),
            Some(Checker::Bounds(bounds)) => Ok(Some(bounds)),
            Some(Checker::Unusable(why)) => Err(E::Unusable(why.clone())),
            _ => Ok(None),
        }
    }

    /// Returns whether arguments or results are checked against a hand-written schema.
    pub fn are_written(&self) -> bool {
        let is_checked = |source: &Source| {
            source.is_written() && !matches!(source.checker(), None | Some(Checker::Nothing))
        };
        is_checked(&self.input) || is_checked(&self.output)
    }

    /// Fills in the defaults of a hand-written schema. A type fills in its own defaults when it is deserialized.
    pub fn with_defaults(&self, mut arguments: Value, how: Strictness) -> Value {
        if !self.input.is_written() {
            return arguments;
        }
        if arguments.is_null() {
            arguments = Value::Object(serde_json::Map::new());
        }
        if how == Strictness::Text {
            drop_blanks(self.input(), &mut arguments);
        }
        fill_defaults(self.input(), &mut arguments);
        arguments
    }

    /// Checks arguments against a hand-written schema. The schema of a type is checked after the type has deserialized
    /// them.
    pub fn check_input(&self, arguments: Value, how: Strictness) -> Result<Value> {
        if self.input.is_written() { self.check_given(arguments, how) } else { Ok(arguments) }
    }

    /// Checks arguments that are provided before a call, as far as possible without deserializing them.
    pub fn check_given(&self, mut arguments: Value, how: Strictness) -> Result<Value> {
        let checker = match self.input.checker() {
            None | Some(Checker::Nothing) => return Ok(arguments),
            // If the schema cannot be compiled here, the program that it comes from checks the arguments.
            Some(Checker::Unusable(_)) if self.foreign => return Ok(arguments),
            Some(Checker::Unusable(why)) => return Err(E::Unusable(why.clone())),
            Some(checker) => checker,
        };
        if arguments.is_null() {
            arguments = Value::Object(serde_json::Map::new());
        }
        let check = |arguments: &Value| match self.foreign {
            true => checker.check_foreign(arguments),
            false => checker.check(arguments),
        };
        let Err(why) = check(&arguments) else { return Ok(arguments) };
        if how == Strictness::Exact || !self.input.is_written() {
            return Err(E::Arguments(why));
        }
        checker.retry_parse(&mut arguments);
        check(&arguments).map_err(E::Arguments)?;
        Ok(arguments)
    }

    /// Checks a result against a hand-written schema. A result always matches its derived schema.
    pub fn check_output(&self, value: Option<&Value>) -> Result<()> {
        let checker = self.output.checker().filter(|_| !self.foreign);
        let Some(checker) = checker else { return Ok(()) };
        checker.check(value.unwrap_or(&Value::Null)).map_err(E::Result)
    }
}

/// A declared schema of a result, which replaces the schema of the return type.
#[allow(missing_docs, reason = "for expansions and hidden")]
#[derive(Clone, Copy)]
pub enum OutputSchema {
    /// The schema of a type.
    Type(fn() -> Value),
    /// A hand-written schema.
    Written(fn() -> Value),
}
