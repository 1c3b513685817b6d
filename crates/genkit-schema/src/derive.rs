//! Exact schemas derived from types.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::Value;

/// Returns the exact schema of a type that is deserialized from JSON.
pub fn input_of<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().for_deserialize();
    let schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    if schema.get("type").and_then(Value::as_str) == Some("null") {
        // `()` as input means a function without arguments. Callers still send an object.
        return serde_json::json!({ "type": "object", "properties": {}, "additionalProperties": false });
    }
    schema
}

/// Returns the exact schema of a type for use inside another schema. The returned schema contains no references unless
/// the type is recursive.
pub fn inlined_schema<T: JsonSchema>() -> Value {
    let settings =
        SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    let mut schema = settings.for_deserialize().into_generator().into_root_schema_for::<T>();
    schema.remove("$schema");
    schema.to_value()
}

/// Returns the exact schema of a type that is serialized to JSON.
pub fn output_schema<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    settings.into_generator().into_root_schema_for::<T>().to_value()
}
