//! Pins: the definition of each tool when it was first seen, or accepted.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;

use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::event::McpEvent;
use crate::limits::MAX_ITEMS;
use crate::settings::HostSettings;
use genkit_core::internal::sync::lock;
use genkit_core::internal::visible::Logged;
use genkit_core::internal::warnings::WarningBudget;

/// The members of a definition that a reviewer sees. Only these are compared.
const MEMBERS: [&str; 5] = ["title", "description", "inputSchema", "outputSchema", "annotations"];

/// The pinned tools of one server. They outlive its connections.
#[derive(Default)]
pub(crate) struct Pins(Mutex<BTreeMap<String, Pin>>, WarningBudget);

struct Pin {
    /// The fingerprint of the accepted definition.
    accepted: String,
    /// The fingerprint that was seen and reported last.
    seen: String,
    is_held: bool,
}

impl Pins {
    /// Checks a listed tool, reports a change once, and returns whether the tool is held back.
    pub(crate) fn check_tool(
        &self,
        server: &str,
        settings: &HostSettings,
        name: &str,
        item: &Value,
        holds: bool,
    ) -> bool {
        let found = hash_definition(item);
        let event = {
            let pins = &mut *lock(&self.0);
            let Some(pin) = pins.get_mut(name) else {
                // The limit is twice the maximum size of a list. Beyond it, new tools are treated like changed tools.
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
        if let Some(warnings) = self.1.count_warning() {
            let tool = Logged::name(name);
            tracing::warn!(server, warnings, %tool, held, "a tool of an MCP server has changed");
        }
        settings.emit_event(&event);
        held
    }

    /// Returns whether calls to the tool are rejected for now.
    pub(crate) fn is_held(&self, name: &str) -> bool {
        lock(&self.0).get(name).is_some_and(|pin| pin.is_held)
    }

    /// Accepts the tool definition with this fingerprint.
    pub(crate) fn accept_definition(&self, name: &str, fingerprint: &str, holds: bool) {
        let mut pins = lock(&self.0);
        let pin = pins.entry(name.to_owned()).or_insert_with(|| {
            let (accepted, seen) = (fingerprint.to_owned(), fingerprint.to_owned());
            Pin { accepted, seen, is_held: false }
        });
        pin.accepted = fingerprint.to_owned();
        pin.is_held = holds && pin.seen != fingerprint;
    }
}

/// Returns the SHA-256 of a tool's definition, so that a server cannot construct another tool with the same
/// fingerprint.
fn hash_definition(item: &Value) -> String {
    let mut text = String::new();
    for member in MEMBERS {
        write_canonical(&item[member], &mut text);
        text.push('\n');
    }
    Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Writes JSON with sorted members.
fn write_canonical(value: &Value, out: &mut String) {
    match value {
        Value::Array(items) => {
            out.push('[');
            for item in items {
                write_canonical(item, out);
                out.push(',');
            }
            out.push(']');
        }
        Value::Object(members) => {
            out.push('{');
            for name in members.keys().collect::<BTreeSet<_>>() {
                out.push_str(&Value::from(name.as_str()).to_string());
                out.push(':');
                write_canonical(&members[name], out);
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
    fn fingerprint_covers_the_reviewed_fields() {
        let of = |item: &str| hash_definition(&serde_json::from_str(item).unwrap());
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
            assert_ne!(hash_definition(&other), tool, "{other}");
        }
        assert_eq!(tool.len(), 64);
    }
}
