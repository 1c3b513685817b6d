//! What is taken for a required place that the message does not name.

use std::ops::Range;

use serde_json::{Number, Value};

use super::fill::{Filler, Missing};
use super::label::Label;
use super::numbers;
use super::property::form_of;
use super::shape::{Kind, MAX_DEPTH, Shape};

/// How many values a missing argument lists.
const MAX_LISTED: usize = 12;

/// How many items a list is given that must have some, or has some out of a list of words.
const MAX_ITEMS: usize = 32;

impl<'f> Filler<'f> {
    /// A value for a place that needs one.
    pub(super) fn guess(
        &mut self,
        schema: &'f Value,
        label: &Label,
        path: &str,
        depth: usize,
    ) -> Result<Value, Missing> {
        let shape = Shape::of(schema, self.root);
        let found = match depth <= MAX_DEPTH && self.spend() {
            true => self.try_guess(&shape, label, path, depth),
            false => Ok(None),
        };
        match found {
            Ok(Some(value)) => return Ok(value),
            Err(missing) if !self.is_form => return Err(missing),
            _ => {}
        }
        if let Some(default) = shape.get("default") {
            return Ok(default.clone());
        }
        if shape.nullable {
            return Ok(Value::Null);
        }
        if self.is_form {
            return Ok(self.empty(&shape, depth));
        }
        let values = match &shape.kind {
            Kind::Choice(all) => all.iter().take(MAX_LISTED).map(|one| plain(one.value)).collect(),
            _ => Vec::new(),
        };
        let description = shape.text("description").unwrap_or_default().to_owned();
        Err(Missing { path: path.to_owned(), description, values })
    }

    fn try_guess(
        &mut self,
        shape: &Shape<'f>,
        label: &Label,
        path: &str,
        depth: usize,
    ) -> Result<Option<Value>, Missing> {
        Ok(match &shape.kind {
            Kind::Choice(listed) => match listed.as_slice() {
                [only] => Some(only.value.clone()),
                several => self.choose(several),
            },
            Kind::Bool => Some(false.into()),
            Kind::Number { integer } => self.number(shape, *integer),
            Kind::Text | Kind::Any => {
                // The outermost object is at depth 0.
                self.text(shape, label, (depth == 1).then_some(path))
            }
            Kind::List => self.list(shape, label, depth),
            Kind::Object => Some(Value::Object(self.object(shape, path, depth)?.0)),
            Kind::Union(branches) => {
                let mut ranked: Vec<_> = branches.iter().map(|b| (self.mentions(b), *b)).collect();
                ranked.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
                let mut first = None;
                for (_, branch) in ranked {
                    let before = self.mark();
                    match self.guess(branch, label, path, depth + 1) {
                        Ok(value) => return Ok(Some(value)),
                        Err(missing) => {
                            first.get_or_insert(missing);
                            self.reset(before);
                        }
                    }
                }
                return first.map_or(Ok(None), Err);
            }
            Kind::Null => Some(Value::Null),
            Kind::Never => None,
        })
    }

    fn number(&mut self, shape: &Shape, integer: bool) -> Option<Value> {
        let fits = |number: &Number| numbers::fits(number, integer, |key| shape.get(key));
        let fact = self.facts.values.iter().find_map(|value| match value {
            Value::Number(number) if fits(number) => Some((*value).clone()),
            _ => None,
        });
        if fact.is_some() {
            return fact;
        }
        let all = &self.text.numbers;
        let at = all.iter().position(|found| self.is_free(&found.range) && fits(&found.value))?;
        Some(self.take_number(at))
    }

    /// How many of a branch's own words stand in the message: its tags and its properties.
    fn mentions(&self, branch: &'f Value) -> usize {
        let shape = Shape::of(branch, self.root);
        let mut labels = Vec::new();
        labels.extend(shape.text("title").map(Label::new));
        for (name, schema, _) in shape.properties() {
            labels.push(Label::new(name));
            if let Some(tag) = schema.get("const").and_then(Value::as_str) {
                labels.push(Label::new(tag));
            }
        }
        let labels = labels.iter().take_while(|_| self.check());
        labels.filter(|label| label.mentioned(self.text).is_some()).count()
    }

    /// Items that the message gives under the list's name, or that are words of the items' list.
    pub(super) fn said_list(
        &mut self,
        shape: &Shape<'f>,
        label: &Label,
        depth: usize,
    ) -> Option<Value> {
        let items = Shape::of(shape.get("items")?, self.root);
        let found = match &items.kind {
            Kind::Choice(_) => return self.list(shape, label, depth),
            Kind::Text => {
                let range = label.list(self.text).filter(|range| self.is_free(range))?;
                self.take(range.clone());
                split(&self.text.source[range]).map(|item| item.into()).collect()
            }
            Kind::Number { .. } => {
                let range = label.list(self.text)?;
                self.numbers_in(&items, &range)
            }
            _ => return None,
        };
        sized(shape, found)
    }

    fn list(&mut self, shape: &Shape<'f>, label: &Label, depth: usize) -> Option<Value> {
        if let Some(places) = shape.get("prefixItems").and_then(Value::as_array) {
            let mut found = Vec::new();
            for place in places.iter().take(MAX_ITEMS) {
                found.push(self.guess(place, label, "", depth + 1).ok()?);
            }
            return sized(shape, found);
        }
        let schema = shape.get("items")?;
        let items = Shape::of(schema, self.root);
        let fact = self.facts.values.clone().into_iter().find(|value| {
            let all = value.as_array().filter(|all| !all.is_empty());
            all.is_some_and(|all| all.iter().all(|item| self.fits(item, schema, depth)))
        });
        if let Some(Value::Array(all)) = fact {
            return sized(shape, all.clone());
        }
        let found = match &items.kind {
            Kind::Choice(listed) => {
                std::iter::from_fn(|| self.choose(listed)).take(MAX_ITEMS).collect()
            }
            Kind::Number { .. } => self.numbers_in(&items, &(0..self.text.source.len())),
            Kind::Text => self.texts(label, form_of(&items, label)),
            Kind::Object => {
                let (before, form) = (self.mark(), std::mem::replace(&mut self.is_form, false));
                let item = self.object(&items, "", depth + 1);
                self.is_form = form;
                match item {
                    Ok((object, _)) if !object.is_empty() => vec![Value::Object(object)],
                    _ => {
                        self.reset(before);
                        Vec::new()
                    }
                }
            }
            _ => Vec::new(),
        };
        sized(shape, found)
    }

    fn numbers_in(&mut self, items: &Shape, range: &Range<usize>) -> Vec<Value> {
        let integer = matches!(items.kind, Kind::Number { integer: true });
        let all = self.text.numbers.iter().enumerate();
        let fitting = all.filter(|(_, found)| {
            range.contains(&found.range.start)
                && self.is_free(&found.range)
                && numbers::fits(&found.value, integer, |key| items.get(key))
        });
        let fitting: Vec<usize> = fitting.map(|(at, _)| at).collect();
        fitting.into_iter().map(|at| self.take_number(at)).collect()
    }

    /// What says that nothing is known, as far as the schema lets it.
    fn empty(&self, shape: &Shape<'f>, depth: usize) -> Value {
        if shape.nullable || depth > MAX_DEPTH || !self.spend() {
            return Value::Null;
        }
        let inner = |schema: &'f Value| self.empty(&Shape::of(schema, self.root), depth + 1);
        match &shape.kind {
            Kind::Choice(all) => all.first().map_or(Value::Null, |one| one.value.clone()),
            Kind::Union(all) => all.first().map_or(Value::Null, |schema| inner(schema)),
            Kind::Bool => false.into(),
            Kind::Number { integer } => nearest_to_zero(shape, *integer),
            Kind::Text => "".into(),
            Kind::List => {
                let least = shape.count("minItems").unwrap_or(0).min(MAX_ITEMS);
                let items = shape.get("items").unwrap_or(&Value::Null);
                (0..least).map(|_| inner(items)).collect()
            }
            Kind::Object => {
                let required = shape.properties().into_iter().filter(|(.., required)| *required);
                let filled = required.map(|(name, schema, _)| (name.to_owned(), inner(schema)));
                Value::Object(filled.collect())
            }
            Kind::Null | Kind::Any | Kind::Never => Value::Null,
        }
    }

    /// Whether a value is one of this schema, as far as its types and lists go.
    pub(super) fn fits(&self, value: &Value, schema: &'f Value, depth: usize) -> bool {
        let shape = Shape::of(schema, self.root);
        if value.is_null() && shape.nullable {
            return true;
        }
        match (&shape.kind, value) {
            _ if depth > MAX_DEPTH || !self.check() => false,
            (Kind::Any, _) | (Kind::Bool, Value::Bool(_)) | (Kind::Null, Value::Null) => true,
            (Kind::Text, Value::String(text)) => form_of(&shape, &Label::new(""))
                .is_none_or(|form| super::text::has_form(text, form)),
            (Kind::Choice(all), _) => all.iter().any(|one| one.value == value),
            (Kind::Union(all), _) => all.iter().any(|one| self.fits(value, one, depth + 1)),
            (Kind::Number { integer }, Value::Number(number)) => {
                numbers::fits(number, *integer, |key| shape.get(key))
            }
            (Kind::List, Value::Array(all)) => shape
                .get("items")
                .is_none_or(|items| all.iter().all(|one| self.fits(one, items, depth + 1))),
            (Kind::Object, Value::Object(object)) => {
                shape.properties().into_iter().all(|(name, schema, required)| {
                    match object.get(name) {
                        Some(value) => self.fits(value, schema, depth + 1),
                        None => !required,
                    }
                }) && shape.unknown_required().is_none()
            }
            _ => false,
        }
    }
}

/// The items of a list in words: `milk, eggs and bread`.
pub(super) fn split(list: &str) -> impl Iterator<Item = &str> {
    list.split([',', ';', '\n'])
        .flat_map(|part| part.split(" and "))
        .flat_map(|part| part.split(" & "))
        .map(|item| item.trim().strip_prefix("and ").unwrap_or(item.trim()))
        .map(|item| item.trim_matches(|c: char| c.is_whitespace() || "\"'`.?!".contains(c)))
        .filter(|item| !matches!(*item, "" | "please" | "thanks" | "thank you"))
}

/// A list with as many items as its schema lets it have; `None` if there are none or too few.
fn sized(shape: &Shape, mut items: Vec<Value>) -> Option<Value> {
    items.truncate(shape.count("maxItems").unwrap_or(usize::MAX));
    let enough = items.len() >= shape.count("minItems").unwrap_or(0);
    (enough && !items.is_empty()).then_some(Value::Array(items))
}

/// Zero, or the bound that is next to it.
fn nearest_to_zero(shape: &Shape, integer: bool) -> Value {
    let zero = Number::from(0);
    let bounds = ["minimum", "maximum"].into_iter().filter_map(|key| match shape.get(key) {
        Some(Value::Number(bound)) => Some(bound.clone()),
        _ => None,
    });
    let beyond = ["exclusiveMinimum", "exclusiveMaximum"].into_iter().zip([1, -1]);
    let beyond = beyond.filter_map(|(key, step)| {
        Some(Number::from(shape.get(key)?.as_i64()?.saturating_add(step)))
    });
    let mut all = std::iter::once(zero.clone()).chain(bounds).chain(beyond);
    let found = all.find(|number| numbers::fits(number, integer, |key| shape.get(key)));
    Value::Number(found.unwrap_or(zero))
}

/// A value as one writes it in a sentence.
pub(super) fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
