//! Conversations.

use genkit::message::ToolRequest;
use genkit::model::ModelResponse;
use genkit::testing::ScriptedModel;
use genkit::{Error, ErrorKind, Message, tool, tools};
use serde_json::json;

/// Deletes a note.
#[tool(needs_approval)]
async fn delete(id: u64) -> String {
    format!("{id} is gone")
}

#[tokio::test]
async fn a_failed_turn_leaves_the_history_as_it_was() {
    let down = || Err(Error::new(ErrorKind::Unavailable, "down"));
    let text = |text: &str| Ok(ModelResponse::from_text(text));
    let model = ScriptedModel::new([text("one"), down(), text("two")]);
    let mut chat = genkit::generate(()).system("s").model(model.clone()).chat();
    chat.send("a").await.unwrap();
    chat.send("b").await.unwrap_err();
    assert_eq!(chat.messages().len(), 3);
    chat.send("c").await.unwrap();
    let said: Vec<String> = chat.messages().iter().map(Message::text).collect();
    assert_eq!(said, ["s", "a", "one", "c", "two"]);
    assert_eq!(model.requests()[2].messages.len(), 4, "one system message");
}

#[tokio::test]
async fn an_interrupted_turn_waits_for_answers() {
    let script = [
        ModelResponse::from_tool_requests([ToolRequest::new("delete", json!({"id": 7}))]),
        ModelResponse::from_text("deleted"),
        ModelResponse::from_text("bye"),
    ];
    let model = ScriptedModel::new(script);
    let mut chat = genkit::generate(()).model(model).tools(tools![delete]).chat();
    let asked = chat.send("delete 7").await.unwrap();
    let error = chat.send("and 8").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::FailedPrecondition);
    let done = chat.resume([asked.interrupts()[0].approve()]).await.unwrap();
    assert_eq!(done.text(), "deleted");
    assert_eq!(chat.send("thanks").await.unwrap().text(), "bye");
    assert_eq!(chat.messages().len(), 6);
}

#[tokio::test]
async fn a_turn_can_be_streamed_and_kept() {
    let model = ScriptedModel::texts(["one", "two"]);
    let mut chat = genkit::generate(()).model(model).chat();
    let mut stream = chat.turn("a").unwrap().stream();
    while let Some(chunk) = stream.next().await {
        chunk.unwrap();
    }
    chat.keep(&stream.response().await.unwrap());
    chat.send("b").await.unwrap();
    assert_eq!(chat.messages().len(), 4);
}
