//! Violations: position, value and bound, in a message that helps a model to correct a call.

use std::fmt::Write as _;

use serde_json::Value;

use super::equality::find_repeated;
use super::keywords::{About, Leaf, lacks_member};
use crate::truncate::excerpt;

/// The maximum number of violations in one message. Default is 5.
const MAX_SHOWN: usize = 5;

/// The maximum length of the text of one violation, and of its path, in characters. Default is 1,000.
const MAX_TEXT: usize = 1_000;

/// The maximum length of a value in a message, in characters. Default is 80.
const MAX_VALUE: usize = 80;

/// The maximum length of a pattern or a list of values in a message, in characters. Default is 400.
const MAX_LISTED: usize = 400;

/// One segment of a path into a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Key(String),
    Index(usize),
}

/// A position in a value, stored on the stack during a walk.
#[derive(Clone, Copy)]
pub(super) struct Place<'p> {
    pub(super) parent: Option<&'p Place<'p>>,
    pub(super) step: PathSegment<'p>,
    pub(super) depth: usize,
}

#[derive(Clone, Copy)]
pub(super) enum PathSegment<'p> {
    Root,
    Key(&'p str),
    Index(usize),
}

impl<'p> Place<'p> {
    pub(super) const ROOT: Place<'static> =
        Place { parent: None, step: PathSegment::Root, depth: 0 };

    pub(super) fn child_key(&'p self, key: &'p str) -> Self {
        Self { parent: Some(self), step: PathSegment::Key(key), depth: self.depth + 1 }
    }

    pub(super) fn index(&'p self, index: usize) -> Self {
        Self { parent: Some(self), step: PathSegment::Index(index), depth: self.depth + 1 }
    }

    /// Returns the same position with the depth of a nested schema.
    pub(super) fn one_deeper(self) -> Self {
        Self { depth: self.depth + 1, ..self }
    }

    pub(super) fn collect_path(&self) -> Vec<Step> {
        let mut path = Vec::new();
        let mut at = Some(self);
        while let Some(place) = at {
            match place.step {
                PathSegment::Root => {}
                PathSegment::Key(key) => path.push(Step::Key(key.to_owned())),
                PathSegment::Index(index) => path.push(Step::Index(index)),
            }
            at = place.parent;
        }
        path.reverse();
        path
    }
}

/// A violation of a schema.
#[derive(Clone, Debug)]
pub(super) struct Violation {
    pub(super) path: Vec<Step>,
    pub(super) text: String,
    pub(super) about: About,
    pub(super) doubt: Doubt,
}

/// The reason why a violation in a value that a Rust type has accepted may be a false positive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Doubt {
    None,
    /// The text may be an alias of a listed value (`#[serde(alias)]`).
    Alias,
    /// It is unknown whether the type reads the value at this position.
    Unread,
}

/// Returns the value at a path.
pub(super) fn at_mut<'v>(value: &'v mut Value, path: &[Step]) -> Option<&'v mut Value> {
    path.iter().try_fold(value, |value, step| match step {
        Step::Key(key) => value.get_mut(key.as_str()),
        Step::Index(index) => value.get_mut(*index),
    })
}

/// Formats the violations as one message.
pub(super) fn violation_message(violations: &[Violation]) -> String {
    let mut text = String::new();
    for violation in violations.iter().take(MAX_SHOWN) {
        if !text.is_empty() {
            text.push_str("; ");
        }
        let place = excerpt(&shown_path(&violation.path), MAX_TEXT);
        if !place.is_empty() {
            let _ = write!(text, "at `{place}`: ");
        }
        text.push_str(&excerpt(&violation.text, MAX_TEXT));
    }
    text
}

fn shown_path(path: &[Step]) -> String {
    let mut place = String::new();
    for step in path {
        match step {
            Step::Key(key) if place.is_empty() => place.push_str(key),
            Step::Key(key) => {
                let _ = write!(place, ".{key}");
            }
            Step::Index(index) => {
                let _ = write!(place, "[{index}]");
            }
        }
    }
    place
}

/// Formats a value for a message.
pub(super) fn show_value(value: &Value) -> String {
    match value {
        Value::String(text) => Value::from(excerpt(text, MAX_VALUE)).to_string(),
        Value::Array(items) if crate::json::size::is_larger(value, MAX_VALUE) => {
            format!("a list of {}", format_count(items.len() as u64, "item", "items"))
        }
        Value::Object(map) if crate::json::size::is_larger(value, MAX_VALUE) => {
            format!("an object of {}", format_count(map.len() as u64, "property", "properties"))
        }
        other => other.to_string(),
    }
}

/// Formats a number with its unit: `1 item`, `2 items`.
pub(super) fn format_count(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

impl Leaf {
    /// Describes the violation of this keyword by a value, with the wording of other validators.
    pub(super) fn describe_violation(&self, value: &Value) -> String {
        let it = show_value(value);
        let characters = |count: &u64| format_count(*count, "character", "characters");
        let items = |count: &u64| format_count(*count, "item", "items");
        let members = |count: &u64| format_count(*count, "property", "properties");
        let has_items = || items(&value.as_array().map_or(0, |items| items.len() as u64));
        let has_members = || members(&value.as_object().map_or(0, |map| map.len() as u64));
        match self {
            Self::Never => "no value is allowed here; remove the value".to_owned(),
            Self::Type(types) => format!("{it} is not of {}", types.describe_types()),
            Self::Listed(listed) => match &listed.values[..] {
                [one] => format!("{it} is not the expected {}", show_value(one)),
                many => format!("{it} is not one of {}", list_values(many)),
            },
            Self::Minimum(bound) => format!("{it} is less than the minimum of {bound}"),
            Self::Maximum(bound) => format!("{it} is greater than the maximum of {bound}"),
            Self::MoreThan(bound) => {
                format!("{it} is less than or equal to the exclusive minimum of {bound}")
            }
            Self::LessThan(bound) => {
                format!("{it} is greater than or equal to the exclusive maximum of {bound}")
            }
            Self::MultipleOf(step) => format!("{it} is not a multiple of {step}"),
            Self::MinLength(bound) => format!("{it} is shorter than {}", characters(bound)),
            Self::MaxLength(bound) => format!("{it} is longer than {}", characters(bound)),
            Self::Pattern(pattern) => {
                let pattern = Value::from(excerpt(pattern.as_str(), MAX_LISTED));
                format!("{it} does not match the pattern {pattern}")
            }
            Self::MinItems(bound) => {
                format!("{it} has {}, less than the minimum of {bound}", has_items())
            }
            Self::MaxItems(bound) => {
                format!("{it} has {}, more than the maximum of {bound}", has_items())
            }
            Self::Unique => {
                let twice = value.as_array().and_then(|items| find_repeated(items)).map(show_value);
                format!(
                    "{it} has {} more than once, and must have unique items",
                    twice.unwrap_or_default()
                )
            }
            Self::MinMembers(bound) => {
                format!("{it} has {}, less than the minimum of {bound}", has_members())
            }
            Self::MaxMembers(bound) => {
                format!("{it} has {}, more than the maximum of {bound}", has_members())
            }
            Self::Required(names) => missing_names(value, names),
            Self::Needs(all) => {
                let broken = all.iter().filter(|needs| lacks_member(value, needs));
                let told = broken.map(|(member, others)| {
                    format!(
                        "{} if {} is present",
                        missing_names(value, others),
                        Value::from(member.as_str())
                    )
                });
                told.collect::<Vec<_>>().join(", and ")
            }
        }
    }
}

fn list_values(values: &[Value]) -> String {
    let all: Vec<_> = values.iter().take(MAX_LISTED / 2).map(show_value).collect();
    excerpt(&all.join(", "), MAX_LISTED)
}

fn missing_names(value: &Value, names: &[String]) -> String {
    let lacks = |name: &&String| value.get(name.as_str()).is_none();
    let names = names.iter().filter(lacks).take(MAX_LISTED / 4);
    let names = names.map(|name| Value::from(name.as_str()).to_string());
    match &names.collect::<Vec<_>>()[..] {
        [one] => format!("{one} is a required property"),
        many => format!("{} are required properties", many.join(", ")),
    }
}
