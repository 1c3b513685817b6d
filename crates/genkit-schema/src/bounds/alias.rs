//! Aliases: names that a Rust type reads and its schema does not show. Only reading knows them, so
//! the type is asked: whether it reads the value under the shown name too, and not under both.

use std::collections::HashMap;

use serde_json::Value;

use super::keywords::Id;
use super::violation::{Doubt, Step, Violation, at_mut};
use super::walk::Suspect;

/// How much is read again to find what a name means, in bytes of JSON. Default is 16 MiB.
const MAX_REREAD: usize = 16 * 1024 * 1024;

/// How many names may be tried in any case. Default is 64.
const MIN_TRIES: usize = 64;

/// How many doubtful violations are looked into in any case. Default is 8.
const MIN_CONFIRMATIONS: usize = 8;

/// The type that read a value, asked what it makes of others.
pub(super) struct Reader<'r> {
    read: &'r dyn Fn(&Value) -> bool,
    tries: usize,
    confirmations: usize,
    known: HashMap<(Id, String, String), bool>,
}

/// There are too many names to try.
pub(super) struct TooMany;

impl<'r> Reader<'r> {
    pub(super) fn new(value: &Value, read: &'r dyn Fn(&Value) -> bool) -> Self {
        let affordable = MAX_REREAD / crate::size::json_size(value).max(1);
        let confirmations = affordable.max(MIN_CONFIRMATIONS);
        Self { read, tries: affordable.max(MIN_TRIES), confirmations, known: HashMap::new() }
    }

    /// Whether a violation is one.
    pub(super) fn confirms(&mut self, value: &Value, violation: &Violation) -> bool {
        if violation.doubt == Doubt::None {
            return true;
        }
        // Nobody can say: then the schema has the word.
        let Some(left) = self.confirmations.checked_sub(1) else { return true };
        self.confirmations = left;
        let mut other = value.clone();
        let Some(place) = at_mut(&mut other, &violation.path) else { return true };
        match violation.doubt {
            Doubt::None => true,
            // A type with a list of its own does not read what no list has.
            Doubt::Alias => {
                *place = Value::from("\u{1}");
                (self.read)(&other)
            }
            // What is read must fit the type.
            Doubt::Unread => {
                *place = match place {
                    Value::Array(_) | Value::Object(_) => Value::Bool(true),
                    _ => serde_json::json!([[[]]]),
                };
                !(self.read)(&other)
            }
        }
    }

    /// The shown names that `name` may stand for.
    pub(super) fn shown_names<'s>(
        &mut self,
        value: &Value,
        suspect: &'s Suspect,
        name: &str,
    ) -> Result<Vec<&'s str>, TooMany> {
        let mut shown = Vec::new();
        for absent in &suspect.absent {
            let key = (suspect.node, name.to_owned(), absent.clone());
            let is_alias = match self.known.get(&key) {
                Some(known) => *known,
                None => {
                    self.tries = self.tries.checked_sub(1).ok_or(TooMany)?;
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
        let renamed = renamed(value.clone(), path, name, shown);
        let mut both = renamed.clone();
        let Some(object) = at_mut(&mut both, path).and_then(Value::as_object_mut) else {
            return false;
        };
        let Some(same) = object.get(shown).cloned() else { return false };
        object.insert(name.to_owned(), same);
        (self.read)(&renamed) && !(self.read)(&both)
    }
}

/// The value with another name of a member.
pub(super) fn renamed(mut value: Value, path: &[Step], name: &str, shown: &str) -> Value {
    let object = at_mut(&mut value, path).and_then(Value::as_object_mut);
    if let Some(object) = object
        && !object.contains_key(shown)
        && let Some(member) = object.shift_remove(name)
    {
        object.insert(shown.to_owned(), member);
    }
    value
}
