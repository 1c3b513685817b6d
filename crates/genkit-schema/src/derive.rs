//! Exact schemas, derived from types.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::Value;

/// The exact schema of what is read from JSON.
pub fn input_of<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().for_deserialize();
    let schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    if schema.get("type").and_then(Value::as_str) == Some("null") {
        // `()` as input is a function without arguments: callers still send an object.
        return serde_json::json!({ "type": "object", "properties": {}, "additionalProperties": false });
    }
    schema
}

/// The exact schema of a type, to stand inside of another schema: it refers to nothing, as far as the type
/// does not hold itself.
pub fn inlined_of<T: JsonSchema>() -> Value {
    let settings =
        SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    let mut schema = settings.for_deserialize().into_generator().into_root_schema_for::<T>();
    schema.remove("$schema");
    schema.to_value()
}

/// The exact schema of what is written to JSON.
pub fn output_of<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    settings.into_generator().into_root_schema_for::<T>().to_value()
}
