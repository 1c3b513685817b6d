//! The chunks that a receiver sees.

use genkit::message::ToolRequest;
use genkit::model::{GenerateChunk, ModelResponse};
use genkit::testing::{Scripted, ScriptedModel};
use genkit::{Chunks, Context, Error, ErrorKind, Message, Part, Result, Role, tool, tools};
use serde_json::json;

/// Adds.
#[tool]
async fn add(a: i64, b: i64) -> i64 {
    a + b
}

/// Tells how far it is.
#[tool]
async fn count(ctx: &Context, chunks: &Chunks<u32>) -> Result<u32> {
    ctx.progress((1.0, 2.0)).await;
    chunks.send(1).await?;
    Ok(2)
}

fn two_turns() -> ScriptedModel {
    let request = ToolRequest::new("add", json!({"a": 1, "b": 2})).with_id("r1");
    let asks = Message::new(Role::Model, [Part::text("Let me see"), request.clone().into()]);
    let pieces = [
        GenerateChunk::from_text("Let me "),
        GenerateChunk::from_text("see"),
        GenerateChunk::new([request.into()]),
    ];
    let mut wrong = GenerateChunk::from_text("It is ");
    wrong.index = Some(99); // the model's own index is ignored
    wrong.role = Some(Role::Tool);
    ScriptedModel::new([
        Scripted::chunks(pieces, ModelResponse::new(asks)),
        Scripted::chunks(
            [wrong, GenerateChunk::from_text("3.")],
            ModelResponse::from_text("It is 3."),
        ),
    ])
}

#[tokio::test]
async fn chunks_are_numbered_by_the_message_that_they_belong_to() {
    let mut stream = genkit::generate("go").model(two_turns()).tools(tools![add]).stream();
    let mut seen = Vec::new();
    while let Some(chunk) = stream.next().await {
        let chunk = chunk.unwrap();
        seen.push((chunk.index.unwrap(), chunk.role.unwrap(), chunk.text()));
        let model = chunk.role == Some(Role::Model);
        assert!(!model || stream.text().ends_with(&chunk.text()));
    }
    let text = |index, role, text: &str| (index, role, text.to_owned());
    assert_eq!(
        seen,
        [
            text(0, Role::Model, "Let me "),
            text(0, Role::Model, "see"),
            text(0, Role::Model, ""),
            text(1, Role::Tool, ""),
            text(2, Role::Model, "It is "),
            text(2, Role::Model, "3."),
        ]
    );
    assert_eq!(stream.text(), "It is 3.", "the message that was written last");
    assert_eq!(stream.response().await.unwrap().text(), "It is 3.");
}

#[tokio::test]
async fn answers_of_a_round_are_one_chunk_in_request_order() {
    let requests = [1, 2, 3].map(|n| ToolRequest::new("add", json!({"a": n, "b": 0})));
    let model = ScriptedModel::new([
        ModelResponse::from_tool_requests(requests),
        ModelResponse::from_text("done"),
    ]);
    let mut stream = genkit::generate("go").model(model).tools(tools![add]).stream();
    let mut of_tools = Vec::new();
    while let Some(chunk) = stream.next().await {
        let chunk = chunk.unwrap();
        if chunk.role == Some(Role::Tool) {
            let outputs =
                chunk.content.iter().map(|p| p.as_tool_response().unwrap().output.clone());
            of_tools.push(outputs.collect::<Vec<_>>());
        }
    }
    assert_eq!(of_tools, [[json!(1), json!(2), json!(3)]]);
}

#[tokio::test]
async fn streamed_call_has_the_reference_of_its_answer() {
    let call = |n| ToolRequest::new("add", json!({"a": n, "b": 0}));
    let whole = ModelResponse::from_tool_requests([call(1), call(2)]);
    let pieces = [GenerateChunk::new([call(1).into()]), GenerateChunk::new([call(2).into()])];
    let scripts = [Scripted::chunks(pieces, whole.clone()), Scripted::from(whole)];
    for script in scripts {
        let model = ScriptedModel::new([script, ModelResponse::from_text("done").into()]);
        let mut stream = genkit::generate("go").model(model).tools(tools![add]).stream();
        let (mut asked, mut answered) = (Vec::new(), Vec::new());
        while let Some(chunk) = stream.next().await {
            for part in chunk.unwrap().content {
                asked.extend(part.as_tool_request().map(|r| r.id.clone().unwrap()));
                answered.extend(part.as_tool_response().map(|r| r.id.clone().unwrap()));
            }
        }
        assert_eq!((asked.len(), &asked), (2, &answered));
        let history = stream.response().await.unwrap().messages();
        let kept: Vec<String> = history[1].tool_requests().map(|r| r.id.clone().unwrap()).collect();
        assert_eq!(kept, asked);
    }
}

#[tokio::test]
async fn model_that_does_not_stream_is_seen_all_the_same() {
    let model = ScriptedModel::new([
        ModelResponse::from_tool_requests([ToolRequest::new("add", json!({"a": 1, "b": 2}))]),
        ModelResponse::from_text("done"),
    ]);
    let mut stream = genkit::generate("go").model(model).tools(tools![add]).stream();
    let mut seen = Vec::new();
    while let Some(chunk) = stream.next().await {
        let chunk = chunk.unwrap();
        seen.push((chunk.index.unwrap(), chunk.content.len()));
    }
    assert_eq!(seen, [(0, 1), (1, 1), (2, 1)]);
}

#[tokio::test]
async fn progress_and_chunks_of_tools_are_seen_but_not_by_the_model() {
    let model = super::calls([("count", json!({}))]);
    let mut stream = genkit::generate("go").model(model.clone()).tools(tools![count]).stream();
    let mut told = Vec::new();
    while let Some(chunk) = stream.next().await {
        let chunk = chunk.unwrap();
        if let Some(progress) = chunk.tool_progress() {
            assert_eq!((chunk.index, chunk.role), (Some(1), Some(Role::Tool)));
            assert!(chunk.tool_chunk().is_none() && chunk.content.is_empty());
            assert_eq!((progress.name.as_str(), progress.message), ("count", None));
            told.push((progress.id, progress.progress, progress.total));
        }
        if let Some(sent) = chunk.tool_chunk() {
            assert!(chunk.tool_progress().is_none());
            assert_eq!(sent.name, "count");
            assert!(sent.clone().read::<bool>().unwrap_err().to_string().contains("`count`"));
            told.push((sent.id.clone(), sent.read().unwrap(), None));
        }
    }
    let id = model.tool_calls()[0].id.clone();
    assert!(id.is_some());
    assert_eq!(told, [(id.clone(), 1.0, Some(2.0)), (id, 1.0, None)]);
    assert_eq!(model.tool_outputs("count"), [json!(2)]);
}

#[tokio::test]
async fn error_comes_once_after_the_chunks_before_it_and_again_as_the_response() {
    let model = ScriptedModel::new([
        Scripted::chunks(
            [GenerateChunk::from_text("x")],
            ModelResponse::from_tool_requests([ToolRequest::new("add", json!({"a": 1, "b": 2}))]),
        ),
        Scripted::from(Err(Error::new(ErrorKind::Unavailable, "down"))),
    ]);
    let mut stream = genkit::generate("go").model(model).tools(tools![add]).stream();
    let mut texts = 0;
    let error = loop {
        match stream.next().await {
            Some(Ok(_)) => texts += 1,
            Some(Err(error)) => break error,
            None => panic!("the error is missing"),
        }
    };
    assert_eq!((texts, error.to_string().as_str()), (2, "down"));
    assert_eq!(error.partial().unwrap().messages().len(), 3);
    assert!(stream.next().await.is_none());
    let again = stream.response().await.unwrap_err();
    assert_eq!((again.kind(), again.to_string().as_str()), (ErrorKind::Unavailable, "down"));
}

#[tokio::test]
async fn partial_values_grow() {
    #[derive(serde::Deserialize, schemars::JsonSchema, Debug, PartialEq)]
    struct Dish {
        name: String,
        #[serde(default)]
        steps: Vec<String>,
    }
    let pieces = ["Sure: {\"na", "me\": \"So", "up\", \"steps\": [\"boil", "\", \"eat\"]}"];
    let model = ScriptedModel::streaming(pieces);
    let mut stream = genkit::generate("go").output::<Dish>().model(model).stream();
    let mut seen = Vec::new();
    while let Some(chunk) = stream.next().await {
        chunk.unwrap();
        seen.push(stream.output::<Dish>());
    }
    let dish = |name: &str, steps: &[&str]| {
        let steps = steps.iter().map(|step| (*step).to_owned()).collect();
        Some(Dish { name: name.to_owned(), steps })
    };
    assert_eq!(
        seen,
        [None, dish("So", &[]), dish("Soup", &["boil"]), dish("Soup", &["boil", "eat"])]
    );
    let response = stream.response().await.unwrap();
    assert_eq!(response.output::<Dish>().ok(), dish("Soup", &["boil", "eat"]));
}
