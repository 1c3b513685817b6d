//! Comparison of observed and expected values.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

/// Records where two values differ. Null counts as missing, like JavaScript's `undefined`.
///
/// The expected value `"*"` matches anything; `"$x"` matches anything that is the same at every `$x`; `"contains"`
/// matches a part of a text.
#[derive(Default)]
pub struct Comparison {
    pub differences: Vec<String>,
    bound: BTreeMap<String, Value>,
}

impl Comparison {
    pub fn note(&mut self, at: &str, said: &str) {
        self.differences.push(format!("{at} {said}"));
    }

    /// Every part of `is` must be expected.
    pub fn whole(&mut self, at: &str, is: &Value, wanted: &Value) {
        match (is, wanted) {
            (Value::Object(is), Value::Object(wanted)) => {
                self.keys(at, is, wanted);
                for (key, value) in is.iter().filter(|(_, value)| !value.is_null()) {
                    if wanted.get(key).is_none_or(Value::is_null) {
                        self.note(at, &format!("has `{key}`, which is not expected: {value}"));
                    }
                }
            }
            (Value::Array(is), Value::Array(wanted)) if is.len() == wanted.len() => {
                for (index, (is, wanted)) in is.iter().zip(wanted).enumerate() {
                    self.whole(&format!("{at}[{index}]"), is, wanted);
                }
            }
            (_, Value::String(mark)) if mark == "*" && !is.is_null() => {}
            (_, Value::String(mark)) if mark.starts_with('$') && !is.is_null() => {
                let first = self.bound.entry(mark.clone()).or_insert_with(|| is.clone());
                if first != is {
                    let said = format!("is {is}, and {mark} was {first}");
                    self.note(at, &said);
                }
            }
            (is, wanted) if is == wanted => {}
            _ => self.note(at, &format!("is\n        {is}\n      wanted\n        {wanted}")),
        }
    }

    /// Compares only the expected parts of `is`. Empty values count as missing. For a list, each item is compared.
    pub fn part(&mut self, at: &str, is: &Value, wanted: &Value) {
        match (is, wanted) {
            (Value::Object(is), Value::Object(wanted)) => {
                for (key, wanted) in wanted {
                    let at = format!("{at}.{key}");
                    let is = is.get(key).unwrap_or(&Value::Null);
                    match (key.as_str(), is, wanted) {
                        ("contains", Value::String(is), Value::String(wanted)) => {
                            if !is.contains(wanted) {
                                self.note(&at, &format!("{wanted:?} is wrong for {is:?}"));
                            }
                        }
                        _ if is_empty(is) && is_empty(wanted) => {}
                        _ => self.whole(&at, is, wanted),
                    }
                }
            }
            (Value::Array(is), Value::Array(wanted)) if is.len() == wanted.len() => {
                for (index, (is, wanted)) in is.iter().zip(wanted).enumerate() {
                    self.part(&format!("{at}[{index}]"), is, wanted);
                }
            }
            _ => self.whole(at, is, wanted),
        }
    }

    fn keys(&mut self, at: &str, is: &Map<String, Value>, wanted: &Map<String, Value>) {
        for (key, wanted) in wanted {
            self.whole(&format!("{at}.{key}"), is.get(key).unwrap_or(&Value::Null), wanted);
        }
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Object(map) => map.is_empty(),
        Value::Array(items) => items.is_empty(),
        _ => false,
    }
}
