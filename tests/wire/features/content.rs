//! The content of messages.

use genkit::model::ModelRequest;
use genkit::{Message, Part, Role};
use serde_json::json;

use super::{Cell, Row, Topic, ask, asked_with, mock, must, no, reasoning, row, streamed, yes};
use crate::mock::{Piece, Said, Who};

pub(super) const TOPIC: Topic = ("Messages", ROWS);

const ROWS: &[Row] = &[
    row!("a system message, several turns", turns),
    row!("an image, inline", media, Part::image("image/png", b"picture")),
    row!("an image, by URL", media, Part::media("https://a.example/b.png", "image/png")),
    row!(
        "a PDF, inline",
        media,
        Part::media("data:application/pdf;base64,cGRm", "application/pdf")
    ),
    row!("a PDF, by URL", media, Part::media("https://a.example/b.pdf", "application/pdf")),
    row!("audio, inline", media, Part::audio("audio/wav", b"sounds")),
    row!("a video, by URL", media, Part::media("https://a.example/b.mp4", "video/mp4")),
    row!("the text of a resource", resource),
    row!("documents: `.docs(..)`", documents),
    row!("a cache breakpoint: `.with_cache()`", cache_mark),
    row!("streaming: the chunks add up to the response", stream),
    row!("usage: token counts", usage),
    row!("reported finish reasons: length, blocked", ends),
];

async fn turns(provider: &'static str) -> Cell {
    let mock = mock(provider, [Said::text("ok")]);
    let request = ModelRequest::new([
        Message::system("be brief"),
        Message::user("one"),
        Message::model("two"),
        Message::user("three"),
    ]);
    ask(provider, &mock, &request).await?;
    let asked = mock.asked();
    must!(asked.system.contains("be brief"), "the system message: {:?}", asked.system);
    let said = |who, text: &str| (who, vec![Piece::Text(text.to_owned())]);
    let expected = [said(Who::User, "one"), said(Who::Model, "two"), said(Who::User, "three")];
    must!(asked.turns == expected, "{:?}", asked.turns);
    yes()
}

/// Media is sent, or rejected before the call; it is never dropped silently.
async fn media(provider: &'static str, part: Part) -> Cell {
    let url = match &part {
        Part::Media { media, .. } => media.url.clone(),
        _ => String::new(),
    };
    let content = url.split_once(";base64,").map_or(url.as_str(), |(_, data)| data).to_owned();
    let change = |mut request: ModelRequest| {
        request.messages = vec![Message::user("What is it?").with(part)];
        request
    };
    let (mock, answer) = asked_with(provider, change).await;
    match answer {
        Err(error) if mock.requests().is_empty() => {
            must!(
                error.kind() == genkit::ErrorKind::InvalidArgument,
                "{:?}: {error}",
                error.kind()
            );
            Ok("error".to_owned())
        }
        Err(error) => Err(error.into()),
        Ok(_) => {
            let asked = mock.asked();
            let has = |piece: &Piece| matches!(piece, Piece::Media(_, sent) if *sent == content);
            must!(asked.pieces().any(has), "the media is lost: {:?}", asked.turns);
            yes()
        }
    }
}

async fn resource(provider: &'static str) -> Cell {
    let part = Part::resource_text("notes://1", "text/plain", "the note");
    let (mock, answer) = asked_with(provider, |mut request| {
        request.messages = vec![Message::user("Read:").with(part)];
        request
    })
    .await;
    answer?;
    must!(mock.asked().text().contains("the note"), "{:?}", mock.asked());
    yes()
}

async fn documents(provider: &'static str) -> Cell {
    let (mock, answer) = asked_with(provider, |request| request.with_docs(["what is known"])).await;
    answer?;
    must!(mock.asked().text().contains("what is known"), "{:?}", mock.asked());
    yes()
}

async fn cache_mark(provider: &'static str) -> Cell {
    let (mock, answer) = asked_with(provider, |mut request| {
        let book = Part::text("a book").with_cache();
        request.messages.insert(0, Message::new(Role::System, [book]));
        request
    })
    .await;
    answer?;
    if mock.last().to_string().contains("cache_control") { yes() } else { no() }
}

async fn stream(provider: &'static str) -> Cell {
    let said = Said::text("It is one.")
        .thought("Let me see.", "c2lnbmF0dXJl")
        .calls("call_1", "add", json!({"a": 1, "b": 2}))
        .calls("call_2", "add", json!({"a": 3}));
    let mock = mock(provider, [said]);
    let request = ModelRequest::new([Message::user("hi")]);
    let whole = ask(provider, &mock, &request).await?;
    let (chunks, joined) = streamed(provider, &mock, &request).await?;
    let whole = whole.message.unwrap_or_else(|| Message::model(""));
    let joined_message = joined.message.clone().unwrap_or_else(|| Message::model(""));
    must!(chunks.len() > 3, "{} chunks", chunks.len());
    let text: String = chunks.iter().map(|chunk| chunk.text()).collect();
    must!(text == whole.text() && text == joined_message.text(), "text {text:?}");
    let thoughts: String = chunks.iter().map(|chunk| chunk.reasoning()).collect();
    must!(
        thoughts == reasoning(&whole) && thoughts == reasoning(&joined_message),
        "thoughts {thoughts:?}"
    );
    let calls = |message: &Message| message.tool_requests().cloned().collect::<Vec<_>>();
    must!(
        calls(&whole) == calls(&joined_message),
        "{:?} {:?}",
        calls(&whole),
        calls(&joined_message)
    );
    must!(calls(&whole).len() == 2, "{:?}", calls(&whole));
    let streamed: Vec<_> = chunks.iter().flat_map(|chunk| &chunk.content).collect();
    let streamed = streamed.into_iter().filter_map(|part| part.as_tool_request());
    let streamed: Vec<_> = streamed.filter(|call| !call.partial).cloned().collect();
    must!(streamed == calls(&whole), "the calls of the chunks: {streamed:?}");
    yes()
}

/// Of 7 input tokens 3 are cached; there are 5 output and 2 thought tokens.
async fn usage(provider: &'static str) -> Cell {
    let (_, answer) = asked_with(provider, |request| request).await;
    let usage = answer?.usage;
    let counts = [
        ("input", usage.input_tokens),
        ("output", usage.output_tokens),
        ("total", usage.total_tokens),
        ("thoughts", usage.thoughts_tokens),
        ("cached", usage.cached_content_tokens),
    ];
    for (name, count) in counts {
        let right = match name {
            "input" => 7,
            // Gemini counts thoughts separately from the output.
            "output" if provider == "gemini" => 5,
            "output" => 7,
            "total" => 14,
            "thoughts" => 2,
            _ => 3,
        };
        must!(count.is_none_or(|count| count == right), "{name}: {count:?}");
    }
    let known = counts.iter().filter(|(_, count)| count.is_some()).map(|(name, _)| *name);
    Ok(known.collect::<Vec<_>>().join(", "))
}

async fn ends(provider: &'static str) -> Cell {
    use genkit::model::FinishReason;

    use crate::mock::End;
    let mut told = Vec::new();
    for (end, name, expected) in [
        (End::Length, "length", FinishReason::Length),
        (End::Blocked, "blocked", FinishReason::Blocked),
    ] {
        let mock = mock(provider, [Said { end, ..Said::text("so far") }]);
        let request = ModelRequest::new([Message::user("hi")]);
        let answer = ask(provider, &mock, &request).await?;
        let (_, streamed) = streamed(provider, &mock, &request).await?;
        must!(answer.finish_reason == streamed.finish_reason, "{name} is not the same in a stream");
        if answer.finish_reason == Some(expected) {
            told.push(name);
        } else {
            must!(
                end == End::Blocked && provider == "ollama",
                "{name}: {:?}",
                answer.finish_reason
            );
        }
    }
    Ok(told.join(", "))
}
