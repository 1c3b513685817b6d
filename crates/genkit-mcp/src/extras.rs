//! The MCP fields of blocks and resources besides their content. Parts, resources and resource contents store them
//! under `mcp` in their metadata.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// The fields besides the content.
const MEMBERS: [&str; 3] = ["annotations", "size", "_meta"];

/// Adds the fields in `metadata` to a block or a resource of rmcp. Fields that its type does not support are
/// ignored.
pub fn write_extras<T: Serialize + DeserializeOwned>(
    target: T,
    metadata: &Map<String, Value>,
) -> T {
    let Some(Value::Object(extras)) = metadata.get("mcp") else { return target };
    if !MEMBERS.iter().any(|key| extras.contains_key(*key)) {
        return target;
    }
    let Ok(mut json) = serde_json::to_value(&target) else { return target };
    for key in MEMBERS {
        if let (Some(value), Some(members)) = (extras.get(key), json.as_object_mut()) {
            members.entry(key).or_insert_with(|| value.clone());
        }
    }
    serde_json::from_value(json).unwrap_or(target)
}

/// Returns the fields of a block or a resource besides its content. Skips values of the wrong type.
pub fn read_extras(json: &Value) -> impl Iterator<Item = (&'static str, Value)> {
    MEMBERS.into_iter().filter_map(|key| {
        let value = json.get(key)?;
        let is_valid = if key == "size" { value.is_u64() } else { value.is_object() };
        is_valid.then(|| (key, value.clone()))
    })
}
