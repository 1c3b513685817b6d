//! Agents with sessions as tools of an MCP server: as plain calls and as tasks.

use std::sync::Mutex;

use genkit::Tool;
use genkit::action::ToolTask;
use genkit::message::ToolRequest;
use genkit::model::ModelResponse;
use genkit::sessions::Agent;
use genkit::testing::ScriptedModel;

use super::*;

/// Looks up what an order costs.
#[tool]
async fn price(order: u32) -> u32 {
    tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    order * 10
}

/// Refunds an order.
#[tool(needs_approval)]
async fn refund(order: u32) -> String {
    format!("order {order} was refunded")
}

/// Returns an agent that looks up a price and refunds an order, and its model.
fn billing() -> (Tool, ScriptedModel) {
    let calls = |name| ToolRequest::new(name, json!({"order": 7}));
    let model = ScriptedModel::new([
        ModelResponse::from_tool_requests([calls("price")]),
        ModelResponse::from_tool_requests([calls("refund")]),
        ModelResponse::from_text("You have your money back."),
    ]);
    let agent = Agent::builder("billing").description("Handles refunds.").model(model.clone());
    (agent.tools(tools![price, refund]).build().unwrap().into_tool().unwrap(), model)
}

fn serving(tool: Tool) -> McpServer {
    Genkit::builder().registry(Registry::new().add(tool)).build().unwrap().serve_mcp()
}

const QUESTION: &str = "Allow `refund` to run with {\"order\":7}?";

#[tokio::test]
async fn agent_is_a_tool_whose_approvals_reach_the_user_of_the_client() {
    for is_modern in [false, true] {
        let (tool, model) = billing();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let questions = Arc::clone(&asked);
        let client = Client::builder().modern(is_modern).on_elicit(move |message, _| {
            questions.lock().unwrap().push(message.to_owned());
            Some(json!({}))
        });
        let client = client.connect(serving(tool)).await.unwrap();
        let listed = client.tools().await.unwrap();
        assert_eq!(listed[0].description(), Some("Handles refunds."));
        let result = client.call_tool("billing", json!({"task": "Refund 7."})).await.unwrap();
        assert_eq!(result.text(), "You have your money back.", "{result:?}");
        assert_eq!(*asked.lock().unwrap(), [QUESTION]);
        assert_eq!(model.requests().len(), 3, "no model call is repeated");
    }
}

#[tokio::test]
async fn agent_is_a_task_whose_approvals_are_answered_through_the_task() {
    let answers =
        [(json!({"action": "accept", "content": {}}), true), (json!({"action": "decline"}), false)];
    for (answer, is_refunded) in answers {
        let (tool, model) = billing();
        let client = connect(serving(tool.with_task(ToolTask::new().now()))).await;
        let id = begin(&client, "billing", json!({"task": "Refund 7."})).await;
        let asked = until(&client, &id, "input_required").await;
        let requests = asked["inputRequests"].as_object().unwrap();
        let (key, request) = requests.iter().next().unwrap();
        assert_eq!(request["params"]["message"], QUESTION, "{asked}");
        update(&client, &id, json!({ key: answer })).await.unwrap();
        let done = until(&client, &id, "completed").await;
        assert_eq!(text(&done["result"]), "You have your money back.");
        let output = model.tool_outputs("refund")[0].to_string();
        assert_eq!(output.contains("was refunded"), is_refunded, "{output}");
        assert_eq!(model.requests().len(), 3, "no model call is repeated");
    }
}
