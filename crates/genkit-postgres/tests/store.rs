//! Tests of the store with a real server: the server at `GENKIT_POSTGRES_URL`, or a server from npm that the tests
//! start.

#![cfg(target_os = "linux")] // the server package is only available for Linux
#![allow(clippy::unwrap_used, reason = "panics report the location")]

#[path = "store/failover.rs"]
mod failover;
mod server;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use genkit::durable::{RunChange, RunId, RunStatus, RunStore};
use genkit::message::ToolRequest;
use genkit::model::{self, ModelResponse};
use genkit::testing::check_run_store;
use genkit::{Context, ErrorKind, Genkit, Registry, Result, Role, tool, tools};
use genkit_postgres::PostgresStore;
use genkit_postgres::tokio_postgres::{self, Config, NoTls};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use self::server::Server;

fn id(name: &str) -> RunId {
    RunId::new(format!("{name}-{}", std::process::id())).unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn store_passes_check_run_store_and_reconnects() {
    let server = Server::start().await;
    // Several stores that connect at the same time create the tables once.
    let name = format!("genkit-test-{}", std::process::id());
    let mut config: Config = server.url.parse().unwrap();
    config.application_name(&name);
    let opened: Vec<_> =
        (0..4).map(|_| tokio::spawn(PostgresStore::connect_with(config.clone(), NoTls))).collect();
    let mut stores = Vec::new();
    for store in opened {
        stores.push(store.await.unwrap().unwrap());
    }
    check_run_store(stores[0].clone()).await.unwrap();

    let run = id("again");
    let first = RunChange::new(RunStatus::Working, "1");
    assert!(stores[1].create(&run, &first).await.unwrap());
    stores[2].lease(&run, "a", Duration::from_secs(60)).await.unwrap().unwrap();
    assert!(stores[3].lease(&run, "b", Duration::from_secs(60)).await.unwrap().is_none());
    // An administrator closes all connections of this store.
    let (admin, connection) = tokio_postgres::connect(&server.url, NoTls).await.unwrap();
    let connection = tokio::spawn(connection);
    let all = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1";
    assert_eq!(admin.query(all, &[&name]).await.unwrap().len(), stores.len());
    // A read is repeated on a new connection, so its caller does not notice.
    let stored = stores[1].load(&run).await.unwrap().unwrap();
    assert_eq!((stored.at.revision, stored.head.as_str()), (1, "1"));
    assert!(stores[1].delete(&run).await.unwrap());
    drop(admin);
    connection.abort();

    let error = PostgresStore::connect("postgres://genkit:s3cret@127.0.0.1:1/x").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    assert!(!error.chain().contains("s3cret"), "{}", error.chain());
    let error = PostgresStore::connect("postgres://h:s3cret@x:y/z").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    assert!(!error.chain().contains("s3cret"), "{}", error.chain());
}

/// How the open connections of a proxy fail.
#[derive(Clone, Copy, PartialEq)]
enum Fails {
    /// They discard all data.
    Silently,
    /// They close when the client sends something.
    Closed,
}

/// A proxy between the store and the server. Once `failing` is set, open connections fail, and new connections work.
async fn failing_proxy(port: u16, failing: Arc<AtomicBool>, fails: Fails) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let own = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((client, _)) = listener.accept().await {
            let is_later = failing.load(Ordering::SeqCst);
            let server = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
            let (from_client, to_client) = client.into_split();
            let (from_server, to_server) = server.into_split();
            for (mut from, mut to) in [(from_client, to_server), (from_server, to_client)] {
                let failing = Arc::clone(&failing);
                tokio::spawn(async move {
                    let mut buffer = vec![0; 1 << 16];
                    while let Ok(read @ 1..) = from.read(&mut buffer).await {
                        if is_later || !failing.load(Ordering::SeqCst) {
                            to.write_all(&buffer[..read]).await.unwrap();
                        } else if fails == Fails::Closed {
                            return;
                        }
                    }
                });
            }
        }
    });
    own
}

/// Returns a store that connects through a proxy, and the flag that lets its connections fail.
async fn store_with_proxy(server: &Server, fails: Fails) -> (PostgresStore, Arc<AtomicBool>) {
    let config: Config = server.url.parse().unwrap();
    let port = config.get_ports().first().copied().unwrap_or(5432);
    let failing = Arc::new(AtomicBool::new(false));
    let proxy = failing_proxy(port, Arc::clone(&failing), fails).await;
    let url = server.url.replace(&format!(":{port}"), &format!(":{proxy}"));
    let limit = Duration::from_millis(500);
    (PostgresStore::connect_for_test(url.parse().unwrap(), limit).await.unwrap(), failing)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn silent_connection_is_replaced() {
    let server = Server::start().await;
    let (store, silent) = store_with_proxy(&server, Fails::Silently).await;
    let run = id("silent");
    assert!(store.create(&run, &RunChange::new(RunStatus::Working, "1")).await.unwrap());
    silent.store(true, Ordering::SeqCst);
    let error = store.peek(&run).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}");
    assert_eq!(store.peek(&run).await.unwrap().unwrap().revision, 1);
    assert!(store.delete(&run).await.unwrap());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn connection_that_breaks_during_a_read_is_replaced_without_an_error() {
    let server = Server::start().await;
    let (store, closing) = store_with_proxy(&server, Fails::Closed).await;
    let run = id("closed");
    assert!(store.create(&run, &RunChange::new(RunStatus::Working, "1")).await.unwrap());
    closing.store(true, Ordering::SeqCst);
    assert_eq!(store.peek(&run).await.unwrap().unwrap().revision, 1);
    assert!(store.delete(&run).await.unwrap());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn host_that_never_responds_does_not_hide_the_next_one() {
    let server = Server::start().await;
    // Connections are accepted by the system, and nothing reads from them.
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = silent.local_addr().unwrap().port();
    let url = server.url.replacen("@", &format!("@127.0.0.1:{port},"), 1);
    let mut config: Config = url.parse().unwrap();
    config.connect_timeout(Duration::from_millis(200));
    let store = PostgresStore::connect_with(config, NoTls).await.unwrap();
    assert!(store.peek(&id("unknown")).await.unwrap().is_none());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn tables_of_the_first_version_are_extended() {
    let server = Server::start().await;
    let (admin, connection) = tokio_postgres::connect(&server.url, NoTls).await.unwrap();
    tokio::spawn(connection);
    let first = PostgresStore::connect(&server.url).await.unwrap();
    let run = id("extended");
    first.create(&run, &RunChange::new(RunStatus::Working, "1")).await.unwrap();
    if std::env::var("GENKIT_POSTGRES_URL").is_ok() {
        // Do not change a server that other programs may use.
        first.delete(&run).await.unwrap();
        return;
    }
    let drop = ["incarnation", "name", "tags", "error", "created_at", "updated_at"]
        .map(|name| format!("DROP COLUMN {name}"));
    let drop = format!("ALTER TABLE genkit_runs {}", drop.join(", "));
    admin.batch_execute(&drop).await.unwrap();
    let store = PostgresStore::connect(&server.url).await.unwrap();
    let head = store.peek(&run).await.unwrap().unwrap();
    assert_eq!((head.revision, head.incarnation), (1, 0));
    let change = RunChange::new(RunStatus::Completed, "2").with_incarnation(0);
    assert_eq!(store.save(&run, 1, &change).await.unwrap(), Some(2));
}

/// Pays.
#[tool]
async fn pay(ctx: &Context) -> Result<Option<String>> {
    let key = ctx.idempotency_key("charge");
    ctx.once("charge", async { Ok::<_, genkit::Error>(key) }).await
}

/// Tells.
#[tool(needs_approval)]
async fn tell() -> &'static str {
    "told"
}

fn process(store: PostgresStore) -> Genkit {
    let model = model::from_fn("house/clerk", |request, _| {
        let rounds = request.messages.iter().filter(|message| message.role == Role::Tool).count();
        let call = |id: &str, name: &str| ToolRequest::new(name, json!({})).with_id(id);
        let answer = match rounds {
            0 => ModelResponse::from_tool_requests([call("c1", "pay"), call("c2", "tell")]),
            _ => ModelResponse::from_text("all done"),
        };
        async move { answer }
    });
    let genkit = Genkit::builder().registry(Registry::new().add(tools![pay, tell]));
    genkit.default_model(model).durable(store).build().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn run_is_answered_on_one_machine_and_resumes_on_another() {
    let server = Server::start().await;
    let (here, there) = (
        process(PostgresStore::connect(&server.url).await.unwrap()),
        process(PostgresStore::connect(&server.url).await.unwrap()),
    );
    let name = id("order").to_string();
    let ask = genkit::generate("Pay and tell.").tools(["pay", "tell"]);
    let run = here.durable_run(&*name, ask).await.unwrap();
    let worker = tokio::spawn(there.work().poll(Duration::from_millis(20)).run());
    assert!(run.wait().await.unwrap().is_interrupted());
    let elsewhere = there.find_durable_run(&*name).await.unwrap().unwrap();
    elsewhere.answer("c2", true).await.unwrap();
    let response = run.wait().await.unwrap();
    assert_eq!(response.text(), "all done");
    let outputs: Vec<_> = response
        .messages()
        .iter()
        .flat_map(|message| &message.content)
        .filter_map(|part| part.as_tool_response().map(|answer| answer.output.clone()))
        .collect();
    assert_eq!(outputs, [json!(format!("{name}/1/0/charge")), json!("told")]);
    worker.abort();
    assert!(run.delete().await.unwrap());
}
