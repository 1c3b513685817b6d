//! Fills a schema from a message and the results of tools: arguments and structured output.

use std::cmp::Reverse;
use std::ops::Range;

use genkit::message::ToolResponse;
use genkit::serde_json::{Value, json};

use crate::replies::{self, plain};
use crate::schema::Field;
use crate::text::{Text, Word};
use crate::tokenize::{self, is_in};

/// The maximum number of filled fields of a schema, and of items of a list.
const MAX_PLACES: usize = 100;
const MAX_ITEMS: usize = 16;

/// Names of properties that are filled with whole phrases, and of properties that are filled with the results.
const PHRASES: &str = "body command comment content description expression input instruction item \
    keyword message note phrase prompt q query question reason search sentence task term text title";
const OUTCOMES: &str = "answer conclusion explanation output reply response result summary";

/// The results of the tools.
pub(crate) type Results<'r> = &'r [&'r ToolResponse];

/// A value, or a description of the missing one.
pub(crate) type Filled = Result<Value, String>;

/// Fills one schema. Each part of the text is used only once.
struct Filler<'f> {
    text: &'f Text<'f>,
    root: &'f Value,
    /// The stems of the tool's name; empty for structured output, where missing values are empty.
    tool: &'f [String],
    results: Results<'f>,
    used: Vec<bool>,
    places: usize,
}

/// Fills a schema from a message: the arguments of a tool or, without a tool, structured output.
pub(crate) fn fill(text: &str, root: &Value, tool: &[String], results: Results) -> Filled {
    let text = &Text::new(text);
    let used = vec![false; text.source.len()];
    Filler { text, root, tool, results, used, places: MAX_PLACES }.required(root, "")
}

impl<'f> Filler<'f> {
    /// Returns a value for a required field, or a description of the missing value.
    fn required(&mut self, schema: &'f Value, path: &str) -> Filled {
        let (field, name) = (Field::of(schema, self.root), path.rsplit('.').next().unwrap_or(path));
        self.places = self.places.saturating_sub(1);
        let default = field.get("default").cloned().or(field.is_nullable.then_some(Value::Null));
        let found = self.find(&field, name, false).or(default);
        if let Some(found) = found.or_else(|| self.find(&field, name, true)) {
            return Ok(found);
        }
        if field.kind() == "object" && self.places > 0 {
            return self.object(&field, path);
        }
        let first = field.values.first().map(|value| (*value).clone());
        let bounds = first.into_iter().chain(field.get("minimum").cloned());
        let mut empty = [Value::Null, "".into(), 0.into(), json!([])].into_iter().chain(bounds);
        let empty = empty.find(|value| field.fits(value, self.root)).unwrap_or_default();
        if self.tool.is_empty() { Ok(empty) } else { Err(missing(&field, path)) }
    }

    fn object(&mut self, field: &Field<'f>, path: &str) -> Filled {
        let root = self.root;
        let properties = field.properties();
        let is_open = !self.tool.is_empty() && !properties.iter().any(|(.., required)| *required);
        // Find named values first, so that no other field uses them.
        let named = properties.iter().map(|(name, schema, _)| {
            let found = self.find(&Field::of(schema, root), name, false);
            ((*name).to_owned(), found)
        });
        let mut object: Vec<_> = named.collect();
        for ((name, found), (_, schema, required)) in object.iter_mut().zip(properties) {
            let field = Field::of(schema, root);
            if found.is_none() && required {
                let path = format!("{path}.{name}");
                *found = Some(self.required(schema, path.trim_start_matches('.'))?);
            } else if found.is_none() && is_open && field.kind() == "string" {
                // The subject of the message is probably meant, even for an optional argument.
                *found = self.find(&field, name, true);
            }
        }
        Ok(object.into_iter().filter_map(|(name, found)| Some((name, found?))).collect())
    }

    /// Returns the value that a result or the message names or, with `guess`, another candidate.
    fn find(&mut self, field: &Field<'f>, name: &str, guess: bool) -> Option<Value> {
        let whole = self.candidates(field, name, guess);
        let found = whole.into_iter().find_map(|(place, value)| self.take(field, place, value));
        let Some(items) = field.get("items").filter(|_| found.is_none()) else { return found };
        let item = Field::of(items, self.root);
        let items = self.candidates(&item, name, guess).into_iter();
        let items = items.filter_map(|(place, value)| self.take(&item, place, value));
        let items: Vec<Value> = items.take(MAX_ITEMS).collect();
        (!items.is_empty()).then_some(Value::Array(items))
    }

    /// Returns the candidates, best first, each with its position in the text, or 0 if it has none.
    fn candidates(&self, field: &Field, name: &str, guess: bool) -> Vec<(Range<usize>, Value)> {
        let (text, tool) = (self.text, self.tool);
        let is_named = text.label(name).is_some();
        let results = self.results.iter().filter(|result| result.error().is_none());
        let outputs = results.map(|result| &result.output);
        let entries = outputs.clone().filter_map(Value::as_object).flatten();
        let named = entries.filter(|(key, _)| tokenize::split(key) == tokenize::split(name));
        let whole = outputs.filter(|output| guess && (output.is_number() || output.is_array()));
        let facts = named.map(|(_, value)| value).chain(whole);
        let mut found: Vec<_> = facts.map(|value| (0..0, value.clone())).collect();
        match (field.values.as_slice(), field.kind()) {
            ([only], _) => found.extend(guess.then(|| (0..0, (*only).clone()))),
            ([_, ..], _) => {
                let place = |value| Some(text.span(&text.run(&tokenize::stems(&plain(value)))?));
                let values = field.values.iter().copied();
                found.extend(values.filter_map(|value| Some((place(value)?, value.clone()))));
                found.sort_by_key(|(place, _)| (place.start, Reverse(place.end)));
            }
            (_, "boolean") if guess || is_named => found.push((0..0, is_named.into())),
            (_, "integer" | "number") => {
                let all = text.words.iter().filter(|_| guess);
                let value = |word: &Word| Some((word.range.clone(), word.number.clone()?.into()));
                found.extend(text.beside(name).chain(all).filter_map(value));
            }
            (_, "string" | "") => {
                let is = |list: &str| tokenize::split(name).iter().any(|word| is_in(list, word));
                let (is_phrase, is_outcome) = (is(PHRASES), is(OUTCOMES) && tool.is_empty());
                let value = |place: Range<usize>| (place.clone(), text.source[place].into());
                if guess && (is_phrase || is_outcome) && !self.results.is_empty() {
                    found.push((0..0, replies::results(self.results).into()));
                }
                found.extend(text.labelled(name).map(value));
                if guess && !is_outcome {
                    let names = text.names_for(tool).into_iter().filter(|_| !is_phrase);
                    found.extend(text.quotes.iter().cloned().chain(names).map(value));
                    // A phrase can contain values of other fields.
                    let place = |place: &Range<usize>| if is_phrase { 0..0 } else { place.clone() };
                    let matter = text.find_subject(tool, is_phrase);
                    found.extend(matter.map(|at| (place(&at), text.source[at].into())));
                }
            }
            _ => {}
        }
        found
    }

    /// Takes a value that matches the field, if its position is not used yet.
    fn take(&mut self, field: &Field<'f>, place: Range<usize>, value: Value) -> Option<Value> {
        let is_free = !self.used[place.clone()].contains(&true);
        let value = Some(value).filter(|value| is_free && field.fits(value, self.root))?;
        self.used[place].fill(true);
        Some(value)
    }
}

/// Describes the missing value of a field for the user.
fn missing(field: &Field, path: &str) -> String {
    let about = field.get("description").and_then(Value::as_str).unwrap_or("not described");
    let values = field.values.iter().take(MAX_ITEMS).map(|value| format!(", `{}`", plain(value)));
    format!("`{path}` ({about}{}), which the message does not contain", values.collect::<String>())
}
