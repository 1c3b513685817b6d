//! Bounds: the assertions of a schema, compiled once. They are checked in every build, even without the feature
//! `validation`.

mod alias;
mod choice;
mod compile;
mod equality;
mod keywords;
mod listed;
mod mark;
mod members;
mod number;
mod pattern;
mod plain;
mod references;
#[cfg(test)]
mod tests;
mod unevaluated;
mod violation;
mod walk;

use serde_json::Value;

use self::alias::{Reader, TooManyNames, rename_member};
use self::keywords::Node;
pub(crate) use self::pattern::is_supported_pattern;
pub(crate) use self::references::References;
use self::violation::{Doubt, Place, Violation, at_mut, violation_message};
use self::walk::{CheckMode, Suspect, Walk};
use super::error::Error as E;
use super::retry_parse::parse_embedded_json;
use crate::bounded_json::ValueBudget;

/// The maximum number of violations that are collected. Default is 64, more than a message shows, because strings at
/// these positions may be parsed as JSON.
const MAX_FOUND: usize = 64;

const TOO_MUCH: &str = "is too large or too deeply nested to be checked against its schema";

/// The reason why a value was rejected.
#[derive(Debug)]
pub(crate) enum Mismatch {
    /// The value violates the schema; the message describes how.
    Broken(String),
    /// The check would take too long.
    TooMuch,
}

/// The guarantee for the shape of a value (types, members, variants) before bounds are checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A Rust type, from which the schema was derived, has deserialized the value.
    Read,
    /// No guarantee: the schema was written by hand, and every keyword must be checked.
    Written,
}

impl Shape {
    fn check_mode(self) -> CheckMode {
        match self {
            Self::Read => CheckMode::Read,
            Self::Written => CheckMode::Whole,
        }
    }
}

/// A compiled schema.
#[derive(Debug)]
pub struct Bounds {
    nodes: Vec<Node>,
    shape: Shape,
}

impl Bounds {
    /// Compiles a schema. Returns `None` if it has no constraints beyond those that deserialization checks.
    pub fn compile(schema: &Value, shape: Shape) -> Result<Option<Self>, E> {
        if shape == Shape::Read && plain::asserts_nothing(schema) {
            return Ok(None);
        }
        Self::compile_all(schema, shape)
    }

    /// Compiles a schema like [`compile`](Self::compile), without the shortcut for plain schemas.
    fn compile_all(schema: &Value, shape: Shape) -> Result<Option<Self>, E> {
        let mut nodes = compile::compile_nodes(schema, shape)?;
        let is_needed = match shape {
            Shape::Read => {
                mark::mark_nodes(&mut nodes);
                nodes[0].is_bounded
            }
            Shape::Written => nodes.iter().any(|node| !node.checks.is_empty()),
        };
        if !is_needed {
            return Ok(None);
        }
        mark::reject_cycles(&nodes)?;
        Ok(Some(Self { nodes, shape }))
    }

    /// Checks `value` against the schema. Reports only definite violations, which do not depend on the type that
    /// deserializes the value.
    pub fn check(&self, value: &Value) -> Result<(), String> {
        self.check_value(value).map_err(|why| match why {
            Mismatch::Broken(text) => text,
            Mismatch::TooMuch => TOO_MUCH.to_owned(),
        })
    }

    /// Checks a value like [`check`](Self::check), but distinguishes values that could not be checked.
    pub(crate) fn check_value(&self, value: &Value) -> Result<(), Mismatch> {
        if self.shape == Shape::Written {
            return self.check_whole(value);
        }
        let (mut found, _) = self.walk_value(value).map_err(|_| Mismatch::TooMuch)?;
        found.retain(|violation| violation.doubt == Doubt::None);
        if found.is_empty() { Ok(()) } else { Err(Mismatch::Broken(violation_message(&found))) }
    }

    /// Checks every keyword. A first pass only decides whether the value is valid; a second pass collects the
    /// violations.
    fn check_whole(&self, value: &Value) -> Result<(), Mismatch> {
        let mut walk = Walk::new(&self.nodes, value, false, MAX_FOUND);
        if walk.fits_node(0, value, &Place::ROOT) {
            return Ok(());
        }
        if walk.is_exhausted {
            return Err(Mismatch::TooMuch);
        }
        walk.refill_steps();
        walk.check_node(0, value, &Place::ROOT, CheckMode::Whole);
        Err(Mismatch::Broken(match walk.found.is_empty() {
            true => "does not match its schema, and is too large or too deeply nested to locate the mismatch"
                .to_owned(),
            false => violation_message(&walk.found),
        }))
    }

    /// Checks `value` against the schema of a type. `read` returns whether the type accepts a value.
    pub fn check_read(&self, value: &Value, read: &dyn Fn(&Value) -> bool) -> Result<(), String> {
        let (found, suspects) = self.walk_value(value)?;
        if found.is_empty() && suspects.is_empty() {
            return Ok(());
        }
        self.judge_value(value, found, suspects, &mut Reader::new(value, read))
    }

    fn judge_value(
        &self,
        value: &Value,
        mut found: Vec<Violation>,
        suspects: Vec<Suspect>,
        reader: &mut Reader<'_>,
    ) -> Result<(), String> {
        found.retain(|violation| reader.is_cause_of(value, violation));
        if !found.is_empty() {
            return Err(violation_message(&found));
        }
        for suspect in &suspects {
            for name in &suspect.unknown {
                let shown = reader.shown_names(value, suspect, name).map_err(|TooManyNames| {
                    format!("has too many members that are not in its schema, such as `{name}`")
                })?;
                let mut refused = None;
                for shown in shown {
                    let same = suspects.iter().filter(|other| other.node == suspect.node);
                    let value = same.fold(value.clone(), |value, other| {
                        rename_member(value, &other.path, name, shown)
                    });
                    let (found, suspects) = self.walk_value(&value)?;
                    match self.judge_value(&value, found, suspects, reader) {
                        Ok(()) => return Ok(()),
                        Err(why) => refused = refused.or(Some(why)),
                    }
                }
                if let Some(why) = refused {
                    return Err(why);
                }
            }
        }
        Ok(())
    }

    /// Parses strings that do not match the schema and contain JSON.
    pub(crate) fn retry_parse(&self, value: &mut Value) {
        let mut walk = Walk::new(&self.nodes, value, self.shape == Shape::Read, MAX_FOUND);
        walk.check_node(0, value, &Place::ROOT, self.shape.check_mode());
        let budget = ValueBudget::default();
        for violation in walk.found {
            let Some(place) = at_mut(value, &violation.path) else { continue };
            let text = place.as_str();
            if let Some(inner) =
                text.and_then(|text| parse_embedded_json(text, violation.path.len(), &budget))
            {
                *place = inner;
            }
        }
    }

    fn walk_value(&self, value: &Value) -> Result<(Vec<Violation>, Vec<Suspect>), String> {
        let is_read = self.shape == Shape::Read;
        let mut walk = Walk::new(&self.nodes, value, is_read, MAX_FOUND);
        walk.check_node(0, value, &Place::ROOT, self.shape.check_mode());
        if walk.is_exhausted {
            return Err(TOO_MUCH.to_owned());
        }
        Ok((walk.found, walk.suspects))
    }
}
