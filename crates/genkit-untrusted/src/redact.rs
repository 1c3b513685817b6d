//! Redaction: removes secrets from values that are recorded or shown.

use serde::Serialize;
use serde_json::{Map, Value};

/// The model settings that belong to the account of this program: the API key, and the URL that it is sent to.
const ACCOUNT_SETTINGS: [&str; 2] = ["apiKey", "baseUrl"];

/// The keys of an action context whose values are secret.
const SECRET_CONTEXT: [&str; 2] = ["auth", "secrets"];

/// The replacement for secret values.
const REDACTED: &str = "<redacted>";

/// Removes the account settings from a `config`.
pub fn remove_account_settings(config: &mut Map<String, Value>) {
    for setting in ACCOUNT_SETTINGS {
        config.shift_remove(setting);
    }
}

/// Serializes a run, a model request or the options of a prompt without account settings. Returns null if it cannot be
/// serialized.
pub fn without_account_settings(run: &impl Serialize) -> Value {
    let mut json = serde_json::to_value(run).unwrap_or_default();
    if let Some(Value::Object(config)) = json.get_mut("config") {
        remove_account_settings(config);
    }
    json
}

/// Returns a copy of an action context with its secret values replaced.
pub fn redact_context(context: &Map<String, Value>) -> Map<String, Value> {
    let mut redacted = context.clone();
    for (key, value) in &mut redacted {
        if SECRET_CONTEXT.contains(&key.as_str()) {
            *value = REDACTED.into();
        }
    }
    redacted
}
