//! Workers: this test program started again, and the registry that it shares with the tests.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use genkit::message::ToolRequest;
use genkit::model::{self, ModelRequest, ModelResponse};
use genkit::{Context, Error, ErrorKind, Genkit, Registry, Result, Role, flow, flows, tool, tools};
use genkit_restate::{RestateAdmin, RestateClient, RestateWorker};
use serde_json::json;
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};

use crate::server::{PATIENCE, Server, free_port, root};

/// Set in a process that runs as a worker: its name, its port, the step timeout and the folder of the test.
const WORKER: &str = "GENKIT_FLEET_WORKER";

/// The test that runs as a worker when started again.
const ENTRY: &str = "experiment_kills_at_each_point_and_every_effect_is_there_once";

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

    /// Returns the names of the processes that wrote this line, once for each time that it was written.
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
    // Two calls to `once` in parallel and in varying order, which must not matter.
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

/// Creates the instance that every process of a test uses.
pub(crate) fn genkit(log: &Log) -> Genkit {
    let models = log.clone();
    let model = model::from_fn("house/clerk", move |request, _| clerk(models.clone(), request));
    Genkit::builder()
        .registry(
            Registry::new()
                .add(tools![search, pay, book, send_letter, endless])
                .add(flows![sell, fail]),
        )
        .state(log.clone())
        .default_model(model)
        .build()
        .unwrap()
}

/// Runs this process as a worker until it is killed, if it was started as one. Never returns `true`.
pub(crate) async fn is_worker() -> bool {
    let Ok(said) = std::env::var(WORKER) else { return false };
    let parts: Vec<&str> = said.splitn(4, ',').collect();
    let [name, port, longest, folder] = parts[..] else { panic!("{said}") };
    let log = Log { folder: folder.into(), name: name.to_owned() };
    let worker = RestateWorker::new(&genkit(&log));
    let worker = match longest.parse().unwrap() {
        0 => worker,
        millis => worker.longest_step(Duration::from_millis(millis)),
    };
    worker.serve(&format!("127.0.0.1:{port}")).await.unwrap();
    true
}

/// Workers behind a load balancer.
pub(crate) struct Fleet {
    pub(crate) log: Log,
    pub(crate) genkit: Genkit,
    folder: PathBuf,
    workers: Vec<(String, u16, Option<Child>)>,
    longest: u64,
    address: String,
    balancer: tokio::task::JoinHandle<()>,
}

impl Fleet {
    /// Starts workers with these names and registers them. `longest` is the step timeout in milliseconds, or 0 for the
    /// default.
    pub(crate) async fn start(server: &Server, names: &[&str], longest: u64) -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let count = COUNT.fetch_add(1, Ordering::SeqCst);
        let folder = root().join(format!("fleet-{}-{count}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let log = Log { folder: folder.clone(), name: "test".to_owned() };
        let workers: Vec<_> =
            names.iter().map(|name| ((*name).to_owned(), free_port(), None)).collect();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let ports = workers.iter().map(|(_, port, _)| *port).collect();
        let balancer = tokio::spawn(balance(listener, ports));
        let genkit = genkit(&log);
        let mut fleet = Self { log, genkit, folder, workers, longest, address, balancer };
        for name in names {
            fleet.revive(name);
        }
        fleet.register(server).await;
        fleet
    }

    /// Registers the workers at the server, once they respond.
    pub(crate) async fn register(&self, server: &Server) {
        let admin = RestateAdmin::new(&server.admin()).unwrap();
        let started = Instant::now();
        while let Err(error) = admin.register(&self.address).await {
            assert!(started.elapsed() < PATIENCE, "{error}\n{}", server.log());
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    pub(crate) fn client(&self, server: &Server) -> RestateClient {
        RestateClient::new(&self.genkit, &server.ingress()).unwrap()
    }

    /// Kills the worker with `kill -9`.
    pub(crate) fn kill(&mut self, name: &str) {
        let worker = self.workers.iter_mut().find(|(known, ..)| known == name).unwrap();
        let mut child = worker.2.take().unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
    }

    /// Starts the worker with this name.
    pub(crate) fn revive(&mut self, name: &str) {
        let (longest, folder) = (self.longest, self.folder.display().to_string());
        let worker = self.workers.iter_mut().find(|(known, ..)| known == name).unwrap();
        let log = append_to(&Path::new(&folder).join(format!("{name}.txt")));
        let child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", ENTRY, "--nocapture"])
            .env(WORKER, format!("{name},{},{longest},{folder}", worker.1))
            .stdin(Stdio::null())
            .stdout(log.try_clone().unwrap())
            .stderr(log)
            .spawn()
            .unwrap();
        worker.2 = Some(child);
    }
}

impl Drop for Fleet {
    fn drop(&mut self) {
        self.balancer.abort();
        for (_, _, child) in &mut self.workers {
            if let Some(mut child) = child.take() {
                child.kill().ok();
                child.wait().ok();
            }
        }
        if !std::thread::panicking() {
            fs::remove_dir_all(&self.folder).ok();
        }
    }
}

/// Forwards each connection to the next worker that accepts it, like a load balancer.
async fn balance(listener: TcpListener, ports: Vec<u16>) {
    let next = Mutex::new(0);
    loop {
        let Ok((mut client, _)) = listener.accept().await else { return };
        let first = {
            let mut next = next.lock().unwrap();
            *next += 1;
            *next
        };
        let ports = ports.clone();
        tokio::spawn(async move {
            for at in 0..ports.len() {
                let port = ports[(first + at) % ports.len()];
                if let Ok(mut worker) = TcpStream::connect(("127.0.0.1", port)).await {
                    let _ = copy_bidirectional(&mut client, &mut worker).await;
                    return;
                }
            }
        });
    }
}
