use serde_json::{Value, json};

use super::{SONNET, body, call};
use genkit_core::ErrorKind;

/// Returns the encoded thinking, effort and token limit.
fn sent(model: &str, config: Value) -> (Value, Value, u64) {
    let messages = json!([{"role": "user", "content": [{"text": "x"}]}]);
    let mut body = body(model, json!({"messages": messages, "config": config}));
    let effort = body["output_config"]["effort"].take();
    (body["thinking"].take(), effort, body["max_tokens"].as_u64().unwrap())
}

const OLD: &str = "claude-sonnet-4-5";
const NEW: &str = "claude-opus-5-5";

#[test]
fn effort_is_a_word_or_a_budget() {
    let effort = |model: &str, word: &str| sent(model, json!({"reasoningEffort": word}));
    let adaptive = json!({"type": "adaptive"});
    assert_eq!(effort(SONNET, "minimal"), (adaptive.clone(), json!("low"), 16_000));
    assert_eq!(effort(SONNET, "medium"), (adaptive.clone(), json!("medium"), 16_000));
    assert_eq!(effort(SONNET, "max"), (adaptive.clone(), json!("max"), 64_000));
    assert_eq!(effort(NEW, "xhigh"), (adaptive, json!("xhigh"), 64_000));
    assert_eq!(effort(NEW, "none"), (Value::Null, json!("low"), 16_000));
    assert_eq!(effort(SONNET, "none").0, json!({"type": "disabled"}));
    let budget = |tokens: u64| json!({"type": "enabled", "budget_tokens": tokens});
    assert_eq!(effort(OLD, "low"), (budget(2_048), Value::Null, 18_048));
    assert_eq!(effort(OLD, "max"), (budget(32_768), Value::Null, 48_768));
    assert_eq!(effort("claude-3-5-haiku-20241022", "high"), (Value::Null, Value::Null, 8_192));
    let limited =
        |most: u64| sent(OLD, json!({"reasoningEffort": "high", "maxOutputTokens": most}));
    assert_eq!(limited(3_000), (budget(2_999), Value::Null, 3_000));
    assert_eq!(limited(1_000), (Value::Null, Value::Null, 1_000));
}

#[test]
fn words_of_the_field_and_of_genkit_go_through() {
    let thinking = |model: &str, thinking: Value| sent(model, json!({ "thinking": thinking })).0;
    let own = json!({"type": "enabled", "budget_tokens": 1500, "display": "omitted"});
    assert_eq!(thinking(OLD, own.clone()), own);
    assert_eq!(thinking(SONNET, json!({"enabled": false})), json!({"type": "disabled"}));
    let adaptive = json!({"type": "adaptive", "display": "summarized"});
    assert_eq!(thinking(SONNET, json!({"adaptive": true, "display": "summarized"})), adaptive);
    let budget = json!({"enabled": true, "budgetTokens": 5000});
    assert_eq!(thinking(SONNET, budget.clone())["budget_tokens"], 5_000);
    // A model without budgets thinks adaptively. Thinking is not disabled for a model that always thinks.
    assert_eq!(thinking(NEW, budget), json!({"type": "adaptive"}));
    assert_eq!(thinking(NEW, json!({"enabled": false})), Value::Null);
    // Explicit thinking settings take precedence.
    let both = json!({"thinking": {"enabled": false}, "reasoningEffort": "high", "effort": "low"});
    assert_eq!(sent(SONNET, both), (json!({"type": "disabled"}), json!("low"), 16_000));
}

#[test]
fn it_does_not_think_where_a_tool_must_be_called() {
    let request = |model: &str, word: &str| {
        call(
            model,
            json!({
                "messages": [{"role": "user", "content": [{"text": "x"}]}], "toolChoice": "required",
                "tools": [{"name": "a", "description": ""}], "config": {"reasoningEffort": word, "temperature": 0.2},
            }),
        )
    };
    let sent: Value = serde_json::from_slice(&request(SONNET, "high").unwrap().body).unwrap();
    assert_eq!(sent["tool_choice"]["type"], "any");
    assert_eq!((sent.get("thinking"), &sent["temperature"]), (None, &json!(0.2)));
    let error = request(NEW, "high").err().unwrap();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    assert!(
        error.to_string().contains("claude-opus-5-5 cannot be forced to call a tool"),
        "{error}"
    );
}

#[test]
fn it_samples_in_its_own_way_while_it_thinks() {
    let messages = json!([{"role": "user", "content": [{"text": "x"}]}]);
    let with = |config: Value| body(OLD, json!({"messages": messages, "config": config}));
    let thinking = json!({"enabled": true, "budgetTokens": 1024});
    let sent = with(json!({"thinking": thinking, "temperature": 0.5, "topK": 3, "topP": 0.5}));
    assert!(["temperature", "top_k", "top_p"].iter().all(|key| sent.get(key).is_none()));
    assert_eq!(with(json!({"thinking": thinking, "temperature": 1}))["temperature"], 1);
    assert_eq!(with(json!({"thinking": thinking, "topP": 0.97}))["top_p"], 0.97);
    assert_eq!(with(json!({"thinking": {"enabled": false}, "topK": 3}))["top_k"], 3);
}

#[test]
fn it_does_not_begin_to_think_in_the_middle_of_calls() {
    let round = |thought: Value| {
        let mut said = vec![json!({"toolRequest": {"name": "a", "ref": "1", "input": {}}})];
        if !thought.is_null() {
            said.insert(0, thought);
        }
        let answer = json!({"toolResponse": {"name": "a", "ref": "1", "output": 1}});
        body(
            OLD,
            json!({
                "messages": [
                    {"role": "user", "content": [{"text": "x"}]}, {"role": "model", "content": said},
                    {"role": "tool", "content": [answer]},
                ],
                "config": {"reasoningEffort": "low"},
            }),
        )
    };
    assert_eq!(round(Value::Null).get("thinking"), None);
    let signed = json!({"reasoning": "hm", "metadata": {"thoughtSignature": "s"}});
    assert_eq!(round(signed)["thinking"]["type"], "enabled");
}
