//! Conversion of YAML to JSON. It is based on the events of a parser, so that this crate can bound aliases and depth,
//! and reject duplicate keys.

use std::collections::HashMap;

use saphyr_parser::{Event, Parser, ScalarStyle, ScanError, Span, Tag};
use serde_json::map::Entry;
use serde_json::{Map, Value};

use super::scalar;
use crate::error::Error;
use crate::error_kind::ErrorKind;
use crate::limits::{MAX_YAML_BYTES, MAX_YAML_DEPTH, MAX_YAML_VALUES};

/// Parses a map, which is empty if there are only comments. Positions are counted from the first line of `source`.
pub(crate) fn read(source: &str) -> Result<Map<String, Value>, Error> {
    read_within(source, MAX_YAML_VALUES, MAX_YAML_BYTES)
}

/// Parses a map with other limits on its size.
pub(crate) fn read_within(
    source: &str,
    max_values: usize,
    max_bytes: usize,
) -> Result<Map<String, Value>, Error> {
    let reader = YamlReader { max_values, max_bytes, ..YamlReader::default() };
    let value = { reader }.read(source)?;
    match value {
        Value::Object(map) => Ok(map),
        Value::Null => Ok(Map::new()),
        _ => Err(Error::new(ErrorKind::FrontmatterNotAMap).with_place((1, 1))),
    }
}

/// Returns the position of the value at `path` (keys and list positions), or of its deepest ancestor that exists.
pub(crate) fn find_position(source: &str, path: &[String]) -> (usize, usize) {
    let mut reader = YamlReader { wanted: Some(path.to_vec()), ..YamlReader::default() };
    // The source was parsed successfully before.
    let _ = reader.read(source);
    reader.found
}

/// A map or list that is not complete yet.
struct Open {
    value: Collection,
    anchor: usize,
    values: usize,
    bytes: usize,
}

enum Collection {
    /// The map, and whether its last key has no value yet.
    Map(Map<String, Value>, bool),
    List(Vec<Value>),
}

struct AnchoredValue {
    value: Value,
    values: usize,
    bytes: usize,
}

struct YamlReader {
    max_values: usize,
    max_bytes: usize,
    open: Vec<Open>,
    anchors: HashMap<usize, AnchoredValue>,
    values: usize,
    bytes: usize,
    done: Option<Value>,
    /// The path that `find_position` searches for.
    wanted: Option<Vec<String>>,
    found: (usize, usize),
}

impl Default for YamlReader {
    fn default() -> Self {
        Self {
            max_values: MAX_YAML_VALUES,
            max_bytes: MAX_YAML_BYTES,
            open: Vec::new(),
            anchors: HashMap::new(),
            values: 0,
            bytes: 0,
            done: None,
            wanted: None,
            found: (0, 0),
        }
    }
}

impl YamlReader {
    fn read(&mut self, source: &str) -> Result<Value, Error> {
        let mut parser = Parser::new_from_str(source);
        while let Some(event) = parser.next_event() {
            let (event, span) = event.map_err(|error| yaml_error(&error))?;
            self.handle_event(event, span)
                .map_err(|fault| Error::new(fault).with_place(start_position(&span)))?;
        }
        Ok(self.done.take().unwrap_or(Value::Null))
    }

    fn handle_event(&mut self, event: Event<'_>, span: Span) -> Result<(), ErrorKind> {
        match event {
            Event::DocumentStart(_) if self.done.is_some() => Err(ErrorKind::SeveralDocuments),
            Event::Scalar(text, style, anchor, tag) => {
                let value = scalar_value(&text, style, tag.as_deref())?;
                self.count_value(1, text.len())?;
                if anchor > 0 {
                    let kept = AnchoredValue { value: value.clone(), values: 1, bytes: text.len() };
                    self.anchors.insert(anchor, kept);
                }
                self.put_value(value, &span)
            }
            Event::SequenceStart(anchor, tag) => {
                check_tag(tag.as_deref(), "seq")?;
                self.begin_collection(Collection::List(Vec::with_capacity(4)), anchor)
            }
            Event::MappingStart(anchor, tag) => {
                check_tag(tag.as_deref(), "map")?;
                self.begin_collection(Collection::Map(Map::with_capacity(8), false), anchor)
            }
            Event::SequenceEnd | Event::MappingEnd => self.end_collection(&span),
            Event::Alias(anchor) => {
                let Some(kept) = self.anchors.get(&anchor) else {
                    return Err(ErrorKind::RecursiveAlias);
                };
                // Count before copying, because aliases of aliases grow exponentially.
                let (values, bytes) = (kept.values, kept.bytes);
                self.count_value(values, bytes)?;
                let value = self.anchors[&anchor].value.clone();
                self.put_value(value, &span)
            }
            _ => Ok(()),
        }
    }

    fn count_value(&mut self, values: usize, bytes: usize) -> Result<(), ErrorKind> {
        self.values += values;
        self.bytes += bytes;
        let (values, bytes) = (self.max_values, self.max_bytes);
        if self.values > values || self.bytes > bytes {
            return Err(ErrorKind::YamlTooLarge { values, bytes });
        }
        Ok(())
    }

    fn begin_collection(&mut self, value: Collection, anchor: usize) -> Result<(), ErrorKind> {
        if self.open.len() >= MAX_YAML_DEPTH {
            return Err(ErrorKind::YamlTooDeep);
        }
        self.count_value(1, 0)?;
        if let Some(Open { value: Collection::Map(_, false), .. }) = self.open.last() {
            return Err(ErrorKind::NonStringKey);
        }
        self.open.push(Open { value, anchor, values: self.values, bytes: self.bytes });
        Ok(())
    }

    fn end_collection(&mut self, span: &Span) -> Result<(), ErrorKind> {
        let Some(open) = self.open.pop() else { return Ok(()) };
        let value = match open.value {
            Collection::Map(map, _) => Value::Object(map),
            Collection::List(list) => Value::Array(list),
        };
        if open.anchor > 0 {
            let values = self.values - open.values + 1;
            let bytes = self.bytes - open.bytes;
            self.count_value(values, bytes)?;
            self.anchors.insert(open.anchor, AnchoredValue { value: value.clone(), values, bytes });
        }
        self.put_value(value, span)
    }

    fn put_value(&mut self, value: Value, span: &Span) -> Result<(), ErrorKind> {
        self.record_position(&value, span);
        match self.open.last_mut().map(|open| &mut open.value) {
            None => self.done = Some(value),
            Some(Collection::List(list)) => list.push(value),
            Some(Collection::Map(map, has_key)) => {
                *has_key = !*has_key;
                if *has_key {
                    if let Some(name) = insert_key(map, key_text(value)?) {
                        return Err(ErrorKind::DuplicateKey(name));
                    }
                } else if let Some(last) = map.values_mut().next_back() {
                    *last = value;
                }
            }
        }
        Ok(())
    }

    /// Records the position of a key or item if it is on the path that is searched for.
    fn record_position(&mut self, value: &Value, span: &Span) {
        let Some(wanted) = &self.wanted else { return };
        let Some((last, above)) = self.open.split_last() else { return };
        if self.open.len() > wanted.len() {
            return;
        }
        let wanted_here = &wanted[self.open.len() - 1];
        let here = match &last.value {
            Collection::Map(_, false) => value.as_str() == Some(wanted_here),
            Collection::Map(_, true) => false,
            Collection::List(list) => wanted_here.parse() == Ok(list.len()),
        };
        let on_the_way = above.iter().zip(wanted).all(|(open, wanted)| match &open.value {
            Collection::Map(map, _) => map.keys().next_back() == Some(wanted),
            Collection::List(list) => wanted.parse() == Ok(list.len()),
        });
        if here && on_the_way {
            self.found = start_position(span);
        }
    }
}

fn start_position(span: &Span) -> (usize, usize) {
    (span.start.line(), span.start.col() + 1)
}

fn yaml_error(error: &ScanError) -> Error {
    let marker = error.marker();
    Error::new(ErrorKind::Yaml(error.info().to_owned()))
        .with_place((marker.line(), marker.col() + 1))
}

/// Inserts a key whose value follows. Returns the key if the map already contains it.
fn insert_key(map: &mut Map<String, Value>, name: String) -> Option<String> {
    match map.entry(name) {
        Entry::Vacant(place) => {
            place.insert(Value::Null);
            None
        }
        Entry::Occupied(known) => Some(known.key().clone()),
    }
}

/// Converts a key to text, since keys in JSON are text: `1: x` becomes `"1"`.
fn key_text(value: Value) -> Result<String, ErrorKind> {
    match value {
        Value::String(text) => Ok(text),
        Value::Null => Ok(String::new()),
        Value::Bool(_) | Value::Number(_) => Ok(value.to_string()),
        Value::Array(_) | Value::Object(_) => Err(ErrorKind::NonStringKey),
    }
}

fn scalar_value(value: &str, style: ScalarStyle, tag: Option<&Tag>) -> Result<Value, ErrorKind> {
    let Some(tag) = tag else {
        if style != ScalarStyle::Plain {
            return Ok(Value::String(value.to_owned()));
        }
        return scalar::parse_scalar(value)
            .ok_or_else(|| ErrorKind::NumberNotInJson(value.to_owned()));
    };
    if tag.handle.is_empty() && tag.suffix == "!" || tag.handle == "!" && tag.suffix.is_empty() {
        return Ok(Value::String(value.to_owned()));
    }
    let known = tag.is_yaml_core_schema();
    if known && tag.suffix == "str" {
        return Ok(Value::String(value.to_owned()));
    }
    let read =
        scalar::parse_scalar(value).ok_or_else(|| ErrorKind::NumberNotInJson(value.to_owned()))?;
    match (tag.suffix.as_str(), &read) {
        ("null", Value::Null) | ("bool", Value::Bool(_)) | ("float", Value::Number(_)) if known => {
            Ok(read)
        }
        ("int", Value::Number(number)) if known && !number.is_f64() => Ok(read),
        _ => Err(ErrorKind::Tag(tag_text(tag))),
    }
}

fn check_tag(tag: Option<&Tag>, expected: &str) -> Result<(), ErrorKind> {
    match tag {
        Some(tag) if !(tag.is_yaml_core_schema() && tag.suffix == expected) => {
            Err(ErrorKind::Tag(tag_text(tag)))
        }
        _ => Ok(()),
    }
}

fn tag_text(tag: &Tag) -> String {
    let handle = if tag.is_yaml_core_schema() { "!!" } else { &tag.handle };
    format!("{handle}{}", tag.suffix)
}
