//! A scripted model for this trip, which needs no API key.

use std::time::Duration;

use genkit::message::ToolRequest;
use genkit::model::{self, Model, ModelResponse};
use genkit::{Part, Role};
use serde_json::{Value, json};

/// Returns the model, which waits for `takes` before each response.
pub(crate) fn model(takes: Duration) -> impl Model {
    model::from_fn("booking/rehearsal", move |request, _| {
        let rounds = request.messages.iter().filter(|message| message.role == Role::Tool).count();
        let answers = request.messages.iter().flat_map(|message| &message.content);
        let mut answers = answers.filter_map(Part::as_tool_response);
        let is_paid = answers.any(|answer| answer.name == "pay" && answer.error().is_none());
        async move {
            tokio::time::sleep(takes).await;
            let call = |name: &str, input: Value| {
                ToolRequest::new(name, input).with_id(format!("{rounds}-{name}"))
            };
            match rounds {
                0 => ModelResponse::from_tool_requests([call(
                    "search_flights",
                    json!({"to": "Lisbon"}),
                )]),
                1 => ModelResponse::from_tool_requests([
                    call("book_flight", json!({"flight": "TP537"})),
                    call("book_hotel", json!({"city": "Lisbon", "nights": 2})),
                ]),
                2 => ModelResponse::from_tool_requests([call("pay", json!({"euros": 409}))]),
                _ if is_paid => {
                    ModelResponse::from_text("Two nights in Lisbon are booked and paid.")
                }
                _ => ModelResponse::from_text("Two nights in Lisbon are booked, but not paid."),
            }
        }
    })
}
