//! Aliases: names that a Rust type accepts but that its schema does not contain. They are detected by deserializing: a
//! name is an alias of a name in the schema if the type accepts the value under either name, but not under both.

use std::collections::HashMap;

use serde_json::Value;

use super::keywords::Id;
use super::violation::{Doubt, Step, Violation, at_mut};
use super::walk::Suspect;

/// The maximum amount of JSON that is deserialized again to resolve aliases, in bytes. Default is 16 MiB.
const MAX_REREAD: usize = 16 * 1024 * 1024;

/// The minimum number of names that can be tried. Default is 64.
const MIN_TRIES: usize = 64;

/// The minimum number of doubtful violations that can be confirmed. Default is 8.
const MIN_CONFIRMATIONS: usize = 8;

/// The type that deserialized a value, used to deserialize variations of the value.
pub(super) struct Reader<'r> {
    read: &'r dyn Fn(&Value) -> bool,
    tries: usize,
    confirmations: usize,
    known: HashMap<(Id, String, String), bool>,
}

/// The error for a value with too many names to try.
pub(super) struct TooManyNames;

impl<'r> Reader<'r> {
    pub(super) fn new(value: &Value, read: &'r dyn Fn(&Value) -> bool) -> Self {
        let affordable = MAX_REREAD / crate::json::size::json_size(value).max(1);
        let confirmations = affordable.max(MIN_CONFIRMATIONS);
        Self { read, tries: affordable.max(MIN_TRIES), confirmations, known: HashMap::new() }
    }

    /// Returns whether a violation is genuine.
    pub(super) fn is_cause_of(&mut self, value: &Value, violation: &Violation) -> bool {
        if violation.doubt == Doubt::None {
            return true;
        }
        // If no confirmations are left, treat the violation as genuine.
        let Some(left) = self.confirmations.checked_sub(1) else { return true };
        self.confirmations = left;
        let mut other = value.clone();
        let Some(place) = at_mut(&mut other, &violation.path) else { return true };
        match violation.doubt {
            Doubt::None => true,
            // A type that accepts any text has no listed values, so the text is not an alias and the violation is
            // genuine.
            Doubt::Alias => {
                *place = Value::from("\u{1}");
                (self.read)(&other)
            }
            // A type that rejects a value of another JSON type reads this position, so the violation is genuine.
            Doubt::Unread => {
                *place = match place {
                    Value::Array(_) | Value::Object(_) => Value::Bool(true),
                    _ => serde_json::json!([[[]]]),
                };
                !(self.read)(&other)
            }
        }
    }

    /// Returns the names in the schema that `name` may be an alias of.
    pub(super) fn shown_names<'s>(
        &mut self,
        value: &Value,
        suspect: &'s Suspect,
        name: &str,
    ) -> Result<Vec<&'s str>, TooManyNames> {
        let mut shown = Vec::new();
        for absent in &suspect.absent {
            let key = (suspect.node, name.to_owned(), absent.clone());
            let is_alias = match self.known.get(&key) {
                Some(known) => *known,
                None => {
                    self.tries = self.tries.checked_sub(1).ok_or(TooManyNames)?;
                    let is_alias = self.is_alias(value, &suspect.path, name, absent);
                    self.known.insert(key, is_alias);
                    is_alias
                }
            };
            if is_alias {
                shown.push(absent.as_str());
            }
        }
        Ok(shown)
    }

    fn is_alias(&self, value: &Value, path: &[Step], name: &str, shown: &str) -> bool {
        let renamed = rename_member(value.clone(), path, name, shown);
        let mut both = renamed.clone();
        let Some(object) = at_mut(&mut both, path).and_then(Value::as_object_mut) else {
            return false;
        };
        let Some(same) = object.get(shown).cloned() else { return false };
        object.insert(name.to_owned(), same);
        (self.read)(&renamed) && !(self.read)(&both)
    }
}

/// Returns the value with a member renamed.
pub(super) fn rename_member(mut value: Value, path: &[Step], name: &str, shown: &str) -> Value {
    let object = at_mut(&mut value, path).and_then(Value::as_object_mut);
    if let Some(object) = object
        && !object.contains_key(shown)
        && let Some(member) = object.shift_remove(name)
    {
        object.insert(shown.to_owned(), member);
    }
    value
}
