//! Keys of servers: they stand before the names of what the servers offer.

use std::collections::BTreeSet;

use super::ServerConfig;
use crate::error::Result;
use crate::mcp::host::error::Error;
use crate::mcp::host::limits::MAX_KEY;

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
