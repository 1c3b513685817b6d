//! Two hundred servers on pipes, whose clients are honest and send disruptive messages as well.

use std::collections::BTreeMap;
use std::process::Stdio;
use std::time::{Duration, Instant};

use genkit_tests::print_uncaptured;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::task::JoinSet;

use super::Seen;
use crate::raw::{PATIENCE, call_params, meta};
use crate::server;

const CLIENTS: usize = 200;

/// The number of requests from each client that must get a response.
const CALLS: usize = 24;

struct PipeClient {
    child: Child,
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
    modern: bool,
}

impl PipeClient {
    async fn open(modern: bool) -> Self {
        let mut child = Command::new(server::example("conformance"))
            .env("RUST_LOG", "off")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .expect("a server");
        let input = child.stdin.take().expect("a pipe");
        let output = BufReader::new(child.stdout.take().expect("a pipe")).lines();
        let mut client = Self { child, input, output, modern };
        if !modern {
            let params = json!({
                "protocolVersion": "2025-11-25", "capabilities": { "elicitation": {} },
                "clientInfo": { "name": "load", "version": "1" }
            });
            client.send(&request(json!("open"), "initialize", params)).await;
            client.next().await;
            let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
            client.send(&ready.to_string()).await;
        }
        client
    }

    async fn send(&mut self, line: &str) {
        let sent = self.input.write_all(format!("{line}\n").as_bytes()).await;
        sent.expect("a server that reads");
    }

    async fn next(&mut self) -> Value {
        let line = tokio::time::timeout(PATIENCE, self.output.next_line()).await;
        let line = line.expect("an answer").expect("a pipe").expect("a server that goes on");
        serde_json::from_str(&line).expect("a message")
    }

    /// Returns a call whose response contains its mark.
    fn call(&self, id: &Value, mark: &str) -> String {
        let arguments = json!({ "name": mark, "email": "1" });
        self.tool(id, "json_schema_2020_12_tool", &arguments)
    }

    fn tool(&self, id: &Value, name: &str, arguments: &Value) -> String {
        let mut params = call_params(name, arguments);
        if self.modern {
            params["_meta"] = meta(&json!({ "elicitation": {} }));
        }
        request(id.clone(), "tools/call", params)
    }
}

fn request(id: Value, method: &str, params: Value) -> String {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string()
}

/// Sends disruptive messages, which a client sends before each of its calls.
async fn nuisance(client: &mut PipeClient, name: usize, round: usize) {
    let lines = match name / 2 % 5 {
        0 => vec![],
        // Garbage.
        1 => vec![
            "no JSON".to_owned(),
            "{\"jsonrpc\":\"2.0\",\"id\":".to_owned(),
            "[".repeat(5_000),
            "[]".to_owned(),
            "\u{feff}{}".to_owned(),
            format!("{{\"a\":\"{}\"}}", "x".repeat(20_000)),
        ],
        // Messages that belong to nothing.
        2 => vec![
            json!({ "jsonrpc": "2.0", "id": round, "result": { "action": "accept" } }).to_string(),
            json!({
                "jsonrpc": "2.0", "method": "notifications/cancelled",
                "params": { "requestId": format!("not-{round}") }
            })
            .to_string(),
            request(json!("i".repeat(2_000)), "no/such/method", json!({})),
            json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }).to_string(),
        ],
        // Greed: unused questions and changes.
        3 => {
            let question = json!({ "message": "greedy?" });
            vec![
                client.tool(&json!(format!("q-{round}")), "test_elicitation", &question),
                client.tool(&json!(format!("c-{round}")), "test_trigger_tool_change", &json!({})),
            ]
        }
        // Slowness.
        _ => {
            tokio::time::sleep(Duration::from_millis(20)).await;
            vec![]
        }
    };
    for line in lines {
        client.send(&line).await;
    }
}

/// Four calls are open at once. Each gets one response, with its own mark.
async fn one_client(name: usize) -> Seen {
    let mut client = PipeClient::open(name % 2 == 1).await;
    let mut seen = Seen::default();
    let mut open: BTreeMap<String, Instant> = BTreeMap::new();
    let mut sent = 0;
    while sent < CALLS || !open.is_empty() {
        while sent < CALLS && open.len() < 4 {
            nuisance(&mut client, name, sent).await;
            let mark = format!("m-{name}-{sent}");
            let call = client.call(&json!(mark), &mark);
            client.send(&call).await;
            open.insert(mark, Instant::now());
            sent += 1;
        }
        let message = client.next().await;
        let Some(id) = message["id"].as_str().filter(|id| id.starts_with("m-")) else { continue };
        if message.get("method").is_some() {
            continue;
        }
        seen.calls += 1;
        match open.remove(id) {
            Some(started) if message["result"].to_string().contains(id) => {
                seen.times.push(started.elapsed());
            }
            _ => seen.wrong.push(message.to_string()),
        }
    }
    // It closes the connection with open questions, and its server ends.
    let PipeClient { mut child, input, output, .. } = client;
    drop((input, output));
    let ended = tokio::time::timeout(PATIENCE, child.wait()).await;
    if !ended.is_ok_and(|ended| ended.is_ok_and(|status| status.success())) {
        seen.wrong.push(format!("the server of {name} does not end well"));
    }
    seen
}

async fn all_of(clients: impl Iterator<Item = usize>) -> Seen {
    let mut running: JoinSet<Seen> = clients.map(one_client).collect();
    let mut all = Seen::default();
    while let Some(seen) = running.join_next().await {
        all.add(seen.expect("a client"));
    }
    all
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_hundred_clients_on_pipes() {
    server::example("conformance");
    let honest = |name: &usize| (name / 2).is_multiple_of(5);
    let mut alone = all_of((0..CLIENTS).filter(honest)).await;
    let mut all = all_of(0..CLIENTS).await;
    let [alone_line, all_line] = [alone.line("honest pipes alone"), all.line("all pipes")];
    print_uncaptured(&format!("load, 200 clients on pipes\n  {alone_line}  {all_line}"));
    alone.assert_right("honest pipes alone");
    all.assert_right("all pipes");
    assert_eq!(all.calls, CLIENTS * CALLS);
}
