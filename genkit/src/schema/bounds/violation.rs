//! Violations: the place, the value and the bound, in words that a model can mend a call by.

use std::fmt::Write as _;

use serde_json::Value;

use super::equality::repeated;
use super::keywords::{Leaf, lacks};
use crate::truncate::excerpt;

/// How many violations one message names: enough to mend a call, no more. Default is 5.
const MAX_SHOWN: usize = 5;

/// How much of a value a message shows, in characters. Default is 80.
const MAX_VALUE: usize = 80;

/// One step of a path into a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Key(String),
    Index(usize),
}

/// A place in a value, on the stack of whoever walks it.
#[derive(Clone, Copy)]
pub(super) struct Place<'p> {
    pub(super) parent: Option<&'p Place<'p>>,
    pub(super) step: PlaceStep<'p>,
    pub(super) depth: usize,
}

#[derive(Clone, Copy)]
pub(super) enum PlaceStep<'p> {
    Root,
    Key(&'p str),
    Index(usize),
}

impl<'p> Place<'p> {
    pub(super) const ROOT: Place<'static> = Place { parent: None, step: PlaceStep::Root, depth: 0 };

    pub(super) fn key(&'p self, key: &'p str) -> Self {
        Self { parent: Some(self), step: PlaceStep::Key(key), depth: self.depth + 1 }
    }

    pub(super) fn index(&'p self, index: usize) -> Self {
        Self { parent: Some(self), step: PlaceStep::Index(index), depth: self.depth + 1 }
    }

    /// The same place, one schema further.
    pub(super) fn deeper(self) -> Self {
        Self { depth: self.depth + 1, ..self }
    }

    pub(super) fn path(&self) -> Vec<Step> {
        let mut path = Vec::new();
        let mut at = Some(self);
        while let Some(place) = at {
            match place.step {
                PlaceStep::Root => {}
                PlaceStep::Key(key) => path.push(Step::Key(key.to_owned())),
                PlaceStep::Index(index) => path.push(Step::Index(index)),
            }
            at = place.parent;
        }
        path.reverse();
        path
    }
}

/// A place that breaks a schema.
#[derive(Clone, Debug)]
pub(super) struct Violation {
    pub(super) path: Vec<Step>,
    pub(super) text: String,
    pub(super) about: About,
    pub(super) doubt: Doubt,
}

/// What a violation is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum About {
    /// A bound: of the right kind, and too much or too little.
    Bound,
    /// The kind of the value: its type, or which of the listed it is.
    Kind,
    /// What it consists of: missing and unknown members.
    Parts,
}

/// Why a violation may be none, where a Rust type has read the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Doubt {
    None,
    /// The text may be another name of one that is listed (`#[serde(alias)]`).
    Alias,
    /// It is not known whether the type reads what stands there.
    Unread,
}

/// The value that a path leads to.
pub(super) fn at_mut<'v>(value: &'v mut Value, path: &[Step]) -> Option<&'v mut Value> {
    path.iter().try_fold(value, |value, step| match step {
        Step::Key(key) => value.get_mut(key.as_str()),
        Step::Index(index) => value.get_mut(*index),
    })
}

/// All of them as one message.
pub(super) fn message(violations: &[Violation]) -> String {
    let mut text = String::new();
    for violation in violations.iter().take(MAX_SHOWN) {
        if !text.is_empty() {
            text.push_str("; ");
        }
        let place = shown_path(&violation.path);
        if !place.is_empty() {
            let _ = write!(text, "at `{place}`: ");
        }
        text.push_str(&violation.text);
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

/// A value as a message shows it.
pub(super) fn shown(value: &Value) -> String {
    match value {
        Value::Array(items) => format!("a list of {}", counted(items.len() as u64, "item")),
        Value::Object(members) if members.is_empty() => "an empty object".to_owned(),
        Value::Object(_) => "an object".to_owned(),
        Value::String(text) => Value::from(excerpt(text, MAX_VALUE)).to_string(),
        other => other.to_string(),
    }
}

pub(super) fn counted(count: u64, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

impl Leaf {
    /// What is wrong with a value for which this does not hold.
    pub(super) fn violation(&self, value: &Value) -> String {
        let is = |must: String| format!("is {}, but must be {must}", shown(value));
        let length = |must: &str, count: u64| {
            let own = value.as_str().map_or(0, |text| text.chars().count() as u64);
            let (own, must_have) = (counted(own, "character"), counted(count, "character"));
            format!("is {} ({own}), but must have {must} {must_have}", shown(value))
        };
        let size = |what: &str, must: &str, count: u64| {
            let own = value.as_array().map(Vec::len).or(value.as_object().map(|it| it.len()));
            let own = counted(own.unwrap_or(0) as u64, what);
            format!("has {own}, but must have {must} {count}")
        };
        match self {
            Self::Never => "must not be given".to_owned(),
            Self::Type(types) => is(types.described()),
            Self::Listed(values) if values.len() == 1 => is(shown(&values[0])),
            Self::Listed(values) => {
                let all: Vec<_> = values.iter().map(shown).collect();
                is(format!("one of {}", excerpt(&all.join(", "), MAX_VALUE * MAX_SHOWN)))
            }
            Self::Minimum(bound) => is(format!("at least {bound}")),
            Self::Maximum(bound) => is(format!("at most {bound}")),
            Self::MoreThan(bound) => is(format!("more than {bound}")),
            Self::LessThan(bound) => is(format!("less than {bound}")),
            Self::MultipleOf(step) => is(format!("a multiple of {step}")),
            Self::MinLength(bound) => length("at least", *bound),
            Self::MaxLength(bound) => length("at most", *bound),
            Self::Pattern(regex) => {
                let regex = excerpt(regex.as_str(), MAX_VALUE * MAX_SHOWN);
                format!("is {}, but must match the pattern `{regex}`", shown(value))
            }
            Self::MinItems(bound) => size("item", "at least", *bound),
            Self::MaxItems(bound) => size("item", "at most", *bound),
            Self::Unique => {
                let twice = value.as_array().and_then(|items| repeated(items)).map(shown);
                format!(
                    "has {} more than once, but its items must differ",
                    twice.unwrap_or_default()
                )
            }
            Self::MinMembers(bound) => size("member", "at least", *bound),
            Self::MaxMembers(bound) => size("member", "at most", *bound),
            Self::Required(names) => lacking(value, names),
            Self::Needs(all) => {
                let broken = all.iter().filter(|needs| lacks(value, needs));
                let told = broken.map(|(member, others)| {
                    format!("has `{member}` and {}", lacking(value, others))
                });
                told.collect::<Vec<_>>().join(", and ")
            }
        }
    }
}

fn lacking(value: &Value, names: &[String]) -> String {
    let lacks = |name: &&String| value.get(name.as_str()).is_none();
    let names: Vec<_> = names.iter().filter(lacks).map(|name| format!("`{name}`")).collect();
    format!("lacks {}", names.join(", "))
}
