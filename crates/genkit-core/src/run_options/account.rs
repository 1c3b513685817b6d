//! Settings of a model that belong to the account of this program, and are shown to nobody.

use serde::Serialize;
use serde_json::{Map, Value};

/// A key, and where it is sent.
const ACCOUNT: [&str; 2] = ["apiKey", "baseUrl"];

/// Takes them out of a `config`.
pub fn drop_account(config: &mut Map<String, Value>) {
    for setting in ACCOUNT {
        config.shift_remove(setting);
    }
}

/// What a run, a model request or the options of a prompt are as JSON, without them; null where it is
/// nothing that JSON knows.
pub fn without_account(run: &impl Serialize) -> Value {
    let mut json = serde_json::to_value(run).unwrap_or_default();
    if let Some(Value::Object(config)) = json.get_mut("config") {
        drop_account(config);
    }
    json
}
