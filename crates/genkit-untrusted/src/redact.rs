//! Redaction: removes secrets from values that are recorded or shown.

use serde::Serialize;
use serde_json::{Map, Value};

/// The model settings that belong to the account of this program: the API key, and the URL that it is sent to.
const ACCOUNT_SETTINGS: [&str; 2] = ["apiKey", "baseUrl"];

/// The entry of an action context that is never stored.
const SECRETS: &str = "secrets";

/// The keys of an action context whose values are secret.
const SECRET_CONTEXT: [&str; 2] = ["auth", SECRETS];

/// The ends of the names of credentials, in lower case and without separators. The substrings of
/// [`is_secret_name`](crate::secret::is_secret_name) would also match `auth` and `author`, which must be stored.
const CREDENTIALS: [&str; 8] = [
    "apikey",
    "authorization",
    "cookie",
    "credential",
    "password",
    "privatekey",
    "secret",
    "token",
];

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

/// Returns the part of an action context that can be stored: without its entry `secrets`, and at any depth without the
/// members that hold credentials by their name, such as `apiKey` or `access_token`. Flags and numbers are kept.
pub fn without_credentials(context: &Map<String, Value>) -> Map<String, Value> {
    let stored = context.iter().filter(|(key, _)| *key != SECRETS);
    without_named(stored)
}

fn without_named<'a>(members: impl Iterator<Item = (&'a String, &'a Value)>) -> Map<String, Value> {
    let is_kept = |(name, value): &(&String, &Value)| {
        value.is_boolean() || value.is_number() || !is_credential(name)
    };
    members.filter(is_kept).map(|(name, value)| (name.clone(), without_inner(value))).collect()
}

fn without_inner(value: &Value) -> Value {
    match value {
        Value::Object(members) => without_named(members.iter()).into(),
        Value::Array(values) => values.iter().map(without_inner).collect(),
        other => other.clone(),
    }
}

fn is_credential(name: &str) -> bool {
    let letters = name.chars().filter(char::is_ascii_alphanumeric);
    let name: String = letters.map(|c| c.to_ascii_lowercase()).collect();
    let name = name.strip_suffix('s').unwrap_or(&name);
    CREDENTIALS.iter().any(|end| name.ends_with(end))
}
