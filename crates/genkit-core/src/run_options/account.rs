//! Model settings that belong to the account of this program, and are never shown.

use serde::Serialize;
use serde_json::{Map, Value};

/// The API key, and the address that it is sent to.
const ACCOUNT: [&str; 2] = ["apiKey", "baseUrl"];

/// Removes the account settings from a `config`.
pub fn drop_account(config: &mut Map<String, Value>) {
    for setting in ACCOUNT {
        config.shift_remove(setting);
    }
}

/// Serializes a run, a model request or the options of a prompt without account settings. Returns null if it does not
/// serialize.
pub fn without_account(run: &impl Serialize) -> Value {
    let mut json = serde_json::to_value(run).unwrap_or_default();
    if let Some(Value::Object(config)) = json.get_mut("config") {
        drop_account(config);
    }
    json
}
