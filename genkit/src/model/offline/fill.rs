//! Fills a schema with what a message says.

use std::cell::Cell;
use std::ops::Range;

use serde_json::{Map, Value};

use super::label::Label;
use super::property::form_of;
use super::shape::{Kind, Listed, MAX_DEPTH, Shape};
use super::text::Text;
use super::{numbers, tool, words};

/// How many places of a schema are filled: references may multiply them without end.
const MAX_PLACES: usize = 1000;

/// How many places of tools' results are compared with a schema.
const MAX_CHECKS: usize = 100_000;

/// How many members of the results are looked at for each place.
const MAX_FACTS: usize = 256;

/// An argument that the message does not give.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Missing {
    /// Its name, with those of the objects around it; empty for a tool's whole input.
    pub(super) path: String,
    pub(super) description: String,
    /// The values that it may have, if there are a few.
    pub(super) values: Vec<String>,
}

/// What tools answered, as a form may use it.
#[derive(Debug, Default)]
pub(super) struct Facts<'f> {
    pub(super) values: Vec<&'f Value>,
    pub(super) text: String,
}

/// Fills one schema. What was used once is not used again.
pub(super) struct Filler<'f> {
    pub(super) text: &'f Text<'f>,
    pub(super) root: &'f Value,
    /// The stems of the tool's name.
    pub(super) tool: &'f [String],
    pub(super) facts: &'f Facts<'f>,
    /// Whether what cannot be filled is left empty, so that there is always a value.
    pub(super) is_form: bool,
    /// The name that a property of the outermost object was filled with, as an index of the text's.
    pub(super) name: Option<(String, usize)>,
    /// The first words of the message that are the tool's, as indices.
    pub(super) cluster: Option<Range<usize>>,
    /// Where the message begins to be about the tool.
    pub(super) anchor: usize,
    used: Vec<bool>,
    places: Cell<usize>,
    checks: Cell<usize>,
}

impl<'f> Filler<'f> {
    pub(super) fn new(
        text: &'f Text<'f>,
        root: &'f Value,
        tool: &'f [String],
        facts: &'f Facts<'f>,
        is_form: bool,
    ) -> Self {
        let used = vec![false; text.source.len()];
        let (places, checks) = (Cell::new(MAX_PLACES), Cell::new(MAX_CHECKS));
        let (cluster, anchor) = (tool::cluster(text, tool), tool::anchor(text, tool));
        let name = None;
        Self { text, root, tool, facts, is_form, name, cluster, anchor, used, places, checks }
    }

    /// The whole value.
    pub(super) fn fill(&mut self) -> Result<Value, Missing> {
        let root = self.root;
        let shape = Shape::of(root, root);
        let whole = self.facts.values.iter().find(|value| {
            matches!(shape.kind, Kind::Object | Kind::List) && self.fits(value, root, 0)
        });
        if let Some(whole) = whole {
            return Ok((*whole).clone());
        }
        if let Kind::Object = shape.kind {
            return self.object(&shape, "", 0).map(|(object, _)| Value::Object(object));
        }
        let label = Label::new("");
        match self.said(root, &label, 0) {
            Some(value) => Ok(value),
            None => self.guess(root, &label, "", 0),
        }
    }

    /// An object, and whether the message is about any of its properties.
    pub(super) fn object(
        &mut self,
        shape: &Shape<'f>,
        path: &str,
        depth: usize,
    ) -> Result<(Map<String, Value>, bool), Missing> {
        let properties = shape.properties();
        let labels: Vec<Label> = properties.iter().map(|(name, ..)| Label::new(name)).collect();
        // First what the message names, so that nothing else takes it.
        let mut found = Vec::with_capacity(properties.len());
        let shapes = properties.iter().map(|(_, schema, _)| Shape::of(schema, self.root));
        let shapes: Vec<Shape> = shapes.collect();
        let is_wanted = |at: usize| properties[at].2 && !shapes[at].nullable;
        for (at, ((_, schema, _), label)) in properties.iter().zip(&labels).enumerate() {
            // A required object is filled in any case, and once is enough.
            let later = is_wanted(at) && matches!(shapes[at].kind, Kind::Object);
            found.push(if later { None } else { self.said(schema, label, depth + 1) });
        }
        let mut about = found.iter().any(Option::is_some);
        let lone = lone_text(&shapes)
            .filter(|_| depth == 0 && !self.is_form && !(0..shapes.len()).any(is_wanted));
        for (at, (name, schema, required)) in properties.iter().enumerate() {
            if found[at].is_some() || !(*required || lone == Some(at)) {
                continue;
            }
            let inner = if path.is_empty() { (*name).to_owned() } else { format!("{path}.{name}") };
            if lone == Some(at) {
                found[at] = self.text(&shapes[at], &labels[at], Some(name));
                about |= found[at].is_some();
            }
            if found[at].is_none() && *required {
                found[at] = match shapes[at].nullable {
                    true => Some(Value::Null),
                    false => Some(self.guess(schema, &labels[at], &inner, depth + 1)?),
                };
            }
        }
        let values = properties.iter().zip(found);
        let mut object: Map<String, Value> =
            values.filter_map(|((name, ..), value)| Some(((*name).to_owned(), value?))).collect();
        if let Some(name) = shape.unknown_required() {
            let path = if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
            if !self.is_form {
                return Err(Missing { path, description: String::new(), values: Vec::new() });
            }
            object.insert(name.to_owned(), Value::Null);
        }
        Ok((object, about))
    }

    /// The value that the message gives to a property by its name, or by a word of a list.
    fn said(&mut self, schema: &'f Value, label: &Label, depth: usize) -> Option<Value> {
        if depth > MAX_DEPTH || !self.spend() {
            return None;
        }
        if let Some(value) = self.fact(schema, label) {
            return Some(value);
        }
        let shape = Shape::of(schema, self.root);
        match &shape.kind {
            Kind::Choice(listed) => self.choose(listed),
            Kind::Bool => {
                let (meant, range) = label.mentioned(self.text)?;
                self.take(range);
                Some(meant.into())
            }
            Kind::Number { integer } => {
                let fits = |at: usize| {
                    let number = &self.text.numbers[at];
                    self.is_free(&number.range)
                        && numbers::fits(&number.value, *integer, |key| shape.get(key))
                };
                let at = label.number(self.text, fits)?;
                Some(self.take_number(at))
            }
            Kind::Text | Kind::Any => {
                let form = form_of(&shape, label);
                let range = match form {
                    Some(form) => self.formed(form)?,
                    None => label.text(self.text).filter(|range| self.is_free(range))?,
                };
                self.take_text(&shape, range).map(Value::String)
            }
            Kind::List => self.said_list(&shape, label, depth),
            Kind::Object => {
                let before = self.mark();
                match self.object(&shape, "", depth) {
                    Ok((object, true)) => Some(Value::Object(object)),
                    _ => {
                        self.reset(before);
                        None
                    }
                }
            }
            Kind::Union(branches) => {
                branches.iter().find_map(|branch| self.said(branch, label, depth + 1))
            }
            Kind::Null | Kind::Never => None,
        }
    }

    /// The value of a list whose words stand in the message: the longest, then the first.
    pub(super) fn choose(&mut self, listed: &[Listed]) -> Option<Value> {
        // A list of one says what it is, not the message.
        if listed.len() < 2 {
            return None;
        }
        let mut best: Option<(usize, Range<usize>, &Value)> = None;
        for one in listed {
            let name = one.value.as_str().map_or_else(|| one.value.to_string(), str::to_owned);
            for name in [Some(name.as_str()), one.title].into_iter().flatten() {
                let parts = words::split_name(name);
                if parts.iter().all(|part| words::is_stop(part)) {
                    continue;
                }
                let stems: Vec<String> = parts.iter().map(|part| words::stem(part)).collect();
                let free = |run: Range<usize>| {
                    let (first, last) =
                        (&self.text.words[run.start], self.text.words.get(run.end - 1)?);
                    Some(first.at..last.end()).filter(|range| self.is_free(range))
                };
                let Some(range) = self.text.runs(&stems).find_map(free) else { continue };
                let better = best.as_ref().is_none_or(|(length, at, _)| {
                    stems.len() > *length || (stems.len() == *length && range.start < at.start)
                });
                if better {
                    best = Some((stems.len(), range, one.value));
                }
            }
        }
        let (_, range, value) = best?;
        self.take(range);
        Some(value.clone())
    }

    /// What a tool answered under this name.
    fn fact(&mut self, schema: &'f Value, label: &Label) -> Option<Value> {
        let objects = self.facts.values.iter().filter_map(|value| value.as_object());
        let named = objects
            .flatten()
            .take(MAX_FACTS)
            .filter(|(key, _)| words::split_name(key) == label.words);
        let values: Vec<&Value> = named.map(|(_, value)| value).take(8).collect();
        values.into_iter().find(|value| self.fits(value, schema, 0)).cloned()
    }

    /// Counts a place. Returns whether there may be more.
    pub(super) fn spend(&self) -> bool {
        spend(&self.places)
    }

    /// Counts a comparison. Returns whether there may be more.
    pub(super) fn check(&self) -> bool {
        spend(&self.checks)
    }

    pub(super) fn is_free(&self, range: &Range<usize>) -> bool {
        self.used.get(range.clone()).is_some_and(|used| !used.contains(&true))
    }

    pub(super) fn take(&mut self, range: Range<usize>) {
        if let Some(used) = self.used.get_mut(range) {
            used.fill(true);
        }
    }

    pub(super) fn take_number(&mut self, at: usize) -> Value {
        let number = &self.text.numbers[at];
        self.take(number.range.clone());
        Value::Number(number.value.clone())
    }

    /// What was used so far, for a try that may fail.
    pub(super) fn mark(&self) -> (Vec<bool>, Option<(String, usize)>) {
        (self.used.clone(), self.name.clone())
    }

    pub(super) fn reset(&mut self, (used, name): (Vec<bool>, Option<(String, usize)>)) {
        (self.used, self.name) = (used, name);
    }
}

fn spend(left: &Cell<usize>) -> bool {
    left.set(left.get().saturating_sub(1));
    left.get() > 0
}

/// The only text among properties.
fn lone_text(shapes: &[Shape]) -> Option<usize> {
    let mut texts = (0..shapes.len()).filter(|at| matches!(shapes[*at].kind, Kind::Text));
    texts.next().filter(|_| texts.next().is_none())
}
