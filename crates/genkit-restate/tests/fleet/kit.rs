//! The registry of these tests and the log of its effects. The tests of other engines use this file, too.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use genkit::message::ToolRequest;
use genkit::model::{self, ModelRequest, ModelResponse};
use genkit::{Context, Error, ErrorKind, Genkit, Registry, Result, Role, flow, flows, tool, tools};
use serde_json::json;

/// The time after which an operation counts as failed.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) fn append_to(path: &Path) -> fs::File {
    fs::OpenOptions::new().create(true).append(true).open(path).unwrap()
}

/// A log of events in a file, which survives crashes.
#[derive(Clone)]
pub(crate) struct Log {
    folder: PathBuf,
    name: String,
}

impl Log {
    pub(crate) fn open(folder: impl Into<PathBuf>, name: &str) -> Self {
        Self { folder: folder.into(), name: name.to_owned() }
    }

    /// Opens a gate, so that functions waiting at it continue.
    pub(crate) fn open_gate(&self, gate: &str) {
        fs::write(self.folder.join(format!("{gate}.gate")), "").unwrap();
    }

    async fn wait_at(&self, gate: &str) {
        while !self.folder.join(format!("{gate}.gate")).exists() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    pub(crate) fn write(&self, line: &str) {
        let path = self.folder.join("log.txt");
        let mut file = append_to(&path);
        file.write_all(format!("{line} @{}\n", self.name).as_bytes()).unwrap();
    }

    fn lines(&self) -> Vec<String> {
        let text = fs::read_to_string(self.folder.join("log.txt")).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    /// The names of the processes that wrote this line, one for each time.
    pub(crate) fn who(&self, line: &str) -> Vec<String> {
        let wrote = |text: &String| {
            let (said, name) = text.rsplit_once(" @")?;
            (said == line).then(|| name.to_owned())
        };
        self.lines().iter().filter_map(wrote).collect()
    }

    pub(crate) fn count(&self, line: &str) -> usize {
        self.who(line).len()
    }

    /// Waits until the log contains the line.
    pub(crate) async fn seen(&self, line: &str) {
        self.seen_times(line, 1).await;
    }

    pub(crate) async fn seen_times(&self, line: &str, times: usize) {
        let started = Instant::now();
        while self.count(line) < times {
            assert!(started.elapsed() < PATIENCE, "no `{line}` ({times}) in {:#?}", self.lines());
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
}

async fn effect(log: &Log, what: &str) -> Result<String> {
    log.write(&format!("effect {what}"));
    Ok(format!("{what} done"))
}

/// Searches for a while.
#[tool]
async fn search(log: &Log, place: String) -> String {
    log.write("search");
    tokio::time::sleep(Duration::from_millis(700)).await;
    format!("{place}: 3 flights")
}

/// Pays, and then waits at a gate.
#[tool]
async fn pay(log: &Log, ctx: &Context) -> Result<String> {
    log.write("pay begins");
    // Two calls of `once` in parallel and in varying order, which must not matter.
    let (fee, charge) =
        (ctx.once("fee", effect(log, "fee")), ctx.once("charge", effect(log, "charge")));
    match log.count("pay begins") % 2 {
        0 => drop(tokio::try_join!(charge, fee)?),
        _ => drop(tokio::try_join!(fee, charge)?),
    }
    log.write("pay has paid");
    log.wait_at("pay").await;
    ctx.once("receipt", effect(log, "receipt")).await
}

/// Books.
#[tool(needs_approval)]
async fn book(log: &Log, ctx: &Context) -> Result<String> {
    let key = ctx.idempotency_key("book").unwrap_or_default();
    log.write(&format!("key {key}"));
    ctx.once("book", effect(log, "book")).await
}

/// Sends a letter, at most once.
#[tool(at_most_once)]
async fn send_letter(log: &Log) -> &'static str {
    log.write("letter");
    log.wait_at("letter").await;
    "sent"
}

struct Ended(Log);

impl Drop for Ended {
    fn drop(&mut self) {
        self.0.write("endless ended");
    }
}

/// Never ends on its own.
#[tool(timeout = "10m")]
async fn endless(log: &Log) -> &'static str {
    log.write("endless begins");
    let _ended = Ended(log.clone());
    std::future::pending().await
}

/// Takes a note.
#[tool]
async fn note(log: &Log) -> &'static str {
    log.write("note");
    "noted"
}

/// Ends its process.
#[tool]
async fn crash(log: &Log) -> &'static str {
    log.write("crash");
    std::process::abort();
}

/// Sells something.
#[flow]
async fn sell(log: &Log, ctx: &Context, cents: u32) -> Result<String> {
    log.write("sell begins");
    ctx.once("reserve", effect(log, "reserve")).await?;
    log.wait_at("sell").await;
    ctx.confirm("Send it?").await?;
    ctx.once("ship", effect(log, "ship")).await?;
    Ok(format!("sold for {cents}"))
}

/// Fails with a temporary or a permanent error.
#[flow]
async fn fail(log: &Log, kind: String) -> Result<String> {
    log.write("fail");
    match (&*kind, log.count("fail")) {
        ("busy", 1) => {
            Err(Error::new(ErrorKind::Unavailable, "busy")
                .with_retry_after(Duration::from_millis(1)))
        }
        ("wrong", _) => Err(Error::invalid_argument("no such kind")),
        _ => Ok("went well".to_owned()),
    }
}

/// A model whose responses depend on the prompt of the test.
async fn clerk(log: Log, request: ModelRequest) -> Result<ModelResponse> {
    log.write("model");
    let rounds = request.messages.iter().filter(|message| message.role == Role::Tool).count();
    let calls = |calls: &[(&str, &str)]| {
        let call = |(id, name): &(&str, &str)| {
            let input = if *name == "search" { json!({ "place": id }) } else { json!({}) };
            ToolRequest::new(*name, input).with_id(*id)
        };
        Ok(ModelResponse::from_tool_requests(calls.iter().map(call)))
    };
    let wish = request.messages[0].text();
    match (&*wish, rounds) {
        ("trip", 0) => {
            calls(&[("s1", "search"), ("s2", "search"), ("s3", "search"), ("s4", "search")])
        }
        ("trip", 1) => calls(&[("p1", "pay")]),
        ("trip", 2) | ("book", 0) => calls(&[("b1", "book")]),
        ("long", 0..30) => calls(&[(&*format!("n{rounds}"), "note")]),
        ("crash", 0) => calls(&[("c1", "crash")]),
        ("large", _) => Ok(ModelResponse::from_text(noise(5_000_000))),
        ("letter", 0) => calls(&[("l1", "send_letter")]),
        ("endless", 0) => calls(&[("e1", "endless"), ("e2", "endless")]),
        ("wrong", _) => Err(Error::invalid_argument("the model knows no such thing")),
        ("busy", _) if log.count("model") < 3 => {
            Err(Error::new(ErrorKind::ResourceExhausted, "too many requests")
                .with_retry_after(Duration::from_millis(1500)))
        }
        _ => Ok(ModelResponse::from_text("all done")),
    }
}

/// Returns a text that can be compressed to half its size at best.
fn noise(length: usize) -> String {
    let mut state = 1_u64;
    let mut next = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        char::from(b'a' + u8::try_from(state >> 60).unwrap())
    };
    (0..length).map(|_| next()).collect()
}

/// Creates the instance that every process of a test uses.
pub(crate) fn genkit(log: &Log) -> Genkit {
    let models = log.clone();
    let model = model::from_fn("house/clerk", move |request, _| clerk(models.clone(), request));
    let registry = Registry::new().add(flows![sell, fail]);
    // The worker `poor` lacks the tool `book`.
    let registry = if log.name == "poor" { registry } else { registry.add(tools![book]) };
    Genkit::builder()
        .registry(registry.add(tools![search, pay, send_letter, endless, note, crash]))
        .state(log.clone())
        .default_model(model)
        .build()
        .unwrap()
}
