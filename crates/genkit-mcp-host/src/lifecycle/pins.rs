//! Pins: what each tool was when it was first seen, or accepted.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;

use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::event::McpEvent;
use crate::limits::MAX_ITEMS;
use crate::settings::HostSettings;
use genkit_core::internal::sync::lock;
use genkit_core::internal::visible::Logged;

/// What of a tool counts: whoever looked at it looked at this.
const MEMBERS: [&str; 5] = ["title", "description", "inputSchema", "outputSchema", "annotations"];

/// The tools of one server by what they were. They outlive its connections.
#[derive(Default)]
pub(crate) struct Pins(Mutex<BTreeMap<String, Pin>>);

struct Pin {
    /// What counts.
    accepted: String,
    /// What was seen last, and told.
    seen: String,
    is_held: bool,
}

impl Pins {
    /// Looks at a tool that is listed: whether it is held back. A change is told once.
    pub(crate) fn is_held(
        &self,
        server: &str,
        settings: &HostSettings,
        name: &str,
        item: &Value,
        holds: bool,
    ) -> bool {
        let found = fingerprint(item);
        let event = {
            let pins = &mut *lock(&self.0);
            let Some(pin) = pins.get_mut(name) else {
                // As many as a list may have, twice; then new ones are not told apart from changed ones.
                let is_held = holds && pins.len() >= 2 * MAX_ITEMS;
                if !is_held && pins.len() < 2 * MAX_ITEMS {
                    let (accepted, seen) = (found.clone(), found);
                    pins.insert(name.to_owned(), Pin { accepted, seen, is_held });
                }
                return is_held;
            };
            pin.is_held = holds && pin.accepted != found;
            if pin.seen == found {
                return pin.is_held;
            }
            let before = std::mem::replace(&mut pin.seen, found.clone());
            let (server, tool) = (server.to_owned(), name.to_owned());
            McpEvent::ToolChanged { server, tool, before, fingerprint: found, held: pin.is_held }
        };
        let held = matches!(&event, McpEvent::ToolChanged { held: true, .. });
        tracing::warn!(server, tool = %Logged::name(name), held, "a tool of an MCP server has changed");
        settings.emit(&event);
        held
    }

    /// Whether a call of the tool is refused for now.
    pub(crate) fn holds(&self, name: &str) -> bool {
        lock(&self.0).get(name).is_some_and(|pin| pin.is_held)
    }

    /// Accepts what the tool is where it has this fingerprint.
    pub(crate) fn accept(&self, name: &str, fingerprint: &str, holds: bool) {
        let mut pins = lock(&self.0);
        let pin = pins.entry(name.to_owned()).or_insert_with(|| {
            let (accepted, seen) = (fingerprint.to_owned(), fingerprint.to_owned());
            Pin { accepted, seen, is_held: false }
        });
        pin.accepted = fingerprint.to_owned();
        pin.is_held = holds && pin.seen != fingerprint;
    }
}

/// A tool by its definition: SHA-256, so that no server can make another with the same.
fn fingerprint(item: &Value) -> String {
    let mut text = String::new();
    for member in MEMBERS {
        canonical(&item[member], &mut text);
        text.push('\n');
    }
    Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// JSON text in which the order of members does not count.
fn canonical(value: &Value, out: &mut String) {
    match value {
        Value::Array(items) => {
            out.push('[');
            for item in items {
                canonical(item, out);
                out.push(',');
            }
            out.push(']');
        }
        Value::Object(members) => {
            out.push('{');
            for name in members.keys().collect::<BTreeSet<_>>() {
                out.push_str(&Value::from(name.as_str()).to_string());
                out.push(':');
                canonical(&members[name], out);
                out.push(',');
            }
            out.push('}');
        }
        plain => out.push_str(&plain.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_fingerprint_is_of_what_was_looked_at() {
        let of = |item: &str| fingerprint(&serde_json::from_str(item).unwrap());
        let tool =
            of(r#"{"name": "t", "description": "d", "inputSchema": {"type": "object", "a": 1}}"#);
        let same = of(
            r#"{"inputSchema": {"a": 1, "type": "object"}, "description": "d", "name": "t", "_meta": {}}"#,
        );
        assert_eq!(tool, same);
        for other in [
            json!({"description": "d ", "inputSchema": {"type": "object", "a": 1}}),
            json!({"description": "d", "inputSchema": {"type": "object", "a": 2}}),
            json!({"description": "d", "inputSchema": {"type": "object", "a": 1}, "annotations": {}}),
        ] {
            assert_ne!(fingerprint(&other), tool, "{other}");
        }
        assert_eq!(tool.len(), 64);
    }
}
