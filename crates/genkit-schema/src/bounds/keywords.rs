//! The compiled form of JSON Schema's assertion keywords.

use std::cmp::Ordering;
use std::collections::HashMap;

use serde_json::Value;

use super::equality::find_repeated;
use super::listed::ValueList;
use super::number::Num;
use super::pattern::Pattern;

/// The index of a compiled schema.
pub(super) type Id = usize;

/// One compiled schema.
#[derive(Debug, Default)]
pub(super) struct Node {
    /// The types of `type`, if present.
    pub(super) types: Option<Types>,
    pub(super) checks: Vec<Check>,
    /// Whether the schema, or a nested schema, has constraints that deserializing the Rust type does not check.
    pub(super) is_bounded: bool,
    /// Whether more than one schema refers to this schema.
    pub(super) is_shared: bool,
}

/// A compiled keyword.
#[derive(Debug)]
pub(super) enum Check {
    Leaf(Leaf),
    Members(Box<Members>),
    MemberNames(Id),
    Dependent(Vec<(String, Id)>),
    Items {
        first: Vec<Id>,
        rest: Option<Id>,
    },
    Contains {
        item: Id,
        least: u64,
        most: Option<u64>,
    },
    All(Vec<Id>),
    /// `anyOf`, or `oneOf` if `only_one`.
    Any {
        branches: Vec<Id>,
        only_one: bool,
    },
    Not(Id),
    If {
        condition: Id,
        then: Option<Id>,
        otherwise: Option<Id>,
    },
    /// `unevaluatedProperties` and `unevaluatedItems`, which come last in a schema.
    LeftOver {
        schema: Id,
        is_about_items: bool,
    },
}

/// A keyword that contains no schema.
#[derive(Debug)]
pub(super) enum Leaf {
    Never,
    Type(Types),
    Listed(ValueList),
    Minimum(Num),
    Maximum(Num),
    MoreThan(Num),
    LessThan(Num),
    MultipleOf(Num),
    MinLength(u64),
    MaxLength(u64),
    Pattern(Box<Pattern>),
    MinItems(u64),
    MaxItems(u64),
    Unique,
    MinMembers(u64),
    MaxMembers(u64),
    Required(Vec<String>),
    /// The members that are required if another member is present.
    Needs(Vec<(String, Vec<String>)>),
}

/// `properties`, `patternProperties` and `additionalProperties`, which are checked together.
#[derive(Debug, Default)]
pub(super) struct Members {
    /// In the order of the schema, which is the order of the type's fields.
    pub(super) named: Vec<(String, Id)>,
    pub(super) index: HashMap<String, usize>,
    pub(super) patterns: Vec<(Pattern, Id)>,
    pub(super) rest: AdditionalMembers,
    /// Whether all other members count as evaluated: `additionalProperties: true`.
    pub(super) sees_rest: bool,
}

/// The schema of all other members.
#[derive(Debug, Default, Clone, Copy)]
pub(super) enum AdditionalMembers {
    #[default]
    Anything,
    Nothing,
    Schema(Id),
}

/// A set of JSON types.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Types(u8);

impl Types {
    const NAMES: [&'static str; 7] =
        ["null", "boolean", "integer", "number", "string", "array", "object"];

    pub(super) fn with_type(self, name: &str) -> Option<Self> {
        let bit = Self::NAMES.iter().position(|known| *known == name)?;
        Some(Self(self.0 | 1 << bit))
    }

    pub(super) fn has_type(self, name: &str) -> bool {
        Self::default().with_type(name).is_some_and(|bit| self.0 & bit.0 != 0)
    }

    pub(super) fn allows_value(self, value: &Value) -> bool {
        match value {
            Value::Null => self.has_type("null"),
            Value::Bool(_) => self.has_type("boolean"),
            Value::Number(number) => {
                self.has_type("number")
                    || (self.has_type("integer")
                        && Num::from_number(number).is_some_and(Num::is_whole))
            }
            Value::String(_) => self.has_type("string"),
            Value::Array(_) => self.has_type("array"),
            Value::Object(_) => self.has_type("object"),
        }
    }

    pub(super) fn describe_types(self) -> String {
        let names = Self::NAMES.iter().filter(|name| self.has_type(name));
        let names: Vec<_> = names.map(|name| format!("\"{name}\"")).collect();
        format!("type{} {}", if names.len() == 1 { "" } else { "s" }, names.join(", "))
    }
}

impl Leaf {
    /// Returns whether deserializing a Rust type already checks this keyword.
    pub(super) fn is_shape(&self) -> bool {
        matches!(self, Self::Never | Self::Type(_) | Self::Required(_))
    }

    /// Returns the subject of a violation of this keyword.
    pub(super) fn violation_subject(&self) -> About {
        match self {
            Self::Type(_) | Self::Listed(_) => About::Kind,
            Self::Never | Self::Required(_) => About::Parts,
            _ => About::Bound,
        }
    }

    /// Returns the number of steps that the check takes.
    pub(super) fn check_cost(&self, value: &Value) -> usize {
        match (self, value) {
            (Self::Listed(_) | Self::Unique, Value::Array(_) | Value::Object(_)) => {
                value_weight(value)
            }
            (Self::Pattern(pattern), Value::String(text)) => pattern.match_cost(text),
            (Self::MinLength(_) | Self::MaxLength(_) | Self::Listed(_), Value::String(text)) => {
                text.len() / 16
            }
            (Self::Required(names), Value::Object(members)) => names.len().min(members.len()),
            (Self::Needs(all), Value::Object(_)) => {
                all.iter().map(|(_, others)| 1 + others.len()).sum()
            }
            (Self::MultipleOf(_), Value::Number(_)) => 8,
            _ => 0,
        }
    }

    pub(super) fn is_met(&self, value: &Value) -> bool {
        let number = |fits: &dyn Fn(Num) -> bool| match value {
            Value::Number(number) => Num::from_number(number).is_none_or(fits),
            _ => true,
        };
        match self {
            Self::Never => false,
            Self::Type(types) => types.allows_value(value),
            Self::Listed(listed) => listed.contains_value(value),
            Self::Minimum(least) => number(&|it| it.compare_to(*least) != Ordering::Less),
            Self::Maximum(most) => number(&|it| it.compare_to(*most) != Ordering::Greater),
            Self::MoreThan(least) => number(&|it| it.compare_to(*least) == Ordering::Greater),
            Self::LessThan(most) => number(&|it| it.compare_to(*most) == Ordering::Less),
            Self::MultipleOf(step) => number(&|it| it.is_multiple_of(*step)),
            Self::MinLength(least) => {
                value.as_str().is_none_or(|text| has_at_least(text.chars(), *least))
            }
            Self::MaxLength(most) => value
                .as_str()
                .is_none_or(|text| !has_at_least(text.chars(), most.saturating_add(1))),
            Self::Pattern(pattern) => {
                value.as_str().is_none_or(|text| pattern.is_match(text).unwrap_or(false))
            }
            Self::MinItems(least) => value.as_array().is_none_or(|it| it.len() as u64 >= *least),
            Self::MaxItems(most) => value.as_array().is_none_or(|it| it.len() as u64 <= *most),
            Self::Unique => value.as_array().is_none_or(|items| find_repeated(items).is_none()),
            Self::MinMembers(least) => value.as_object().is_none_or(|it| it.len() as u64 >= *least),
            Self::MaxMembers(most) => value.as_object().is_none_or(|it| it.len() as u64 <= *most),
            Self::Required(names) => value.as_object().is_none_or(|it| {
                names.len() <= it.len() && names.iter().all(|name| it.contains_key(name))
            }),
            Self::Needs(all) => all.iter().all(|needs| !lacks_member(value, needs)),
        }
    }
}

/// Returns whether a member is present without the members that it requires.
pub(super) fn lacks_member(value: &Value, (member, others): &(String, Vec<String>)) -> bool {
    value.get(member).is_some() && others.iter().any(|name| value.get(name).is_none())
}

/// Returns the number of values inside a value, plus a share of the length of its strings.
fn value_weight(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(value_weight).sum::<usize>(),
        Value::Object(members) => {
            let members =
                members.iter().map(|(name, value)| 2 + name.len() / 16 + value_weight(value));
            1 + members.sum::<usize>()
        }
        Value::String(text) => 1 + text.len() / 16,
        _ => 1,
    }
}

fn has_at_least(mut items: impl Iterator, count: u64) -> bool {
    match usize::try_from(count) {
        Ok(0) => true,
        Ok(count) => items.nth(count - 1).is_some(),
        Err(_) => false,
    }
}

/// The subject of a violation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum About {
    /// A bound: the value has the right kind, but is out of bounds.
    Bound,
    /// The kind of the value: its type, or which of the listed values it is.
    Kind,
    /// The members of the value: missing and unknown members.
    Parts,
}
