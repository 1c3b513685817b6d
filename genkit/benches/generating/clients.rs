//! The two clients: this library, and plain posts of the same bodies.

use std::future::Future;
use std::sync::Arc;
use std::time::Instant;

use futures_util::{StreamExt as _, stream};
use genkit::model::{Gemini, Model};
use genkit::{tool, tools};
use serde_json::{Value, json};
use tracing::level_filters::LevelFilter;
use tracing_subscriber::layer::SubscriberExt as _;

/// Adds two numbers.
#[tool]
async fn add(
    /// The first number.
    a: i64,
    /// The second number.
    b: i64,
) -> i64 {
    a + b
}

/// Gets the current weather in a given city.
#[tool]
async fn get_weather(
    /// The city, for example `Baltimore`.
    city: String,
) -> String {
    format!("63 degrees and sunny in {city}")
}

/// Prints the processor time and the wall time of a run, in microseconds.
pub(crate) fn measure(who: &str, port: u16, stream: bool, at_a_time: usize, runs: usize) {
    // The runtime of `#[tokio::main]`, which programs usually have.
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let _ = rustls::crypto::ring::default_provider().install_default();
    runtime.block_on(async {
        let url = format!("http://127.0.0.1:{port}");
        match who {
            "ours" | "heard" => {
                if who == "heard" {
                    // A subscriber that records spans but does not export them.
                    let subscriber = tracing_subscriber::registry().with(LevelFilter::INFO);
                    tracing::subscriber::set_global_default(subscriber).unwrap();
                }
                let gemini = Gemini::builder().api_key("KEY").base_url(url).build().unwrap();
                let model = gemini.model("gemini-bench");
                time(at_a_time, runs, || ours(Arc::clone(&model), stream)).await;
            }
            "hand" => {
                let client = reqwest::Client::builder().tcp_nodelay(true).build().unwrap();
                time(at_a_time, runs, || by_hand(client.clone(), url.clone(), stream)).await;
            }
            _ => {
                let bodies = Arc::new(bodies(&url, stream).await);
                let client = reqwest::Client::builder().tcp_nodelay(true).build().unwrap();
                time(at_a_time, runs, || {
                    bare(client.clone(), url.clone(), Arc::clone(&bodies), stream)
                })
                .await;
            }
        }
    });
}

async fn time<F: Future<Output = ()> + Send + 'static>(
    at_a_time: usize,
    runs: usize,
    run: impl Fn() -> F,
) {
    let all = |count: usize| {
        stream::iter(0..count).map(|_| tokio::spawn(run())).buffer_unordered(at_a_time)
    };
    let ended = |run: Result<(), tokio::task::JoinError>| async { run.unwrap() };
    all(at_a_time * 2).for_each(ended).await; // connections are open then
    let (cpu, wall) = (cpu(), Instant::now());
    all(runs).for_each(ended).await;
    let each = |micros: f64| micros / runs as f64;
    println!("{} {}", each(self::cpu() - cpu), each(wall.elapsed().as_secs_f64() * 1e6));
}

/// Returns the processor microseconds of all threads of this process. No thread exits during a run. `stat` would count
/// in ticks of 10,000.
fn cpu() -> f64 {
    let threads = std::fs::read_dir("/proc/self/task").unwrap();
    let nanos = threads.map(|thread| {
        let schedstat = std::fs::read_to_string(thread.unwrap().path().join("schedstat")).unwrap();
        schedstat.split_whitespace().next().unwrap().parse::<f64>().unwrap()
    });
    nanos.sum::<f64>() / 1000.0
}

async fn ours(model: Arc<dyn Model>, stream: bool) {
    let run = genkit::generate("What is the weather in Baltimore, and what is the sum?")
        .system("You are a helpful assistant.")
        .model(model)
        .tools(tools![add, get_weather]);
    let response = if stream { run.stream().response().await } else { run.await };
    let response = response.unwrap();
    let history = response.request.as_ref().map_or(0, |request| request.messages.len());
    assert_eq!(history, 8, "{}", response.text());
}

/// Returns the bodies that a run posts, as this library encodes them.
async fn bodies(url: &str, stream: bool) -> Vec<Vec<u8>> {
    let folder = std::env::temp_dir().join(format!("genkit-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("run.json");
    let cassette = genkit::model::Cassette::record(&file);
    let gemini = Gemini::builder().api_key("KEY").base_url(url).cassette(cassette).build().unwrap();
    ours(gemini.model("gemini-bench"), stream).await;
    let recorded: serde_json::Value =
        serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    let exchanges = recorded["exchanges"].as_array().unwrap();
    exchanges.iter().map(|one| serde_json::to_vec(&one["request"]["body"]).unwrap()).collect()
}

async fn bare(client: reqwest::Client, url: String, bodies: Arc<Vec<Vec<u8>>>, stream: bool) {
    let method = if stream { "streamGenerateContent?alt=sse" } else { "generateContent" };
    for body in &*bodies {
        let mut answer = client
            .post(format!("{url}/v1beta/models/gemini-bench:{method}"))
            .header("content-type", "application/json")
            .header("x-goog-api-key", "KEY")
            .body(body.clone())
            .send()
            .await
            .unwrap();
        assert_eq!(answer.status(), 200);
        if stream {
            while answer.chunk().await.unwrap().is_some() {}
        } else {
            answer.bytes().await.unwrap();
        }
    }
}

/// Runs a loop that is written by hand for this single purpose.
async fn by_hand(client: reqwest::Client, url: String, stream: bool) {
    let method = if stream { "streamGenerateContent?alt=sse" } else { "generateContent" };
    let schema =
        |name: &str, kind: &str| json!({"type": "object", "properties": {name: {"type": kind}}});
    let tools = json!([{"functionDeclarations": [
        {"name": "add", "description": "Adds two numbers.",
            "parametersJsonSchema": schema("a", "integer")},
        {"name": "get_weather", "description": "Gets the current weather in a given city.",
            "parametersJsonSchema": schema("city", "string")},
    ]}]);
    let mut contents = vec![json!({"role": "user", "parts": [
        {"text": "What is the weather in Baltimore, and what is the sum?"}
    ]})];
    loop {
        let body = json!({
            "systemInstruction": {"parts": [{"text": "You are a helpful assistant."}]},
            "contents": contents,
            "tools": tools,
        });
        let mut answer = client
            .post(format!("{url}/v1beta/models/gemini-bench:{method}"))
            .header("content-type", "application/json")
            .header("x-goog-api-key", "KEY")
            .body(serde_json::to_vec(&body).unwrap())
            .send()
            .await
            .unwrap();
        assert_eq!(answer.status(), 200);
        let mut whole = Vec::new();
        while let Some(piece) = answer.chunk().await.unwrap() {
            whole.extend_from_slice(&piece);
        }
        let mut parts: Vec<Value> = Vec::new();
        let mut take = |text: &[u8]| {
            let mut event: Value = serde_json::from_slice(text).unwrap();
            if let Value::Array(new) = event["candidates"][0]["content"]["parts"].take() {
                parts.extend(new);
            }
        };
        if stream {
            let text = std::str::from_utf8(&whole).unwrap();
            let events = text.split("\r\n\r\n").filter_map(|event| event.strip_prefix("data: "));
            events.for_each(|event| take(event.as_bytes()));
        } else {
            take(&whole);
        }
        let mut answers = Vec::new();
        for part in &parts {
            let call = &part["functionCall"];
            let args = &call["args"];
            let output = match call["name"].as_str() {
                Some("add") => {
                    json!(add(args["a"].as_i64().unwrap(), args["b"].as_i64().unwrap()).await)
                }
                Some("get_weather") => {
                    json!(get_weather(args["city"].as_str().unwrap().to_owned()).await)
                }
                _ => continue,
            };
            answers.push(json!({"functionResponse": {
                "name": call["name"], "id": call["id"], "response": {"output": output},
            }}));
        }
        contents.push(json!({"role": "model", "parts": parts}));
        if answers.is_empty() {
            return assert_eq!(contents.len(), 8);
        }
        contents.push(json!({"role": "user", "parts": answers}));
    }
}
