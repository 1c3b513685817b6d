//! The two clients: this library, and bare posts of the same bodies.

use std::future::Future;
use std::sync::Arc;
use std::time::Instant;

use futures_util::{StreamExt as _, stream};
use genkit::model::{Gemini, Model};
use genkit::{tool, tools};

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

/// Prints the microseconds of processor and wall time that a run takes.
pub(crate) fn measure(who: &str, port: u16, stream: bool, at_a_time: usize, runs: usize) {
    // One thread: what is counted is the client's work, not its waking of other threads.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let url = format!("http://127.0.0.1:{port}");
        match who {
            "ours" => {
                let gemini = Gemini::builder().key("KEY").base_url(url).build().unwrap();
                let model = gemini.model("gemini-bench");
                time(at_a_time, runs, || ours(Arc::clone(&model), stream)).await;
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

async fn time<F: Future<Output = ()>>(at_a_time: usize, runs: usize, run: impl Fn() -> F) {
    let all = |count: usize| stream::iter(0..count).map(|_| run()).buffer_unordered(at_a_time);
    all(at_a_time * 2).collect::<Vec<()>>().await; // connections are open then
    let (cpu, wall) = (cpu(), Instant::now());
    all(runs).collect::<Vec<()>>().await;
    let each = |micros: f64| micros / runs as f64;
    println!("{} {}", each(self::cpu() - cpu), each(wall.elapsed().as_secs_f64() * 1e6));
}

/// Processor microseconds of this process: fields 14 and 15 of `/proc/self/stat`.
fn cpu() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    fields[11..13].iter().map(|field| field.parse::<f64>().unwrap()).sum::<f64>() * 10_000.0
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

/// The bodies that a run posts, as this library makes them.
async fn bodies(url: &str, stream: bool) -> Vec<Vec<u8>> {
    let folder = std::env::temp_dir().join(format!("genkit-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("run.json");
    let cassette = genkit::model::Cassette::record(&file);
    let gemini = Gemini::builder().key("KEY").base_url(url).cassette(cassette).build().unwrap();
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
