//! Limits and options of a flow server.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use genkit::flows::bearer;
use genkit::{Chunks, Context, ErrorKind, Genkit, Registry, Result, flow, flows};
use serde_json::json;

use super::{Listening, Sent, open, post, serving, stream};

/// Returns its input.
#[flow]
async fn echo(#[input] text: String) -> String {
    text
}

/// Never ends.
#[flow]
async fn sleeper(chunks: &Chunks<u32>) -> Result<()> {
    chunks.send(1).await?;
    std::future::pending().await
}

/// Counts forever, and waits for nothing.
#[flow]
async fn endless(chunks: &Chunks<u64>) -> Result<()> {
    for n in 0.. {
        chunks.send(n).await?;
    }
    Ok(())
}

/// Counts forever, through another flow.
#[flow]
async fn nested(ctx: &Context) -> Result<serde_json::Value> {
    genkit::Flow::of::<endless>().run(json!({})).context(ctx).await
}

#[tokio::test]
async fn flow_with_unread_chunks_does_not_block_its_thread() {
    let server = serving(flows![echo, endless, nested]).timeout(Duration::from_millis(100));
    let server = Listening::start(server).await;
    for path in ["/endless", "/nested"] {
        let counting = post(path, &json!({}));
        let (counted, echoed) =
            tokio::join!(server.send(counting), server.send(post("/echo", &json!({"data": "a"}))));
        assert_eq!((counted.status, counted.status_name().as_str()), (504, "DEADLINE_EXCEEDED"));
        assert_eq!(echoed.json(), json!({"result": "a"}), "another request is answered meanwhile");
    }
}

#[tokio::test]
async fn body_is_limited_in_size() {
    let server = Listening::start(serving(flows![echo]).max_message(100)).await;
    let fits = json!({"data": "x".repeat(100 - r#"{"data":""}"#.len())});
    let answer = server.send(post("/echo", &fits)).await;
    assert_eq!((answer.status, fits.to_string().len()), (200, 100));
    let long = json!({"data": "x".repeat(101 - r#"{"data":""}"#.len())});
    for sent in [post("/echo", &long), stream("/echo", &long)] {
        let answer = server.send(sent).await;
        assert_eq!((answer.status, answer.status_name().as_str()), (413, "INVALID_ARGUMENT"));
    }
    let deep = format!("{{\"data\":{}", "[".repeat(90));
    let answer = server.send(Sent::new("POST", "/echo").body(deep)).await;
    assert_eq!(answer.status, 400);
}

#[tokio::test]
async fn flow_has_a_limit_of_time() {
    let server = serving(flows![sleeper]).timeout(Duration::from_millis(50));
    let server = Listening::start(server).await;
    let answer = server.send(post("/sleeper", &json!({}))).await;
    assert_eq!((answer.status, answer.status_name().as_str()), (504, "DEADLINE_EXCEEDED"));
    let answer = server.send(stream("/sleeper", &json!({}))).await;
    let frames = answer.frames();
    assert_eq!((answer.status, &frames[0]), (200, &json!({"message": 1})));
    assert_eq!((frames.len(), answer.status_name().as_str()), (2, "DEADLINE_EXCEEDED"));
}

/// Counts its calls, and never ends.
#[flow]
async fn hold(count: &Arc<AtomicUsize>, #[input] text: String) {
    let _text = text;
    count.fetch_add(1, Ordering::SeqCst);
    std::future::pending().await
}

#[tokio::test]
async fn client_with_large_inputs_leaves_memory_for_others() {
    let count = Arc::new(AtomicUsize::new(0));
    let registry = Registry::new().add(flows![hold]);
    let genkit = Genkit::builder().registry(registry).state(Arc::clone(&count)).build().unwrap();
    let caller = bearer(|token| async move { Ok(json!({ "uid": token })) });
    let server = Listening::start(genkit.serve_flows().context_provider(caller)).await;
    let large = json!({"data": "x".repeat(4 * 1024 * 1024 - 100)});
    let send = |token: &str| {
        let sent = post("/hold", &large).header("authorization", &format!("Bearer {token}"));
        let address = server.address;
        tokio::task::spawn_blocking(move || open(address, &sent))
    };
    let is_held = async |number: usize| {
        let deadline = tokio::time::Instant::now() + super::PATIENCE;
        while count.load(Ordering::SeqCst) < number {
            assert!(tokio::time::Instant::now() < deadline, "{count:?} of {number} run");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    // Half of the memory for running requests: 128 MiB.
    let mut open = Vec::new();
    for number in 1..=16 {
        open.push(send("eve").await.unwrap());
        is_held(number).await;
    }
    let sent = post("/hold", &large).header("authorization", "Bearer eve");
    let rejected = server.send(sent).await;
    assert_eq!((rejected.status, rejected.status_name().as_str()), (429, "RESOURCE_EXHAUSTED"));
    open.push(send("ada").await.unwrap());
    is_held(17).await;
}

#[tokio::test]
async fn flow_above_the_limit_is_rejected() {
    let server = Listening::start(serving(flows![echo, sleeper]).max_in_flight(1)).await;
    let (address, sent) = (server.address, stream("/sleeper", &json!({})));
    let first = tokio::task::spawn_blocking(move || {
        use std::io::Read as _;
        let mut connection = open(address, &sent);
        let mut piece = [0; 4096];
        // The response has begun, so the flow is running.
        assert!(connection.read(&mut piece).expect("an answer") > 0);
        connection
    });
    let connection = first.await.unwrap();
    let refused = server.send(post("/echo", &json!({"data": "a"}))).await;
    assert_eq!((refused.status, refused.status_name().as_str()), (429, "RESOURCE_EXHAUSTED"));
    drop(connection);
    // The flow ends once the server notices that the client disconnected.
    let deadline = tokio::time::Instant::now() + super::PATIENCE;
    while server.send(post("/echo", &json!({"data": "a"}))).await.status != 200 {
        assert!(tokio::time::Instant::now() < deadline, "the slot was not released");
    }
}

#[tokio::test]
async fn reconnecting_client_takes_a_slot_and_rejected_one_is_not_authenticated() {
    let server = serving(flows![echo]).max_in_flight(0).durable_streams(true);
    let server = Listening::start(server).await;
    let again = stream("/echo", &json!({})).header("x-genkit-stream-id", "x");
    for sent in [again, post("/echo", &json!({"data": "a"})), Sent::new("POST", "/echo").body("{")]
    {
        assert_eq!(server.send(sent).await.status, 429);
    }
    assert_eq!(server.send(Sent::new("GET", "/echo")).await.status, 405);
    assert_eq!(server.send(post("/nope", &json!({}))).await.status, 404);
}

#[tokio::test]
async fn router_accepts_only_loopback_hosts_by_default() {
    for (hosts, foreign) in [(None, 403), (Some("app.example.com"), 200), (Some("*"), 200)] {
        let server = serving(flows![echo]);
        let server = match hosts {
            Some(host) => server.allowed_hosts([host]),
            None => server,
        };
        let app = server.router().unwrap();
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let served = tokio::spawn(async move { axum::serve(listener, app).await });
        let sent = post("/echo", &json!({"data": "a"}));
        let ours = if hosts == Some("app.example.com") { 403 } else { 200 };
        for (sent, status) in
            [(sent.clone().header("host", "app.example.com"), foreign), (sent, ours)]
        {
            let answer = tokio::task::spawn_blocking(move || super::exchange(address, &sent));
            assert_eq!(answer.await.unwrap().status, status, "{hosts:?}");
        }
        served.abort();
    }
}

#[tokio::test]
async fn only_selects_flows_and_an_unknown_name_is_an_error() {
    let server = serving(flows![echo, sleeper]).only(["ec*"]).prefix("/api/v1/");
    let server = Listening::start(server).await;
    let body = json!({"data": "a"});
    for (path, status) in
        [("/api/v1/echo", 200), ("/echo", 404), ("/api/v1/sleeper", 404), ("/api/v1/", 404)]
    {
        assert_eq!(server.send(post(path, &body)).await.status, status, "{path}");
    }
    let error = serving(flows![echo]).only(["ecko"]).router().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    assert!(error.to_string().contains("Did you mean `echo`?"), "{error}");
    let nothing = genkit::Genkit::builder().registry(Registry::new()).build().unwrap();
    let error = nothing.serve_flows().router().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::FailedPrecondition);
}

#[tokio::test]
async fn address_that_is_taken_is_an_error() {
    let server = Listening::start(serving(flows![echo])).await;
    let error = serving(flows![echo]).http(server.address.to_string()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
}

/// Returns the share of the program's resources that the call uses.
#[flow]
async fn share(ctx: &Context) -> String {
    format!("{:?}", ctx.client_share())
}

/// Returns the share of a flow that it runs.
#[flow]
async fn inner_share() -> Result<serde_json::Value> {
    genkit::Flow::of::<share>().run(json!({})).await
}

#[tokio::test]
async fn flow_uses_the_share_of_its_caller() {
    let provider = genkit::flows::bearer(|token| async move { Ok(json!({ "uid": token })) });
    let server = serving(flows![share, inner_share]).context_provider(provider);
    let server = Listening::start(server).await;
    let share_of = async |path: &str, token: &str| {
        let sent = post(path, &json!({})).header("authorization", &format!("Bearer {token}"));
        server.send(sent).await.json()["result"].as_str().unwrap().to_owned()
    };
    let (ada, eve) = (share_of("/share", "ada").await, share_of("/share", "eve").await);
    assert!(ada.starts_with("Some(") && ada != eve, "{ada} {eve}");
    assert_eq!(share_of("/inner_share", "ada").await, ada);
}

/// A caller that uses its whole share leaves slots for another caller.
#[tokio::test]
async fn greedy_caller_leaves_places_for_others() {
    let provider = genkit::flows::bearer(|token| async move { Ok(json!({ "uid": token })) });
    let server = serving(flows![echo, sleeper]).max_in_flight(16).context_provider(provider);
    let server = Listening::start(server).await;
    let mut held = Vec::new();
    let refused = loop {
        let sent = stream("/sleeper", &json!({})).header("authorization", "Bearer greedy");
        let address = server.address;
        let (connection, status) = tokio::task::spawn_blocking(move || {
            use std::io::Read as _;
            let mut connection = open(address, &sent);
            let mut piece = [0; 4096];
            let read = connection.read(&mut piece).expect("an answer");
            let status = String::from_utf8_lossy(&piece[..read]).contains(" 200 ");
            (connection, status)
        })
        .await
        .unwrap();
        match status {
            true => held.push(connection),
            false => break held.len(),
        }
        assert!(held.len() <= 16);
    };
    assert_eq!(refused, 8, "half of the slots");
    let other = post("/echo", &json!({"data": "a"})).header("authorization", "Bearer other");
    assert_eq!(server.send(other).await.status, 200);
}

#[tokio::test]
async fn body_with_many_small_values_is_rejected() {
    let server = Listening::start(serving(flows![echo])).await;
    let body = format!("{{\"data\": [{}0]}}", "0,".repeat(300_000));
    let answer = server.send(Sent::new("POST", "/echo").body(body.as_str())).await;
    assert_eq!(answer.status, 400);
    assert!(answer.text().contains("more than 200000 values"), "{}", answer.text());
}

#[tokio::test]
async fn client_without_a_token_cannot_find_out_which_flows_exist() {
    let server = serving(flows![echo]).context_provider(genkit::flows::api_key("k"));
    let server = Listening::start(server).await;
    let mut answers = Vec::new();
    for path in ["/echo", "/nope"] {
        let answer = server.send(post(path, &json!({"data": "a"}))).await;
        answers.push((answer.status, answer.text().to_owned()));
    }
    assert_eq!(answers[0].0, 401);
    assert_eq!(answers[0], answers[1]);
    let known = post("/nope", &json!({"data": "a"})).header("authorization", "k");
    assert_eq!(server.send(known).await.status, 404);
}
