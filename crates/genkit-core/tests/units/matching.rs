//! Tests of tool search.

use genkit_core::ToolDefinition;
use genkit_core::internal::model::find_matches;
use serde_json::json;

#[test]
fn names_count_more_than_descriptions() {
    let schema = json!({"type": "object", "properties": {"invoiceId": {"type": "string"}}});
    let tools = [
        ToolDefinition::new("fs/read_file", "Reads a file."),
        ToolDefinition::new("billing/send", "Sends an invoice to a customer."),
        ToolDefinition::new("billing/list_invoices", "Lists what is open."),
        ToolDefinition::new("billing/cancel", "Cancels.").with_input_schema(schema),
        ToolDefinition::new("send", "Sends a message."),
    ];
    let found = |query: &str| -> Vec<&str> {
        find_matches(&tools, query).into_iter().map(|tool| tool.name.as_str()).collect()
    };
    assert_eq!(found("Invoices"), ["billing/list_invoices", "billing/send", "billing/cancel"]);
    assert_eq!(found("send invoice")[0], "billing/send");
    assert_eq!(found("send")[0], "send", "an exact name is the best match");
    assert_eq!(found("read a file"), ["fs/read_file"]);
    assert!(found("weather").is_empty() && found("").is_empty() && found("a").is_empty());
    assert!(found(&"ä".repeat(9_999)).is_empty());
}
