//! Tools, and the loop that runs them.

use genkit::message::{ToolRequest, ToolResponse};
use genkit::model::{ChunkSink, ModelRequest, ToolChoice, ToolDefinition};
use genkit::{Message, Part, Role, ToolReply, tool, tools};
use serde_json::json;

use super::{Cell, Row, Topic, ask, mock, must, row, yes};
use crate::lazy_tools;
use crate::mock::{Piece, Said};

pub(super) const TOPIC: Topic = ("Tools", ROWS);

const ROWS: &[Row] = &[
    row!("the agent loop: tools run, and their results are sent back", looping),
    row!("several calls in one turn", parallel),
    row!("calls in a stream", streamed_loop),
    row!("a tool without parameters", no_parameters),
    row!("tool names that the API rejects are replaced, and mapped back", names),
    row!("an image in a tool result", image_in_answer),
    row!("a tool's error is sent to the model", failure),
    row!("interrupt, approve with changes, resume", resume),
    row!("300 lazy tools cost less than 3,000 tokens", lazy),
    row!("`ToolChoice::Required`", choice, ToolChoice::Required, "required"),
    row!("`ToolChoice::None`", choice, ToolChoice::None, "none"),
    row!("`ToolChoice::tool(\"add\")`", choice, ToolChoice::tool("add"), "add"),
];

/// Adds.
#[tool]
async fn add(a: i64, b: i64) -> i64 {
    a + b
}

/// Tells the time.
#[tool]
async fn now() -> &'static str {
    "noon"
}

/// A picture.
#[tool]
async fn picture() -> ToolReply<&'static str> {
    ToolReply::new("here").with_part(Part::image("image/png", b"picture"))
}

/// Fails.
#[tool]
async fn breaks() -> genkit::Result<()> {
    Err(genkit::Error::new(genkit::ErrorKind::NotFound, "no such harbour"))
}

/// Pays.
#[tool(needs_approval)]
async fn pay(euros: u64) -> String {
    format!("paid {euros}")
}

fn answers(asked: &crate::mock::Asked) -> Vec<(Option<String>, String)> {
    let answers = asked.pieces().filter_map(|piece| match piece {
        Piece::Answer { id, output, .. } => {
            let plain = output.as_str().map_or_else(|| output.to_string(), str::to_owned);
            Some((id.clone(), plain))
        }
        _ => None,
    });
    answers.collect()
}

fn calls(asked: &crate::mock::Asked) -> Vec<(Option<String>, String)> {
    let calls = asked.pieces().filter_map(|piece| match piece {
        Piece::Call { id, name, .. } => Some((id.clone(), name.clone())),
        _ => None,
    });
    calls.collect()
}

async fn looping(provider: &'static str) -> Cell {
    let call = Said::default().calls("call_1", "add", json!({"a": 20, "b": 22}));
    let mock = mock(provider, [call, Said::text("42")]);
    let run = genkit::generate("go").model(mock.model(provider)).tools(tools![add]);
    let response = run.await?;
    must!(response.text() == "42", "{:?}", response.text());
    let asked = mock.asked();
    must!(
        asked
            .tools
            .iter()
            .any(|(name, schema)| { name == "add" && schema["properties"]["a"].is_object() }),
        "{:?}",
        asked.tools
    );
    let (calls, answers) = (calls(&asked), answers(&asked));
    must!(calls.len() == 1 && answers.len() == 1, "{calls:?} {answers:?}");
    must!(answers[0].1.contains("42"), "{answers:?}");
    must!(calls[0].0 == answers[0].0, "{calls:?} {answers:?}");
    yes()
}

async fn parallel(provider: &'static str) -> Cell {
    let said = Said::text("Let me add.")
        .calls("call_1", "add", json!({"a": 1, "b": 1}))
        .calls("call_2", "now", json!({}))
        .calls("call_3", "add", json!({"a": 2, "b": 2}));
    let mock = mock(provider, [said, Said::text("done")]);
    let run = genkit::generate("go").model(mock.model(provider)).tools(tools![add, now]);
    run.await?;
    let asked = mock.asked();
    let (calls, answers) = (calls(&asked), answers(&asked));
    let names: Vec<&str> = calls.iter().map(|(_, name)| name.as_str()).collect();
    must!(names == ["add", "now", "add"], "{calls:?}");
    let ids =
        |all: &[(Option<String>, String)]| all.iter().map(|(id, _)| id.clone()).collect::<Vec<_>>();
    must!(ids(&calls) == ids(&answers), "{calls:?} {answers:?}");
    let said: Vec<&str> = answers.iter().map(|(_, said)| said.as_str()).collect();
    must!(said == ["2", "noon", "4"], "{answers:?}");
    must!(asked.text().contains("Let me add."), "the text beside the calls is lost");
    yes()
}

async fn streamed_loop(provider: &'static str) -> Cell {
    let call = Said::default().calls("call_1", "add", json!({"a": 20, "b": 22}));
    let mock = mock(provider, [call, Said::text("It is 42.")]);
    let mut stream = genkit::generate("go").model(mock.model(provider)).tools(tools![add]).stream();
    let mut seen = Vec::new();
    while let Some(chunk) = stream.next().await {
        let chunk = chunk?;
        seen.push((chunk.index.unwrap_or(99), chunk.text()));
    }
    let response = stream.response().await?;
    must!(response.text() == "It is 42.", "{:?}", response.text());
    let of =
        |turn| seen.iter().filter(move |(index, _)| *index == turn).map(|(_, text)| text.as_str());
    must!(of(2).collect::<String>() == "It is 42.", "{seen:?}");
    must!(of(1).count() == 1 && of(0).count() > 0, "{seen:?}");
    yes()
}

async fn no_parameters(provider: &'static str) -> Cell {
    let mock =
        mock(provider, [Said::default().calls("call_1", "now", json!({})), Said::text("noon")]);
    let run = genkit::generate("go").model(mock.model(provider)).tools(tools![now]);
    run.await?;
    let asked = mock.asked();
    must!(answers(&asked)[0].1 == "noon", "{asked:?}");
    yes()
}

/// Checks that the model receives a name that the API accepts, and that its calls are mapped back to the original name.
async fn names(provider: &'static str) -> Cell {
    let name = "fs/read file";
    let tools =
        [ToolDefinition::new(name, "Reads."), ToolDefinition::new("fs__read_file", "Reads.")];
    let request = ModelRequest::new([Message::user("hi")]).with_tools(tools);
    let first = mock(provider, [Said::text("ok")]);
    ask(provider, &first, &request).await?;
    let sent = first.asked().tools;
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    must!(sent.iter().all(|(name, _)| name.chars().all(fits)), "{sent:?}");
    must!(sent[0].0 != sent[1].0, "{sent:?}");
    let second = mock(provider, [Said::default().calls("call_1", &sent[0].0, json!({}))]);
    let answer = ask(provider, &second, &request).await?;
    let message = answer.message.ok_or("no message")?;
    let back = message.tool_requests().next().map(|call| call.name.clone());
    must!(back.as_deref() == Some(name), "{back:?}");
    yes()
}

async fn image_in_answer(provider: &'static str) -> Cell {
    let mock =
        mock(provider, [Said::default().calls("call_1", "picture", json!({})), Said::text("ok")]);
    let run = genkit::generate("go").model(mock.model(provider)).tools(tools![picture]);
    run.await?;
    let asked = mock.asked();
    let has = |piece: &Piece| matches!(piece, Piece::Media(_, data) if data == "cGljdHVyZQ==");
    must!(asked.pieces().any(has), "the image is lost: {:?}", asked.turns);
    yes()
}

async fn failure(provider: &'static str) -> Cell {
    let mock =
        mock(provider, [Said::default().calls("call_1", "breaks", json!({})), Said::text("ok")]);
    let run = genkit::generate("go").model(mock.model(provider)).tools(tools![breaks]);
    run.await?;
    let body = mock.last().to_string();
    must!(body.contains("no such harbour"), "{body}");
    yes()
}

/// Checks that the user pays 20 instead of 500, and that the model is informed.
async fn resume(provider: &'static str) -> Cell {
    let call = Said::default().calls("call_1", "pay", json!({"euros": 500}));
    let mock = mock(provider, [call, Said::text("Paid.")]);
    let run = genkit::generate("Pay.").model(mock.model(provider)).tools(tools![pay]);
    let open = run.clone().await?;
    must!(open.is_interrupted(), "it does not wait");
    let done = run.resume(open, |question| question.approve_with(json!({"euros": 20}))).await;
    must!(done?.text() == "Paid.", "no answer");
    let asked = mock.asked();
    let args = asked.pieces().find_map(|piece| match piece {
        Piece::Call { args, .. } => Some(args.clone()),
        _ => None,
    });
    must!(args == Some(json!({"euros": 20})), "{args:?}");
    let body = mock.last().to_string();
    must!(body.contains("paid 20"), "{body}");
    must!(
        body.contains("You had asked for: {\\\"euros\\\":500}"),
        "the change is not told: {body}"
    );
    yes()
}

/// Checks that the choice is sent, or rejected before the call.
async fn choice(provider: &'static str, choice: ToolChoice, expected: &'static str) -> Cell {
    let mock = mock(provider, [Said::text("ok")]);
    let run = genkit::generate("go").model(mock.model(provider)).tools(tools![add, now]);
    match run.tool_choice(choice).await {
        Ok(_) => {
            let sent = mock.asked().choice;
            // Without tools nothing can be called, which is equivalent.
            let none = expected == "none" && mock.asked().tools.is_empty();
            must!(none || sent.as_deref() == Some(expected), "{sent:?}");
            yes()
        }
        Err(error) if mock.requests().is_empty() => {
            must!(error.to_string().contains("tool"), "{error}");
            Ok("error".to_owned())
        }
        Err(error) => Err(error.into()),
    }
}

/// A history with a call without an id, and its result.
#[tokio::test]
async fn calls_without_ids_find_their_answers() {
    for provider in crate::cases::BUILT {
        let mock = mock(provider, [Said::text("ok")]);
        let request = ModelRequest::new([
            Message::user("go"),
            Message::new(
                Role::Model,
                [
                    Part::tool_request(ToolRequest::new("add", json!({"a": 1}))),
                    Part::tool_request(ToolRequest::new("now", json!({}))),
                ],
            ),
            Message::new(
                Role::Tool,
                [
                    Part::tool_response(ToolResponse::new("add", 1)),
                    Part::tool_response(ToolResponse::new("now", "noon")),
                ],
            ),
        ]);
        mock.model(provider).generate(&request, &ChunkSink::none()).await.unwrap();
        let asked = mock.asked();
        let ids = |all: Vec<(Option<String>, String)>| {
            all.into_iter().map(|(id, _)| id).collect::<Vec<_>>()
        };
        assert_eq!(ids(calls(&asked)), ids(answers(&asked)), "{provider}: {asked:?}");
    }
}

/// Returns whether the provider or the run searches lazy tools.
async fn lazy(provider: &'static str) -> Cell {
    let mock = mock(provider, [Said::text("ok")]);
    let run = genkit::generate("go").model(lazy_tools::model(provider, &mock.url));
    run.tools(lazy_tools::lazy_tools()).await?;
    let body = mock.last();
    let tokens = lazy_tools::tokens(&body);
    must!(tokens < lazy_tools::MOST, "{tokens} tokens");
    let by_provider = lazy_tools::is_searched_by_provider(&body);
    Ok(if by_provider { "with the provider's tool search" } else { "with `search_tools`" }
        .to_owned())
}
