//! Request state: what a function asked and did, signed so that it can travel through the client.
//!
//! In the 2026-07-28 protocol a client only echoes the state it was given; another instance of
//! the server, with the same key, goes on from there.

use std::fmt::{self, Write as _};
use std::sync::OnceLock;

use rmcp::model::{RequestStateCodec, SealOptions};
use serde_json::Value;

use crate::context::Recording;
use crate::mcp::server::error::Error as E;
use crate::mcp::server::settings::STATE_TTL;

/// How large a sealed state may be: it travels in every round. Default is 256 KiB.
const MAX_STATE: usize = 256 * 1024;

/// How many random bytes make a key.
const KEY_BYTES: usize = 32;

/// Signs and verifies records of questions.
pub(crate) struct StateSealer(RequestStateCodec);

/// The request that a state is bound to: it opens for the same one only.
pub(crate) struct StateBinding(Vec<u8>);

impl StateBinding {
    pub(crate) fn new(method: &str, name: &str, arguments: &Value, principal: &str) -> Self {
        let mut canonical = String::new();
        write_canonical(arguments, &mut canonical);
        let mut bytes = Vec::new();
        for piece in [method, name, &canonical, principal] {
            bytes.extend_from_slice(&(piece.len() as u64).to_be_bytes());
            bytes.extend_from_slice(piece.as_bytes());
        }
        Self(bytes)
    }
}

/// Canonical JSON: the order of keys makes no difference.
fn write_canonical(value: &Value, out: &mut String) {
    match value {
        Value::Object(map) => {
            let mut members: Vec<(&String, &Value)> = map.iter().collect();
            members.sort_by_key(|(key, _)| *key);
            out.push('{');
            for (place, (key, value)) in members.into_iter().enumerate() {
                out.push_str(if place > 0 { "," } else { "" });
                // Writing into a `String` cannot fail.
                let _ = write!(out, "{key:?}:");
                write_canonical(value, out);
            }
            out.push('}');
        }
        Value::Array(items) => {
            out.push('[');
            for (place, item) in items.iter().enumerate() {
                out.push_str(if place > 0 { "," } else { "" });
                write_canonical(item, out);
            }
            out.push(']');
        }
        other => {
            let _ = write!(out, "{other}");
        }
    }
}

impl StateSealer {
    /// With the given key, or one that only this process knows.
    pub(crate) fn new(key: Option<&[u8]>) -> Result<Self, E> {
        let key = key.map_or_else(|| process_key().to_vec(), <[u8]>::to_vec);
        let codec = RequestStateCodec::try_new(key);
        codec.map(Self).map_err(|_| E::SealingKey { min: KEY_BYTES })
    }

    pub(crate) fn seal(&self, recording: &Recording, binding: &StateBinding) -> Result<String, E> {
        let options = SealOptions::new().associated_data(&binding.0).ttl(STATE_TTL);
        let sealed = self.0.seal_json_with(recording, &options);
        let sealed = sealed.map_err(|source| E::StateUnserializable { source })?;
        if sealed.len() > MAX_STATE {
            return Err(E::StateTooLarge { size: sealed.len(), limit: MAX_STATE });
        }
        Ok(sealed)
    }

    pub(crate) fn open(&self, state: &str, binding: &StateBinding) -> Result<Recording, E> {
        if state.len() > MAX_STATE {
            return Err(E::StateTooLong);
        }
        self.0.open_json_with(state, &binding.0).map_err(E::InvalidState)
    }
}

impl fmt::Debug for StateSealer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StateSealer(..)")
    }
}

/// Random bytes made once: states do not outlive the process unless a key is given.
fn process_key() -> &'static [u8; KEY_BYTES] {
    static KEY: OnceLock<[u8; KEY_BYTES]> = OnceLock::new();
    KEY.get_or_init(|| {
        let mut key = [0; KEY_BYTES];
        for chunk in key.chunks_mut(16) {
            chunk.copy_from_slice(&uuid::Uuid::new_v4().into_bytes()[..chunk.len()]);
        }
        key
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn binding(arguments: Value) -> StateBinding {
        StateBinding::new("tools/call", "buy", &arguments, "")
    }

    #[test]
    fn a_state_opens_for_its_own_request_only() {
        let key = [7; 32];
        let sealer = StateSealer::new(Some(&key)).expect("32 bytes");
        let other = StateSealer::new(Some(&key)).expect("32 bytes");
        let mut recording = Recording::default();
        recording.once.insert("charge".into(), json!("receipt"));
        let state = sealer.seal(&recording, &binding(json!({"a": 1, "b": 2}))).expect("small");
        let opened = other.open(&state, &binding(json!({"b": 2, "a": 1})));
        assert_eq!(opened.expect("same key, same request"), recording);
        assert!(other.open(&state, &binding(json!({"a": 2, "b": 2}))).is_err());
        let tampered = format!("{}x", &state[..state.len() - 1]);
        assert!(other.open(&tampered, &binding(json!({"a": 1, "b": 2}))).is_err());
        let stranger = StateSealer::new(Some(&[8; 32])).expect("32 bytes");
        assert!(stranger.open(&state, &binding(json!({"a": 1, "b": 2}))).is_err());
    }

    #[test]
    fn the_order_of_keys_says_nothing() {
        let mut text = String::new();
        write_canonical(&json!({"b": [1, {"d": null, "c": "x\"y"}], "a": {}}), &mut text);
        assert_eq!(text, r#"{"a":{},"b":[1,{"c":"x\"y","d":null}]}"#);
    }

    #[test]
    fn a_short_key_is_refused() {
        assert!(StateSealer::new(Some(&[1; 31])).is_err());
    }
}
