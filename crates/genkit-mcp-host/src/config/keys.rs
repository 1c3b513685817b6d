//! Keys of servers, which prefix the names of the servers' tools and prompts.

use std::collections::{BTreeMap, BTreeSet};

use super::ServerConfig;
use crate::error::Error;
use crate::limits::MAX_KEY;
use genkit_core::Result;
use genkit_core::internal::names::safe_name;

/// Checks that keys are unique and can precede a `/` in a name.
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

/// Returns a notice for each pair of keys that become identical when reduced to letters, digits, `_` and `-`. The names
/// of their tools are then disambiguated by a number.
pub(crate) fn find_similar_keys(servers: &[(String, ServerConfig)]) -> Vec<String> {
    let mut known: BTreeMap<String, &str> = BTreeMap::new();
    let mut alike = Vec::new();
    for (key, _) in servers {
        // Includes the `/`, which separates the key from the name of a tool.
        let safe = safe_name(&format!("{key}/"));
        match known.get(safe.as_str()) {
            Some(other) => alike.push(format!(
                "the keys `{other}` and `{key}` are the same in names for models, which allow only letters, \
                 digits, `_` and `-`, so a number is added to the names of their tools; rename one of the keys"
            )),
            None => {
                known.insert(safe, key);
            }
        }
    }
    alike
}
