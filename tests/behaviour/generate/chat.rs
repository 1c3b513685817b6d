//! Conversations.

use genkit::message::ToolRequest;
use genkit::model::{GenerateChunk, ModelResponse};
use genkit::testing::{Scripted, ScriptedModel};
use genkit::{Error, ErrorKind, Message, tool, tools};
use serde_json::json;

/// Deletes a note.
#[tool(needs_approval)]
async fn delete(id: u64) -> String {
    format!("{id} is gone")
}

#[tokio::test]
async fn failed_turn_does_not_change_history() {
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
async fn interrupted_turn_waits_for_answers() {
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
    let done = chat.resume_with_answers([asked.interrupts()[0].approve()]).await.unwrap();
    assert_eq!(done.text(), "deleted");
    assert_eq!(chat.send("thanks").await.unwrap().text(), "bye");
    assert_eq!(chat.messages().len(), 6);
}

#[tokio::test]
async fn streamed_turn_is_kept_at_its_end() {
    let model = ScriptedModel::texts(["one", "two"]);
    let mut chat = genkit::generate(()).model(model).chat();
    let mut stream = chat.stream("a");
    while let Some(chunk) = stream.next().await {
        chunk.unwrap();
    }
    drop(stream); // the response is not awaited
    assert_eq!(chat.messages().len(), 2);
    assert_eq!(chat.stream("b").response().await.unwrap().text(), "two");
    assert_eq!(chat.messages().len(), 4);
}

#[tokio::test]
async fn stream_that_is_dropped_or_fails_changes_no_history() {
    let model = ScriptedModel::new([
        Scripted::from(ModelResponse::from_text("one")),
        Scripted::chunks([GenerateChunk::from_text("tw")], ModelResponse::from_text("two")),
        Scripted::from(Err(genkit::Error::new(ErrorKind::Unavailable, "overloaded"))),
        Scripted::from(ModelResponse::from_text("three")),
    ]);
    let mut chat = genkit::generate(()).model(model).chat();
    chat.send("a").await.unwrap();
    let mut stream = chat.stream("b");
    assert_eq!(stream.next().await.unwrap().unwrap().text(), "tw");
    drop(stream);
    assert_eq!(chat.messages().len(), 2);
    chat.stream("b").response().await.unwrap_err();
    assert_eq!(chat.messages().len(), 2);
    chat.send("b").await.unwrap();
    assert_eq!(chat.messages()[3].text(), "three");
}

#[tokio::test]
async fn chat_that_waits_for_answers_is_asked_nothing_else() {
    let model = ScriptedModel::new([
        ModelResponse::from_tool_requests([ToolRequest::new("delete", json!({"id": 7}))]),
        ModelResponse::from_text("deleted"),
    ]);
    let run = genkit::generate(()).model(model).tools(tools![delete]);
    let mut chat = run.clone().chat();
    let asked = chat.stream("delete 7").response().await.unwrap();
    assert!(asked.is_interrupted());
    let error = chat.stream("and 8").next().await.unwrap().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::FailedPrecondition);
    // The same in a chat created from the stored history.
    let mut chat = run.messages(asked.messages()).chat();
    assert_eq!(chat.send("and 8").await.unwrap_err().kind(), ErrorKind::FailedPrecondition);
    let mut stream = chat.resume(|question| question.approve()).stream();
    while let Some(chunk) = stream.next().await {
        chunk.unwrap();
    }
    drop(stream);
    assert_eq!(chat.messages().last().unwrap().text(), "deleted");
}

#[tokio::test]
async fn tools_of_one_turn_stay_until_its_questions_are_answered() {
    let request = ToolRequest::new("delete", json!({"id": 7}));
    let script = [
        ModelResponse::from_tool_requests([request]),
        ModelResponse::from_text("deleted"),
        ModelResponse::from_text("bye"),
    ];
    let model = ScriptedModel::new(script);
    let mut chat = genkit::generate(()).model(model.clone()).chat();
    let asked = chat.send("delete 7").tools(tools![delete]).await.unwrap();
    assert!(asked.is_interrupted());
    chat.resume(|question| question.approve()).await.unwrap();
    chat.send("bye").await.unwrap();
    let tools: Vec<usize> = model.requests().iter().map(|request| request.tools.len()).collect();
    assert_eq!(tools, [1, 1, 0]);

    let model = ScriptedModel::texts(["you deleted 7", "nothing"]);
    let ask = genkit::generate("what did I do?").model(model.clone());
    ask.clone().messages(&chat).await.unwrap();
    ask.messages(&chat.messages()[..1]).await.unwrap();
    let lengths: Vec<usize> = model.requests().iter().map(|it| it.messages.len()).collect();
    assert_eq!(lengths, [chat.messages().len() + 1, 2]);
}

#[tokio::test]
async fn prompt_that_renders_to_nothing_is_an_error_that_names_it() {
    let prompt = genkit::Prompt::builder("quiet", "Says nothing.")
        .handler(|_: genkit::Context, _: ()| async { Ok(" \n") });
    let genkit = genkit::Genkit::builder().default_model(ScriptedModel::text("never"));
    let genkit = genkit.registry(genkit::Registry::new().add([prompt])).build().unwrap();
    let error = genkit.prompt("quiet").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    assert!(error.to_string().contains("`quiet` rendered to an empty list"), "{error}");
    let model = ScriptedModel::text("hi");
    assert_eq!(genkit.prompt("quiet").prompt("hello").model(model).await.unwrap().text(), "hi");
}
