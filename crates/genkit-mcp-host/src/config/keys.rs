//! Keys of servers: they stand before the names of what the servers offer.

use std::collections::{BTreeMap, BTreeSet};

use super::ServerConfig;
use crate::error::Error;
use crate::limits::MAX_KEY;
use genkit_core::Result;
use genkit_core::internal::names::safe_name;

/// Keys stand before a `/` in names, and there is one server for each.
pub(crate) fn check_keys(servers: &[(String, ServerConfig)]) -> Result<()> {
    let mut known = BTreeSet::new();
    for (key, _) in servers {
        let is_legal = !key.is_empty()
            && key.len() <= MAX_KEY
            && !key.contains(['/', '*'])
            && !key.chars().any(char::is_control);
        if !is_legal {
            return Err(Error::Key(key.clone()).into());
        }
        if !known.insert(key) {
            return Err(Error::KeyTwice(key.clone()).into());
        }
    }
    Ok(())
}

/// What is to be said of keys that are one where only letters, digits, `_` and `-` may stand: names of their
/// tools are told apart there by a number.
pub(crate) fn alike_keys(servers: &[(String, ServerConfig)]) -> Vec<String> {
    let mut known: BTreeMap<String, &str> = BTreeMap::new();
    let mut alike = Vec::new();
    for (key, _) in servers {
        // As names begin.
        let safe = safe_name(&format!("{key}/"));
        match known.get(safe.as_str()) {
            Some(other) => alike.push(format!(
                "the servers `{other}` and `{key}` have one name for a model, where only letters, digits, \
                 `_` and `-` may stand: their tools are told apart by a number. Give one another key"
            )),
            None => {
                known.insert(safe, key);
            }
        }
    }
    alike
}
