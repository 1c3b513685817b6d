//! Streams of runs: live in the process that performs them, and from the store elsewhere.

use genkit::durable::{FolderStore, RunEvent, RunStream};
use genkit::message::ToolRequest;
use genkit::model::{ModelResponse, from_fn};
use genkit::testing::ScriptedModel;
use genkit::{Genkit, Registry, Result, Role, tool, tools};
use serde_json::json;

use super::super::stored::Temp;

/// Looks something up.
#[tool(needs_approval)]
async fn look_up() -> &'static str {
    "found"
}

/// Returns the events up to the end: the text of chunks, and the index and role of messages.
async fn read(stream: &mut RunStream) -> Result<(String, Vec<(usize, Role)>)> {
    let (mut text, mut messages) = (String::new(), Vec::new());
    while let Some(event) = stream.next().await? {
        match event {
            RunEvent::Chunk(chunk) => text.push_str(&chunk.text()),
            RunEvent::Message(index, message) => messages.push((index, message.role)),
            _ => {}
        }
    }
    Ok((text, messages))
}

#[tokio::test]
async fn run_is_followed_live_and_from_the_store() {
    let temp = Temp::new("streamed");
    let genkit = |store: FolderStore| {
        let model = ScriptedModel::streaming(["one ", "two ", "three"]);
        let genkit = Genkit::builder().registry(Registry::new()).default_model(model);
        genkit.durable(store).build().unwrap()
    };
    let (here, elsewhere) = (genkit(temp.folder()), genkit(temp.folder()));
    let run = here.durable_run("r", here.generate("Count.")).await.unwrap();
    let remote = elsewhere.find_durable_run("r").await.unwrap().unwrap();
    let (mut live, mut stored) = (run.stream(0), remote.stream(0));
    let (live, stored, response) =
        tokio::try_join!(read(&mut live), read(&mut stored), run.wait()).unwrap();
    let messages = vec![(0, Role::User), (1, Role::Model)];
    assert_eq!(live, (response.text().to_owned(), messages.clone()));
    assert_eq!(stored, (String::new(), messages));
    // After a reconnect, the client receives only the messages that it does not have.
    let later = read(&mut remote.stream(1)).await.unwrap();
    assert_eq!(later, (String::new(), vec![(1, Role::Model)]));
    let flow = here.durable_run("r", here.generate("x")).await.unwrap();
    assert!(flow.delete().await.unwrap());
    assert!(read(&mut flow.stream(0)).await.is_err(), "it was removed");
}

#[tokio::test]
async fn stream_ends_at_a_question_and_continues_after_it() {
    let temp = Temp::new("streamed-question");
    let model = from_fn("house/clerk", |request, _| {
        let is_done = request.messages.iter().any(|message| message.role == Role::Tool);
        let call = ToolRequest::new("look_up", json!({})).with_id("c1");
        async move {
            match is_done {
                true => ModelResponse::from_text("done"),
                false => ModelResponse::from_tool_requests([call]),
            }
        }
    });
    let genkit = Genkit::builder().registry(Registry::new().add(tools![look_up]));
    let genkit = genkit.default_model(model).durable(temp.sqlite()).build().unwrap();
    let ask = genkit.generate("go").tools(["look_up"]);
    let run = genkit.durable_run("r", ask).await.unwrap();
    run.wait().await.unwrap();
    let (_, asked) = read(&mut run.stream(0)).await.unwrap();
    assert_eq!(asked, [(0, Role::User), (1, Role::Model)]);
    run.answer("c1", true).await.unwrap();
    run.wait().await.unwrap();
    let (_, rest) = read(&mut run.stream(asked.len())).await.unwrap();
    assert_eq!(rest, [(2, Role::Tool), (3, Role::Model)]);
}
