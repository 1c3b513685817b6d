//! `flow_client`: with a server of this library, and with responses of every form.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::time::Duration;

use genkit::flows::{FlowCall, api_key};
use genkit::{Chunks, Context, Error, ErrorKind, Result, flow, flow_client, flows};
use serde_json::{Value, json};

use super::{Listening, serving};

#[derive(Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
struct Counted {
    i: u32,
    text: String,
}

/// Counts.
#[flow]
async fn count(chunks: &Chunks<Counted>, n: u32) -> Result<u32> {
    for i in 0..n {
        chunks.send(Counted { i, text: "\n\n👍\u{2028}".repeat(20_000) }).await?;
    }
    Ok(n)
}

/// Fails after a chunk.
#[flow]
async fn fail(chunks: &Chunks<u32>) -> Result<()> {
    chunks.send(1).await?;
    Err(Error::not_found("no note 7").with_details(json!({"id": 7})))
}

/// Who calls.
#[flow]
async fn whoami(ctx: &Context) -> Value {
    json!(ctx.action_context())
}

#[tokio::test]
async fn results_and_chunks_are_typed() {
    let server = Listening::start(serving(flows![count, fail]).durable_streams(true)).await;
    let call = || flow_client(server.url("count")).input(json!({"n": 3}));
    assert_eq!(call().await.unwrap(), json!(3));
    assert_eq!(call().output::<u8>().await.unwrap(), 3);
    let misfit = call().output::<String>().await.unwrap_err();
    assert_eq!(misfit.kind(), ErrorKind::Internal);

    let mut stream = call().output::<u32>().chunks::<Counted>().stream();
    assert_eq!(stream.stream_id(), None);
    let mut seen = Vec::new();
    while let Some(chunk) = stream.next().await {
        seen.push(chunk.unwrap().i);
    }
    assert_eq!(seen, [0, 1, 2]);
    let id = stream.stream_id().expect("the server keeps it").to_owned();
    assert_eq!(stream.response().await.unwrap(), 3);

    let again = || flow_client(server.url("count")).stream_id(&id);
    let mut rest = again().skip_chunks(2).chunks::<Counted>().stream();
    assert_eq!(rest.next().await.unwrap().unwrap().i, 2);
    assert!(rest.next().await.is_none());
    assert_eq!(again().stream().response().await.unwrap(), 3);
    let unknown = flow_client(server.url("count")).stream_id("nope").stream();
    assert_eq!(unknown.response().await.unwrap_err().kind(), ErrorKind::NotFound);
}

#[tokio::test]
async fn flow_call_returns_the_error_of_the_flow() {
    let server = Listening::start(serving(flows![fail])).await;
    let failed = |error: Error| {
        assert_eq!((error.kind(), error.to_string().as_str()), (ErrorKind::NotFound, "no note 7"));
        assert_eq!(error.details(), Some(&json!({"id": 7})));
    };
    failed(flow_client(server.url("fail")).await.unwrap_err());
    failed(flow_client(server.url("fail")).stream().response().await.unwrap_err());
    let mut stream = flow_client(server.url("fail")).stream();
    assert_eq!(stream.next().await.unwrap().unwrap(), json!(1));
    failed(stream.next().await.unwrap().unwrap_err());
    assert!(stream.next().await.is_none(), "an error comes once");
    assert!(stream.response().await.is_err());
}

#[tokio::test]
async fn client_headers_authenticate_the_caller() {
    let server =
        Listening::start(serving(flows![whoami]).context_provider(api_key("Bearer k"))).await;
    let call = || flow_client(server.url("whoami"));
    assert_eq!(call().await.unwrap_err().kind(), ErrorKind::Unauthenticated);
    assert_eq!(call().bearer("x").await.unwrap_err().kind(), ErrorKind::PermissionDenied);
    assert_eq!(call().bearer("k").await.unwrap()["auth"]["apiKey"], "Bearer k");
    let shown = format!("{:?}", call().bearer("s3cret").header("x-a", "s3cret"));
    assert!(shown.contains("x-a") && !shown.contains("s3cret"), "{shown}");
}

#[tokio::test]
async fn unsendable_header_is_an_error_without_its_value() {
    for call in [
        flow_client("nonsense/s3cret"),
        flow_client("ftp://s3cret/x"),
        flow_client("http://127.0.0.1:1/").header("a b", "s3cret"),
        flow_client("http://127.0.0.1:1/").header("a", "s3cret\n"),
    ] {
        let error = call.await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument);
        assert!(!error.chain().contains("s3cret"), "{error:?}");
    }
    let nobody = flow_client("http://127.0.0.1:1/x?key=s3cret").await.unwrap_err();
    assert_eq!(nobody.kind(), ErrorKind::Unavailable);
    assert!(!nobody.chain().contains("s3cret"), "{nobody:?}");
}

/// Returns a call to a server that responds with these bytes and closes the connection.
fn answered(answer: &str) -> FlowCall {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/f", listener.local_addr().unwrap());
    let answer = answer.to_owned();
    std::thread::spawn(move || {
        let (mut connection, _) = listener.accept().unwrap();
        let _ = connection.read(&mut [0; 4096]);
        let _ = connection.write_all(answer.as_bytes());
    });
    flow_client(url)
}

fn with_type(content_type: &str, body: &str) -> String {
    format!("HTTP/1.1 200 OK\r\ncontent-type: {content_type}\r\nconnection: close\r\n\r\n{body}")
}

#[tokio::test]
async fn streams_are_read_in_every_form() {
    for (form, body, chunks, result) in [
        ("Go", "data: {\"message\": 1}\n\ndata: {\"result\": 2}\n\n", 1, Ok(json!(2))),
        ("CRLF", "data: {\"message\": 1}\r\n\r\ndata: {\"result\": 2}\r\n\r\n", 1, Ok(json!(2))),
        (
            "comments",
            ": ping\n\nevent: x\ndata:{\"message\":1}\n\nid: 7\ndata: {\"result\":\ndata: 2}\n\n",
            1,
            Ok(json!(2)),
        ),
        ("next", "data: {\"result\": 2}\n\nEND", 0, Ok(json!(2))),
        ("no blank line", "data: {\"result\": null}", 0, Ok(Value::Null)),
        ("after the end", "data: {\"result\": 2}\n\ndata: {\"message\": 1}\n\n", 0, Ok(json!(2))),
        ("plain after all", "{\"result\": 2}", 0, Ok(json!(2))),
        (
            "JS error",
            "data: {\"message\": 1}\n\nerror: {\"error\": {\"status\": \"ABORTED\", \"message\": \"m\"}}\n\n",
            1,
            Err(ErrorKind::Aborted),
        ),
        (
            "JS error, close",
            "error:{\"error\":{\"status\":\"ABORTED\"}}\n\n",
            0,
            Err(ErrorKind::Aborted),
        ),
        (
            "Go error",
            "data: {\"error\": {\"status\": \"NOT_FOUND\", \"message\": \"m\"}}\n\n",
            0,
            Err(ErrorKind::NotFound),
        ),
        ("cut off", "data: {\"message\": 1}\n\n", 1, Err(ErrorKind::Unavailable)),
        ("cut within", "data: {\"message\": 1}\n\ndata: {\"resu", 1, Err(ErrorKind::Unavailable)),
        ("nothing", "", 0, Err(ErrorKind::Unavailable)),
        ("a page", "<html>\nhello\n</html>", 0, Err(ErrorKind::Unavailable)),
        ("another thing", "data: {\"x\": 1}\n\n", 0, Err(ErrorKind::Internal)),
    ] {
        let mut stream = answered(&with_type("text/event-stream", body)).stream();
        let mut seen = 0;
        let ended = loop {
            match stream.next().await {
                Some(Ok(_)) => seen += 1,
                Some(Err(error)) => break Err(error.kind()),
                None => break stream.response().await.map_err(|error| error.kind()),
            }
        };
        assert_eq!((seen, ended), (chunks, result), "{form}");
    }
}

#[tokio::test]
async fn plain_answers_are_read_in_every_form() {
    let status = |line: &str, body: &str| {
        format!("HTTP/1.1 {line}\r\ncontent-length: {}\r\nlocation: /x\r\n\r\n{body}", body.len())
    };
    for (form, answer, result) in [
        ("JS without a result", status("200 OK", "{}"), Ok(Value::Null)),
        (
            "an error in a 200",
            status("200 OK", r#"{"error":{"status":"ABORTED"}}"#),
            Err(ErrorKind::Aborted),
        ),
        ("Go", status("404 Not Found", "no note\n"), Err(ErrorKind::NotFound)),
        (
            "JS",
            status("400 Bad", r#"{"status":"OUT_OF_RANGE","message":"m"}"#),
            Err(ErrorKind::OutOfRange),
        ),
        (
            "next",
            status("500 No", r#"{"error":{"status":"ABORTED","message":"m"}}"#),
            Err(ErrorKind::Aborted),
        ),
        ("gone", status("204 No Content", ""), Err(ErrorKind::NotFound)),
        ("moved", status("302 Found", ""), Err(ErrorKind::FailedPrecondition)),
        ("a page", status("200 OK", "<html>"), Err(ErrorKind::Internal)),
        (
            "cut off",
            "HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{".to_owned(),
            Err(ErrorKind::Unavailable),
        ),
    ] {
        let ended = answered(&answer).await.map_err(|error| error.kind());
        assert_eq!(ended, result, "{form}");
    }
}

#[tokio::test]
async fn call_has_a_limit_of_time() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/f", listener.local_addr().unwrap());
    let call = || flow_client(&url).timeout(Duration::from_millis(50));
    assert_eq!(call().await.unwrap_err().kind(), ErrorKind::DeadlineExceeded);
    let streamed = call().stream().response().await;
    assert_eq!(streamed.unwrap_err().kind(), ErrorKind::DeadlineExceeded);
}
