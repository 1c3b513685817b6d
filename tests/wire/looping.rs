//! The whole loop against a Gemini on loopback that behaves badly.

use std::io::Write as _;
use std::net::TcpListener;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use genkit::middleware::retry;
use genkit::model::{FinishReason, Gemini, Model};
use genkit::{ErrorKind, Generate, tool, tools};
use serde_json::{Value, json};

use crate::faults::server::{http, read_request};

/// Adds.
#[tool]
async fn add(a: i64, b: i64) -> i64 {
    a + b
}

/// What a server was asked, body by body.
type Asked = Arc<Mutex<Vec<Value>>>;

/// A Gemini that gives `answer` of the number of the request, each on a connection of its own.
fn gemini(answer: impl Fn(usize) -> String + Send + 'static) -> (Arc<dyn Model>, Asked) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let asked = Asked::default();
    let seen = Arc::clone(&asked);
    std::thread::spawn(move || {
        for connection in listener.incoming() {
            let mut connection = connection.unwrap();
            let request = read_request(&mut connection);
            let (_, body) = request.split_once("\r\n\r\n").unwrap();
            let number = {
                let mut seen = seen.lock().unwrap();
                seen.push(serde_json::from_str(body).unwrap());
                seen.len() - 1
            };
            // The caller may leave early, which is its right.
            let _ = connection.write_all(answer(number).as_bytes());
        }
    });
    (Gemini::builder().api_key("KEY").base_url(url).build().unwrap().model("gemini-3-pro"), asked)
}

fn call(number: usize) -> String {
    json!({"candidates": [{"finishReason": "STOP", "content": {"role": "model", "parts": [
        {"functionCall": {"name": "add", "args": {"a": number, "b": 1}, "id": format!("c{number}")},
            "thoughtSignature": format!("c2ln{number}")},
        {"functionCall": {"name": "add", "args": {"a": number, "b": 2}, "id": format!("d{number}")}},
    ]}}]})
    .to_string()
}

fn text(content: &str) -> String {
    let content = json!({"role": "model", "parts": [{"text": content}]});
    json!({"candidates": [{"finishReason": "STOP", "content": content}]}).to_string()
}

fn asks(model: &Arc<dyn Model>) -> Generate {
    genkit::generate("go").model(Arc::clone(model)).tools(tools![add])
}

#[tokio::test]
async fn endless_tool_calls_end_at_the_limit() {
    let (model, asked) = gemini(|number| http("200 OK", "", &call(number)));
    let response = asks(&model).await.unwrap();
    assert_eq!(response.finish_reason, Some(FinishReason::Aborted));
    assert_eq!(response.messages().len(), 12);
    let asked = asked.lock().unwrap();
    assert_eq!(asked.len(), 6);
    let contents = asked[5]["contents"].as_array().unwrap();
    for round in 0..5 {
        let model = &contents[1 + 2 * round]["parts"];
        assert_eq!(model[0]["thoughtSignature"], format!("c2ln{round}"), "on the part it came on");
        assert!(model[1].get("thoughtSignature").is_none());
        let answers = &contents[2 + 2 * round]["parts"];
        assert_eq!(answers[0]["functionResponse"]["id"], format!("c{round}"));
        assert_eq!(answers[1]["functionResponse"]["response"]["output"], round + 2);
    }
}

#[tokio::test]
async fn a_failure_in_a_later_turn_keeps_the_history() {
    for (second, kind) in [
        (
            http(
                "500 Oops",
                "",
                r#"{"error": {"code": 500, "message": "oh no", "status": "INTERNAL"}}"#,
            ),
            ErrorKind::Internal,
        ),
        (
            "HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n{\"candidates\": [".to_owned(),
            ErrorKind::Unavailable,
        ),
        (String::new(), ErrorKind::Unavailable),
    ] {
        let (model, asked) = gemini(move |number| match number {
            0 => http("200 OK", "", &call(0)),
            _ => second.clone(),
        });
        let error = asks(&model).await.unwrap_err();
        assert_eq!(error.kind(), kind, "{error}");
        assert_eq!(error.partial().unwrap().messages().len(), 3, "{error}");
        assert_eq!(asked.lock().unwrap().len(), 2, "nothing is sent again by itself");
    }
}

#[tokio::test]
async fn a_limit_on_rate_is_waited_for_where_that_is_wanted() {
    let body =
        r#"{"error": {"code": 429, "message": "slow down", "status": "RESOURCE_EXHAUSTED"}}"#;
    let (model, asked) = gemini(move |number| match number {
        0 => http("429 Too Many Requests", "retry-after: 0\r\n", body),
        _ => http("200 OK", "", &text("here")),
    });
    let response = asks(&model).middleware(retry()).await.unwrap();
    assert_eq!(response.text(), "here");
    assert_eq!(asked.lock().unwrap().len(), 2);

    let (model, asked) =
        gemini(move |_| http("429 Too Many Requests", "retry-after: 7200\r\n", body));
    let error = asks(&model).middleware(retry()).await.unwrap_err();
    assert_eq!(error.retry_after(), Some(Duration::from_secs(7200)), "nobody waits that long");
    assert_eq!(asked.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn a_streamed_run_is_the_same_run() {
    let event = |json: String| format!("data: {json}\r\n\r\n");
    let (model, asked) = gemini(move |number| match number {
        0 => http("200 OK", "content-type: text/event-stream\r\n", &event(call(0))),
        _ => {
            let pieces = event(text("It is ")) + &event(text("one."));
            http("200 OK", "content-type: text/event-stream\r\n", &pieces)
        }
    });
    let mut stream = asks(&model).stream();
    let mut seen = Vec::new();
    while let Some(chunk) = stream.next().await {
        let chunk = chunk.unwrap();
        seen.push((chunk.index.unwrap(), chunk.text()));
    }
    let text = |index, text: &str| (index, text.to_owned());
    assert_eq!(seen, [text(0, ""), text(1, ""), text(2, "It is "), text(2, "one.")]);
    assert_eq!(stream.response().await.unwrap().text(), "It is one.");
    let asked = asked.lock().unwrap();
    assert_eq!(asked[1]["contents"][1]["parts"][0]["thoughtSignature"], "c2ln0");
}
