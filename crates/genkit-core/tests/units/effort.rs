use genkit_core::Effort;

use serde_json::json;

#[test]
fn only_common_keywords_are_efforts() {
    for effort in [Effort::None, Effort::Minimal, Effort::Low, Effort::High, Effort::Max] {
        assert_eq!(serde_json::to_value(effort).unwrap(), effort.as_str());
        let config = json!({"reasoningEffort": effort});
        assert_eq!(Effort::from_config(config.as_object().unwrap()), Some(effort));
    }
    for other in [json!({}), json!({"reasoningEffort": "xhigh"}), json!({"reasoningEffort": 5})] {
        assert_eq!(Effort::from_config(other.as_object().unwrap()), None, "{other}");
    }
    assert!(Effort::Low < Effort::High && Effort::Low.token_budget() < Effort::High.token_budget());
}
