use genkit_core::internal::run_options::*;
use serde_json::json;
use serde_json::{Map, Value};

#[test]
fn unsupported_setting_is_named() {
    for (config, wrong) in [
        (json!({"temperature": 0, "topP": 1, "topK": 40.0, "seed": -1}), None),
        (json!({"temperature": null, "maxOutputTokens": 1, "stopSequences": []}), None),
        (json!({"reasoningEffort": "xhigh", "own": "thing", "top_k": -1}), None),
        (json!({"temperature": -0.1}), Some("temperature")),
        (json!({"temperature": json_number(f64::NAN)}), Some("temperature")),
        (json!({"topP": 1.1}), Some("topP")),
        (json!({"topP": json_number(f64::INFINITY)}), Some("topP")),
        (json!({"topK": 0.5}), Some("topK")),
        (json!({"topK": -1}), Some("topK")),
        (json!({"maxOutputTokens": 0}), Some("maxOutputTokens")),
        (json!({"stopSequences": "x"}), Some("stopSequences")),
        (json!({"stopSequences": ["x", ""]}), Some("stopSequences")),
        (json!({"seed": "x"}), Some("seed")),
        (json!({"reasoningEffort": 3}), Some("reasoningEffort")),
    ] {
        let found = wrong_setting(config.as_object().unwrap());
        assert_eq!(found.map(|(name, ..)| name), wrong, "{config}");
    }
}

#[test]
fn misspelt_setting_is_distinguished_from_a_provider_setting() {
    for (key, near) in [
        ("temprature", Some("temperature")),
        ("maxOutputToken", Some("maxOutputTokens")),
        ("TopK", Some("topK")),
        ("stopSequence", Some("stopSequences")),
        ("reasoningEfort", Some("reasoningEffort")),
        ("temperature", None),
        ("top_k", None),
        ("topLogprobs", None),
        ("presencePenalty", None),
        ("thinkingConfig", None),
        ("responseMimeType", None),
        ("stop", None),
        ("n", None),
    ] {
        let config = Map::from_iter([(key.to_owned(), Value::Null)]);
        let told: Vec<_> = misspelt_settings(&config).collect();
        assert_eq!(told, Vec::from_iter(near.map(|near| (key, near))), "{key}");
    }
}
