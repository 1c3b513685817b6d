//! Reasoning, and the parts of it that must be returned unchanged.

use genkit::{tool, tools};
use serde_json::json;

use super::{Cell, Row, Topic, ask, mock, must, no, reasoning, row, streamed, yes};
use crate::mock::{Asked, Piece, Said};

pub(super) const TOPIC: Topic = ("Reasoning", ROWS);

const ROWS: &[Row] = &[
    row!("thoughts are parts of the response", shown),
    row!("signatures are sent back unchanged", signature),
    row!("… also after streaming", streamed_signature),
    row!("provider-side tool calls are sent back unchanged", own),
];

/// Tells the time.
#[tool]
async fn now() -> &'static str {
    "noon"
}

const SIGNATURE: &str = "c2lnbmF0dXJlLXdpdGgrL2FuZC1fIDEyMzQ1Njc4OTA=";

fn thinks() -> Said {
    Said::default().thought("What time is it?", SIGNATURE).calls("call_1", "now", json!({}))
}

async fn shown(provider: &'static str) -> Cell {
    let mock = mock(provider, [Said::text("noon").thought("What time is it?", SIGNATURE)]);
    let request = genkit::model::ModelRequest::new([genkit::Message::user("hi")]);
    let answer = ask(provider, &mock, &request).await?;
    let message = answer.message.ok_or("no message")?;
    must!(reasoning(&message) == "What time is it?", "{message:?}");
    must!(message.text() == "noon", "{message:?}");
    let (_, answer) = streamed(provider, &mock, &request).await?;
    must!(answer.message.is_some_and(|it| reasoning(&it) == "What time is it?"), "not in a stream");
    yes()
}

/// Returns whether the signature was sent back, or only the thoughts.
fn went_back(provider: &str, asked: &Asked, body: &str) -> Cell {
    if body.contains(SIGNATURE) {
        return yes();
    }
    must!(matches!(provider, "openai" | "ollama"), "the signature is lost: {body}");
    let thought =
        |piece: &Piece| matches!(piece, Piece::Thought { text, .. } if text == "What time is it?");
    if asked.pieces().any(thought) { Ok("thoughts only".to_owned()) } else { no() }
}

async fn signature(provider: &'static str) -> Cell {
    let mock = mock(provider, [thinks(), Said::text("noon")]);
    let run = genkit::generate("go").model(mock.model(provider)).tools(tools![now]);
    run.await?;
    went_back(provider, &mock.asked(), &mock.last().to_string())
}

async fn streamed_signature(provider: &'static str) -> Cell {
    let mock = mock(provider, [thinks(), Said::text("noon")]);
    let stream = genkit::generate("go").model(mock.model(provider)).tools(tools![now]).stream();
    stream.response().await?;
    went_back(provider, &mock.asked(), &mock.last().to_string())
}

async fn own(provider: &'static str) -> Cell {
    let said = Said { own: true, ..Said::text("found").calls("call_1", "now", json!({})) };
    let mock = mock(provider, [said.clone(), Said::text("noon")]);
    let run = genkit::generate("go").model(mock.model(provider)).tools(tools![now]);
    run.await?;
    let asked = mock.asked();
    let mut back = asked.pieces().filter_map(|piece| match piece {
        Piece::Own(value) => Some(value),
        _ => None,
    });
    let whole = mock.dialect.whole(&said).to_string();
    let Some(first) = back.next() else {
        must!(matches!(provider, "openai" | "ollama"), "it is lost: {asked:?}");
        return no();
    };
    for value in std::iter::once(first).chain(back) {
        must!(whole.contains(&value.to_string()), "{value} is not as it came");
    }
    yes()
}
