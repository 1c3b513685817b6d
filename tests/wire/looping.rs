//! The complete loop with servers that misbehave, for every provider.

use std::sync::Arc;
use std::time::Duration;

use genkit::middleware::{on_model, retry};
use genkit::model::{FinishReason, Model};
use genkit::{ErrorKind, Generate, tool, tools};
use serde_json::json;

use crate::cases::BUILT;
use crate::faults::server::http;
use crate::mock::{Mock, Piece, Said, answer, dialect};

/// Adds.
#[tool]
async fn add(a: i64, b: i64) -> i64 {
    a + b
}

fn asks(model: Arc<dyn Model>) -> Generate {
    genkit::generate("go").model(model).tools(tools![add])
}

/// Returns two calls, with ids and a signature of the round.
fn calls(round: usize) -> Said {
    Said::default()
        .thought("hm", &format!("c2lnbmF0dXJl{round:04}"))
        .calls(format!("c{round}").as_str(), "add", json!({"a": round, "b": 1}))
        .calls(format!("d{round}").as_str(), "add", json!({"a": round, "b": 2}))
}

#[tokio::test]
async fn endless_calls_end_at_the_limit() {
    for provider in BUILT {
        let dialect = dialect(provider);
        let mock =
            Mock::answers(dialect, move |number, request| answer(dialect, request, &calls(number)));
        let response = asks(mock.model(provider)).await.unwrap();
        assert_eq!(response.finish_reason, Some(FinishReason::Aborted), "{provider}");
        assert_eq!(response.messages().len(), 12, "{provider}");
        assert_eq!(mock.requests().len(), 6, "{provider}");
        let asked = mock.asked();
        let (mut wanted, mut outputs) = (Vec::new(), Vec::new());
        for piece in asked.pieces() {
            match piece {
                Piece::Call { id, .. } => wanted.push(id.clone()),
                Piece::Answer { id, output, .. } => outputs.push((id.clone(), output.to_string())),
                _ => {}
            }
        }
        assert_eq!(outputs.len(), 10, "{provider}");
        for (at, (id, output)) in outputs.iter().enumerate() {
            assert_eq!(*id, wanted[at], "{provider}");
            let sum = at / 2 + 1 + at % 2;
            assert!(output.contains(&sum.to_string()), "{provider}: {output} is not {sum}");
        }
        // The signatures of all rounds are present, each exactly as often as it was received, and in order.
        if !matches!(provider, "openai" | "ollama") {
            let body = mock.last().to_string();
            let signature = |round: usize| format!("c2lnbmF0dXJl{round:04}");
            let places: Vec<_> = (0..5).map(|round| body.find(&signature(round))).collect();
            assert!(
                places.is_sorted() && places.iter().all(Option::is_some),
                "{provider}: {places:?}"
            );
            for round in 0..5 {
                let came = dialect.whole(&calls(round)).to_string();
                let [came, sent] =
                    [came, body.clone()].map(|it| it.matches(&signature(round)).count());
                assert_eq!(sent, came, "{provider}: round {round}");
            }
        }
    }
}

#[tokio::test]
async fn failure_in_a_later_turn_keeps_the_history() {
    for provider in BUILT {
        let dialect = dialect(provider);
        let cut = "HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n{\"".to_owned();
        let failure = http("500 Oops", "", &dialect.failure(500, "oh no").to_string());
        for (second, kind) in [
            (failure, ErrorKind::Internal),
            (cut, ErrorKind::Unavailable),
            (String::new(), ErrorKind::Unavailable),
        ] {
            let mock = Mock::answers(dialect, move |number, request| match number {
                0 => answer(dialect, request, &calls(0)),
                _ => second.clone(),
            });
            let error = asks(mock.model(provider)).await.unwrap_err();
            assert_eq!(error.kind(), kind, "{provider}: {error}");
            assert_eq!(error.partial().unwrap().messages().len(), 3, "{provider}: {error}");
            assert_eq!(mock.requests().len(), 2, "{provider}: nothing is resent automatically");
        }
    }
}

#[tokio::test]
async fn limit_on_rate_is_waited_for_where_that_is_wanted() {
    for provider in BUILT {
        let dialect = dialect(provider);
        let limited = move |wait: u32| {
            let body = dialect.failure(429, "slow down").to_string();
            http("429 Too Many Requests", &format!("retry-after: {wait}\r\n"), &body)
        };
        let mock = Mock::answers(dialect, move |number, request| match number {
            0 => limited(0),
            _ => answer(dialect, request, &Said::text("here")),
        });
        let response = asks(mock.model(provider)).middleware(retry()).await.unwrap();
        assert_eq!(response.text(), "here", "{provider}");
        assert_eq!(mock.requests().len(), 2, "{provider}");

        let mock = Mock::answers(dialect, move |_, _| limited(7200));
        let error = asks(mock.model(provider)).middleware(retry()).await.unwrap_err();
        assert_eq!(
            error.retry_after(),
            Some(Duration::from_secs(7200)),
            "{provider}: nobody waits that long"
        );
        assert_eq!(mock.requests().len(), 1, "{provider}");
    }
}

/// An error in the middle of a stream ends the run, and earlier chunks were delivered.
#[tokio::test]
async fn stream_that_breaks_keeps_what_was_seen() {
    for provider in BUILT {
        let dialect = dialect(provider);
        let mock = Mock::answers(dialect, move |_, _| {
            let pieces = dialect.pieces(&Said::text("one two three"));
            let most = pieces.len() - 4;
            let framed = dialect.events(&pieces[..most]);
            // The connection breaks before the declared length is reached.
            let head =
                format!("content-type: {}\r\ncontent-length: 99999\r\n", dialect.stream_type());
            format!("HTTP/1.1 200 OK\r\n{head}\r\n{framed}")
        });
        let mut stream = asks(mock.model(provider)).stream();
        let (mut seen, mut failed) = (String::new(), None);
        while let Some(chunk) = stream.next().await {
            match chunk {
                Ok(chunk) => seen.push_str(&chunk.text()),
                Err(error) => failed = Some(error),
            }
        }
        assert!(
            seen.starts_with("one") && "one two three".starts_with(&seen),
            "{provider}: {seen:?}"
        );
        let error = match failed {
            Some(error) => error,
            None => stream.response().await.unwrap_err(),
        };
        assert_eq!(error.kind(), ErrorKind::Unavailable, "{provider}: {error}");
    }
}

#[tokio::test]
async fn per_turn_changes_apply_to_one_request_body() {
    for provider in BUILT {
        let says = || [calls(0), calls(1), calls(2), Said::text("done")];
        // A program that changes the settings, and a middleware that changes the first message, in the second turn.
        let mock = Mock::says(dialect(provider), says());
        let changed = asks(mock.model(provider))
            .before_turn(|turn| async move {
                if turn.completed_rounds() == 1 {
                    turn.with_config("maxOutputTokens", 4321)
                } else {
                    turn
                }
            })
            .middleware(on_model(|mut request, chunks, next| async move {
                if request.messages.len() == 3 {
                    request.messages[0] = genkit::Message::user("other words");
                }
                next.run(&request, &chunks).await
            }));
        changed.await.unwrap();
        let bodies: Vec<String> =
            mock.requests().iter().map(|request| request.body.to_string()).collect();
        for (turn, body) in bodies.iter().enumerate() {
            assert_eq!(body.contains("4321"), turn == 1, "{provider}: turn {turn}: {body}");
            assert_eq!(body.contains("other words"), turn == 1, "{provider}: turn {turn}: {body}");
        }
        // If nothing is changed, each body is the same as that of a request with the same messages.
        let (kept, whole) =
            (Mock::says(dialect(provider), says()), Mock::says(dialect(provider), says()));
        asks(kept.model(provider)).await.unwrap();
        let copied =
            on_model(|request, chunks, next| async move { next.run(&request, &chunks).await });
        asks(whole.model(provider)).middleware(copied).await.unwrap();
        let [kept, whole] = [kept, whole].map(|mock| {
            mock.requests().into_iter().map(|request| request.body).collect::<Vec<_>>()
        });
        assert_eq!(kept, whole, "{provider}");
        assert_eq!(kept.len(), 4, "{provider}");
    }
}
