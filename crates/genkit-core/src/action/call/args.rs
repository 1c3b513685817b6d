//! Argument parsing: an exact read, lenient re-reads, and errors that name the position.

use std::any::{Any, TypeId};
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::action::error::Error as E;
use crate::error::{Error, Result};
pub(crate) use genkit_schema::internal::Strictness;
use genkit_schema::internal::bounded_json::{ValueBudget, parse_bounded};
use genkit_schema::internal::placed;
use genkit_schema::internal::placed::{Mismatch, Place, Segment};
use genkit_schema::internal::{Bounds, parse_embedded_json};

/// The JSON arguments of a call, how strictly to read them, and the bounds of their schema.
#[derive(Clone, Debug)]
pub struct Arguments {
    pub(crate) value: Value,
    pub(crate) how: Strictness,
    pub(crate) bounds: Option<Arc<Bounds>>,
}

/// The maximum number of lenient re-reads of one call. Default is 64, far more than a real call needs.
const MAX_REREADS: usize = 64;

/// The maximum total size of lenient re-reads of one call, in bytes of JSON. Default is 16 MiB.
const MAX_REREAD_BYTES: usize = 16 * 1024 * 1024;

/// Deserializes `arguments` as `T`, and checks the constraints of its schema that the type does not enforce.
pub(crate) fn parse_arguments<T: DeserializeOwned + 'static>(arguments: Arguments) -> Result<T> {
    let Arguments { value, how, bounds } = arguments;
    parse_with(value, how, bounds, &read::<T>).map(|(input, _)| input)
}

/// Parses arguments like [`parse_arguments`], and also returns the JSON that was accepted.
pub(crate) fn parse_with_json<T: DeserializeOwned>(arguments: Arguments) -> Result<(T, Value)> {
    let Arguments { value, how, bounds } = arguments;
    parse_with(value, how, bounds, &|value| placed::read(value).map_err(Problem))
}

/// Parses arguments like [`parse_with_json`], with a custom reader.
pub(super) fn parse_with<R>(
    mut value: Value,
    how: Strictness,
    bounds: Option<Arc<Bounds>>,
    read: Reader<'_, R>,
) -> Result<(R, Value)> {
    // `null` is a valid value for a flow that takes `Option<T>` or any JSON.
    if value.is_null() && (how != Strictness::Exact || read(&value).is_err()) {
        value = Value::Object(serde_json::Map::new());
    }
    let (input, value) = match read(&value) {
        Ok(input) => (input, value),
        Err(first) => read_again(value, first, how, read)?,
    };
    if let Some(bounds) = bounds {
        let reads = |value: &Value| read(value).is_ok();
        bounds.check_read(&value, &reads).map_err(E::Arguments)?;
    }
    Ok((input, value))
}

/// A function that decodes JSON, or returns the first mismatch.
pub(super) type Reader<'a, R> = &'a dyn Fn(&Value) -> std::result::Result<R, Problem>;

/// Reads arguments again after the mismatch `first`, as leniently as `how` permits. Returns the decoded value and the
/// JSON that was accepted.
fn read_again<R>(
    mut arguments: Value,
    first: Problem,
    how: Strictness,
    read: Reader<'_, R>,
) -> Result<(R, Value)> {
    // Models write their arguments as text, which can be cut off or contain comments.
    let is_written = |text: &&str| how != Strictness::Exact || text.trim_start().starts_with('{');
    let broken =
        arguments.as_str().filter(is_written).and_then(|text| parse_bounded(text.as_bytes()).err());
    if let Some(broken) = broken {
        return Err(E::Arguments(format!("the arguments are not valid JSON: {broken}")).into());
    }
    // `()` deserializes from null, and callers without arguments send `{}`.
    let empty = arguments.as_object().is_some_and(serde_json::Map::is_empty);
    if empty && let Ok(value) = read(&Value::Null) {
        return Ok((value, arguments));
    }
    if how == Strictness::Exact {
        return Err(first.into_error());
    }
    let mut problem = first;
    // Mismatches of values that were replaced, so that an error describes the value that the caller sent.
    let mut replaced: Vec<Problem> = Vec::new();
    let affordable = MAX_REREAD_BYTES / genkit_schema::internal::size::json_size(&arguments).max(1);
    let mut left = affordable.clamp(1, MAX_REREADS);
    let budget = ValueBudget::default();
    while left > 0 {
        left -= 1;
        let path = problem.0.place.segments();
        let mut repaired = arguments.clone();
        let mut next = None;
        if repair_arguments(&mut repaired, path, how, &budget) {
            next = Some(read(&repaired)).filter(|next| !next.as_ref().is_err_and(expects_string));
        }
        let next = match next {
            Some(next) => {
                arguments = repaired;
                next
            }
            // In a flattened struct, serde reports the last member instead of the member that does not match.
            None => match reread_inside(&mut arguments, &problem, &mut left, &budget, read) {
                Some(next) => next,
                None => break,
            },
        };
        match next {
            Ok(value) => return Ok((value, arguments)),
            Err(next) => replaced.push(std::mem::replace(&mut problem, next)),
        }
    }
    let place = problem.0.place.segments();
    let sent = replaced
        .iter()
        .position(|sent| place.starts_with(sent.0.place.segments()) && !sent.0.place.is_whole());
    Err(match sent {
        Some(index) => replaced.swap_remove(index).into_error(),
        None => problem.into_error(),
    })
}

/// A mismatch between the arguments and their type: its position, and the reader's message.
pub struct Problem(Mismatch);

impl Problem {
    /// Creates a problem with the arguments as a whole.
    pub(super) fn for_value(message: impl ToString) -> Self {
        Self(Mismatch { place: Place::default(), message: message.to_string() })
    }

    /// Adds the enclosing segment to the path of the problem.
    pub(super) fn in_segment(mut self, segment: Segment) -> Self {
        self.0.place = self.0.place.inside(segment);
        self
    }

    fn into_error(self) -> Error {
        let Mismatch { place, message } = self.0;
        match place.is_whole() {
            true => E::Arguments(message).into(),
            false => E::ArgumentsAt { place: place.to_string(), message }.into(),
        }
    }
}

pub(super) fn read<T: DeserializeOwned + 'static>(
    arguments: &Value,
) -> std::result::Result<T, Problem> {
    // A clone needs a third of the memory that deserializing from a `Value` needs.
    if TypeId::of::<T>() == TypeId::of::<Value>() {
        let copy: Box<dyn Any> = Box::new(arguments.clone());
        return Ok(*copy.downcast().expect("the types are equal"));
    }
    placed::read(arguments).map_err(Problem)
}

/// Returns the value at one segment of a path.
fn descend<'a>(value: &'a mut Value, segment: &Segment) -> Option<&'a mut Value> {
    match segment {
        Segment::Key(key) => value.get_mut(key.as_str()),
        Segment::Index(index) => value.get_mut(*index),
    }
}

/// Replaces the string at `path` with the JSON that it contains. Returns whether anything changed.
fn repair_arguments(
    arguments: &mut Value,
    path: &[Segment],
    how: Strictness,
    budget: &ValueBudget,
) -> bool {
    let Some((last, parents)) = path.split_last() else {
        return convert_integral_floats(arguments);
    };
    let mut place = arguments;
    for (depth, segment) in parents.iter().enumerate() {
        match descend(place, segment) {
            // The reader may stop at a container that was itself sent as a string.
            Some(next) if next.is_string() => return reread_string(next, depth + 1, budget),
            Some(next) => place = next,
            None => return false,
        }
    }
    if let (Segment::Key(key), Strictness::Text) = (last, how)
        && place.get(key.as_str()).is_some_and(|value| value.as_str() == Some(""))
    {
        return place.as_object_mut().is_some_and(|map| map.remove(key).is_some());
    }
    descend(place, last).is_some_and(|place| {
        reread_string(place, path.len(), budget) || convert_integral_floats(place)
    })
}

/// Converts numbers such as `3.0` and `1e3` to integers, at every level of the value, because serde reports an enum or
/// a flattened struct as a whole. This does not affect floats, which also decode from integers. Returns whether
/// anything changed.
pub(super) fn convert_integral_floats(value: &mut Value) -> bool {
    match value {
        Value::Number(number) if number.is_f64() => {
            // Above 2^53 the number that the caller sent may already be rounded.
            const MAX_EXACT: f64 = 9_007_199_254_740_992.0;
            let float = number.as_f64().filter(|it| it.fract() == 0.0 && it.abs() < MAX_EXACT);
            let Some(float) = float else { return false };
            #[allow(
                clippy::cast_possible_truncation,
                reason = "the float is an integer below 2^53"
            )]
            let integer = float as i64;
            *value = integer.into();
            true
        }
        Value::Array(items) => {
            items.iter_mut().fold(false, |changed, item| convert_integral_floats(item) | changed)
        }
        Value::Object(members) => members
            .values_mut()
            .fold(false, |changed, item| convert_integral_floats(item) | changed),
        _ => false,
    }
}

/// Returns whether a replaced string should have stayed a string.
fn expects_string(problem: &Problem) -> bool {
    problem.0.message.ends_with("expected a string")
}

/// The maximum number of strings in an enum or a flattened struct that are tried. Default is 16.
const MAX_CANDIDATES: usize = 16;

/// The maximum length of a number or a boolean in a string, in bytes. Default is 64.
const MAX_SCALAR_BYTES: usize = 64;

/// Replaces a number or boolean that was sent as a string, anywhere inside the value that does not match. serde reports
/// an enum or a flattened struct as a whole, so each string is tried. Returns the result of the read after the
/// replacement, or `None` if no replacement makes a difference.
fn reread_inside<R>(
    arguments: &mut Value,
    problem: &Problem,
    left: &mut usize,
    budget: &ValueBudget,
    read: Reader<'_, R>,
) -> Option<std::result::Result<R, Problem>> {
    let path = problem.0.place.segments();
    let mut candidates = Vec::new();
    let around = path.split_last().map_or(path, |(_, parents)| parents);
    let place =
        around.iter().try_fold(&mut *arguments, |place, segment| descend(place, segment))?;
    collect_scalars(place, around.to_vec(), &mut candidates);
    let replace = |arguments: &mut Value, path: &[Segment]| {
        let place = path.iter().try_fold(arguments, |place, segment| descend(place, segment));
        place.is_some_and(|place| reread_string(place, path.len(), budget))
    };
    let mut all = arguments.clone();
    for candidate in &candidates {
        replace(&mut all, candidate);
        if *left == 0 {
            return None;
        }
        *left -= 1;
        let mut changed = arguments.clone();
        replace(&mut changed, candidate);
        let next = read(&changed);
        let is_useless = |next: &Problem| {
            let is_same = next.0.message == problem.0.message && next.0.place.segments() == path;
            is_same || expects_string(next)
        };
        if !next.as_ref().is_err_and(is_useless) {
            *arguments = changed;
            return Some(next);
        }
    }
    // The error of an untagged enum does not name the value that failed to match.
    let next = read(&all).ok().filter(|_| candidates.len() > 1)?;
    *arguments = all;
    Some(Ok(next))
}

/// Collects the paths of strings that contain a number or a boolean.
fn collect_scalars(value: &Value, path: Vec<Segment>, candidates: &mut Vec<Vec<Segment>>) {
    let inside = |segment: Segment| {
        let mut path = path.clone();
        path.push(segment);
        path
    };
    match value {
        _ if candidates.len() == MAX_CANDIDATES => {}
        Value::String(text) => {
            let text = Some(text).filter(|text| text.len() <= MAX_SCALAR_BYTES);
            let held = text.and_then(|text| parse_bounded(text.as_bytes()).ok());
            if held.is_some_and(|value| value.is_number() || value.is_boolean()) {
                candidates.push(path);
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                collect_scalars(item, inside(Segment::Index(index)), candidates);
            }
        }
        Value::Object(members) => {
            for (key, member) in members {
                collect_scalars(member, inside(Segment::Key(key.clone())), candidates);
            }
        }
        _ => {}
    }
}

/// Replaces a string with the JSON that it contains. `depth` is its nesting level.
fn reread_string(value: &mut Value, depth: usize, budget: &ValueBudget) -> bool {
    let Some(inner) = value.as_str().and_then(|text| parse_embedded_json(text, depth, budget))
    else {
        return false;
    };
    let changed = !inner.is_string();
    if changed {
        *value = inner;
    }
    changed
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;
    use serde_json::json;
    use std::collections::HashMap;

    #[derive(Debug, Deserialize, PartialEq)]
    #[serde(deny_unknown_fields)]
    struct Input {
        city: String,
        days: Option<u8>,
        #[serde(default)]
        hours: Vec<u8>,
        inner: Option<Nested>,
    }

    #[derive(Debug, Deserialize, PartialEq)]
    struct Nested {
        ok: bool,
    }

    fn parse_arguments<T: DeserializeOwned + 'static>(
        arguments: Value,
        how: Strictness,
    ) -> Result<T> {
        super::parse_arguments(Arguments { value: arguments, how, bounds: None })
    }

    fn parsed(arguments: Value) -> Input {
        parse_arguments(arguments, Strictness::Lenient).expect("a lenient read accepts it")
    }

    #[test]
    fn scalars_in_strings_are_read_in_every_shape_of_serde() {
        #[derive(Debug, Deserialize, PartialEq)]
        #[serde(tag = "op", rename_all = "snake_case")]
        enum Tagged {
            Move { x: i32, label: String },
        }
        #[derive(Debug, Deserialize, PartialEq)]
        struct Flattened {
            id: u32,
            #[serde(flatten)]
            op: Tagged,
        }
        #[derive(Debug, Deserialize, PartialEq)]
        #[serde(untagged)]
        enum Untagged {
            Pair { a: u8, b: bool },
        }
        let lenient = Strictness::Lenient;
        let op = Tagged::Move { x: 3, label: "3".to_owned() };
        // The label stays a string.
        let sent = json!({"op": "move", "x": "3", "label": "3"});
        assert_eq!(parse_arguments::<Tagged>(sent.clone(), lenient).unwrap(), op);
        assert!(parse_arguments::<Tagged>(sent, Strictness::Exact).is_err());
        let sent = json!({"id": "7", "op": "move", "label": "3", "x": "3"});
        assert_eq!(parse_arguments::<Flattened>(sent, lenient).unwrap(), Flattened { id: 7, op });
        let sent = json!([{"a": "1", "b": "true"}]);
        let pair = Untagged::Pair { a: 1, b: true };
        assert_eq!(parse_arguments::<Vec<Untagged>>(sent, lenient).unwrap(), [pair]);
        let error =
            parse_arguments::<Tagged>(json!({"op": "move", "x": "three", "label": "l"}), lenient);
        assert!(error.unwrap_err().to_string().contains("three"));
    }

    #[test]
    fn strings_are_read_again_where_they_do_not_fit() {
        let input = parsed(
            json!({"city": "5", "days": "5", "hours": "[1, 2]", "inner": "{\"ok\": \"true\"}"}),
        );
        assert_eq!(input.city, "5", "a string that fits stays a string");
        assert_eq!(input.days, Some(5));
        assert_eq!(input.hours, [1, 2]);
        assert_eq!(input.inner, Some(Nested { ok: true }));
    }

    #[test]
    fn strict_parsing_repairs_nothing() {
        let error = parse_arguments::<Input>(json!({"city": "a", "days": "5"}), Strictness::Exact);
        let message = error.expect_err("a string is not a number").to_string();
        assert!(message.contains("at `days`"), "{message}");
    }

    #[test]
    fn error_names_the_place_and_what_was_expected() {
        let error =
            parse_arguments::<Input>(json!({"city": "a", "hours": [1, "x"]}), Strictness::Lenient);
        let message = error.expect_err("x is not a number").to_string();
        assert_eq!(message, "at `hours[1]`: invalid type: string \"x\", expected u8");
        let error = parse_arguments::<Input>(json!({"town": "a"}), Strictness::Lenient);
        let message = error.expect_err("town is unknown").to_string();
        assert!(message.contains("unknown field `town`, expected one of `city`"), "{message}");
    }

    #[test]
    fn null_is_parsed_or_treated_as_no_arguments() {
        for (how, any) in [(Strictness::Exact, Value::Null), (Strictness::Lenient, json!({}))] {
            assert_eq!(parse_arguments::<Value>(Value::Null, how).expect("any JSON"), any);
        }
        assert_eq!(
            parse_arguments::<Option<u8>>(Value::Null, Strictness::Exact).expect("nothing"),
            None
        );
        #[derive(Debug, Deserialize, PartialEq)]
        struct Defaults {
            #[serde(default)]
            n: u8,
        }
        let read = parse_arguments::<Defaults>(Value::Null, Strictness::Exact);
        assert_eq!(read.expect("an object without members"), Defaults { n: 0 });
    }

    #[test]
    fn integral_floats_are_integers_in_every_shape() {
        #[derive(Debug, Deserialize, PartialEq)]
        #[serde(tag = "kind")]
        enum Tagged {
            A { n: i32 },
        }
        #[derive(Debug, Deserialize, PartialEq)]
        struct Flat {
            #[serde(flatten)]
            inner: Inner,
            untagged: Option<Untagged>,
            pair: Option<(u8, f64)>,
            tagged: Option<Tagged>,
        }
        #[derive(Debug, Deserialize, PartialEq)]
        struct Inner {
            n: u64,
        }
        #[derive(Debug, Deserialize, PartialEq)]
        #[serde(untagged)]
        enum Untagged {
            List(Vec<i8>),
        }
        let sent = json!({"n": 1e3, "untagged": [-2.0], "pair": [3.0, 4.0], "tagged": {"kind": "A", "n": 5.0}});
        let read: Flat = parse_arguments(sent.clone(), Strictness::Lenient).expect("integers");
        assert_eq!(
            read,
            Flat {
                inner: Inner { n: 1000 },
                untagged: Some(Untagged::List(vec![-2])),
                pair: Some((3, 4.0)),
                tagged: Some(Tagged::A { n: 5 }),
            }
        );
        parse_arguments::<Flat>(sent, Strictness::Exact).expect_err("strict");
        let read = parsed(json!({"city": "a", "days": "3.0", "hours": [1.0, "2"]}));
        assert_eq!((read.days, read.hours), (Some(3), vec![1, 2]));
    }

    #[test]
    fn error_describes_the_value_that_the_caller_sent() {
        for (days, sent) in [(json!("5.5"), "string \"5.5\""), (json!(3.5), "floating point `3.5`")]
        {
            let error =
                parse_arguments::<Input>(json!({"city": "a", "days": days}), Strictness::Lenient);
            let message = error.expect_err("not an integer").to_string();
            assert!(message.contains(sent), "{message}");
        }
        for inexact in [9_007_199_254_740_993.0, 1e300] {
            parse_arguments::<u64>(json!(inexact), Strictness::Lenient).expect_err("inexact");
        }
    }

    #[test]
    fn empty_text_counts_as_absent_where_it_does_not_fit() {
        let input: Input =
            parse_arguments(json!({"city": "", "days": ""}), Strictness::Text).expect("fits");
        assert_eq!(input, Input { city: String::new(), days: None, hours: vec![], inner: None });
    }

    #[test]
    fn strings_in_a_variant_are_read_again_too() {
        #[derive(Debug, Deserialize, PartialEq)]
        enum Shape {
            Circle { radius: u8 },
        }
        let text = json!({"Circle": {"radius": "5"}});
        let error =
            parse_arguments::<Shape>(text.clone(), Strictness::Exact).expect_err("it is a string");
        assert!(error.to_string().starts_with("at `Circle.radius`: invalid type"), "{error}");
        let read =
            parse_arguments::<Shape>(text, Strictness::Lenient).expect("a lenient read accepts it");
        assert_eq!(read, Shape::Circle { radius: 5 });
    }

    #[derive(Debug, Deserialize)]
    struct Chain {
        #[serde(rename = "next")]
        _next: Option<Box<Chain>>,
    }

    #[test]
    fn strings_hold_as_many_values_as_a_call() {
        let list = |lists: usize| json!({"a": format!("[{}]", vec!["[0]"; lists].join(","))});
        let parsed = |lists| {
            let read =
                parse_arguments::<HashMap<String, Vec<[u8; 1]>>>(list(lists), Strictness::Lenient);
            read.map(|read| read["a"].len())
        };
        assert_eq!(parsed(10_000).expect("within the limit"), 10_000);
        let message = parsed(60_000).expect_err("too many values").to_string();
        assert!(message.contains("invalid type: string"), "{message}");
    }

    #[test]
    fn strings_inside_of_strings_nest_no_deeper_than_json() {
        // Each level of 30 objects ends in a string that contains the next 30 levels.
        let level = |inner: String, levels: usize| {
            (0..levels).fold(inner, |inner, _| format!("{{\"next\":{inner}}}"))
        };
        let nested = |strings: usize| {
            (0..strings).fold(level("null".to_owned(), 30), |inner, _| {
                level(Value::from(inner).to_string(), 30)
            })
        };
        let parsed = |strings| {
            let arguments: Value = serde_json::from_str(&nested(strings)).expect("JSON");
            parse_arguments::<Chain>(arguments, Strictness::Lenient).map(|_| ())
        };
        assert!(parsed(3).is_ok());
        for strings in [4, 8] {
            let message = parsed(strings).expect_err("too deep").to_string();
            assert!(message.contains("invalid type: string"), "{message}");
        }
    }
}
