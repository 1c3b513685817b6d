//! A run in progress when another server becomes the primary, with two servers that replicate.

use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use genkit::durable::{FlowOutcome, RunId, RunStatus, RunStore};
use genkit::{Context, Error, Genkit, Registry, Result, flow, flows};
use genkit_postgres::PostgresStore;
use genkit_postgres::tokio_postgres::{Client, NoTls, connect};
use serde_json::json;
use tokio::sync::Semaphore;

use super::server::{Server, create_database};

/// The time limit of a test.
const PATIENCE: Duration = Duration::from_secs(180);

/// How the primary ends.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Ends {
    Killed,
    /// It refuses changes, and its connections stay open.
    ReadOnly,
}

/// A primary and a standby, which confirms each commit.
struct Servers {
    primary: Server,
    standby: Server,
}

async fn admin(url: &str) -> Client {
    loop {
        if let Ok((client, connection)) = connect(url, NoTls).await {
            tokio::spawn(connection);
            return client;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Waits until a query returns this text.
async fn wait_for(client: &Client, query: &str, expected: &str) {
    loop {
        let row = client.query_opt(query, &[]).await.unwrap();
        if row.is_some_and(|row| row.get::<_, String>(0) == expected) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

fn port(server: &Server) -> &str {
    let (_, address) = server.url.split_once("@127.0.0.1:").unwrap();
    address.split_once('/').unwrap().0
}

impl Servers {
    async fn start() -> Self {
        let (first, second) = (create_database(), create_database());
        // The standby starts as a copy of the primary.
        std::fs::remove_dir_all(second.join("data")).unwrap();
        let copy =
            Command::new("cp").arg("-a").args([first.join("data"), second.join("data")]).status();
        assert!(copy.unwrap().success());
        std::fs::write(second.join("data/standby.signal"), "").unwrap();
        let primary = Server::spawn(first, &[]);
        let source = format!("primary_conninfo=host=127.0.0.1 port={} user=genkit", port(&primary));
        let standby = Server::spawn(second, &[source]);
        let client = admin(&primary.url).await;
        wait_for(&client, "SELECT state FROM pg_stat_replication", "streaming").await;
        client.batch_execute("ALTER SYSTEM SET synchronous_standby_names = '*'").await.unwrap();
        client.batch_execute("SELECT pg_reload_conf()").await.unwrap();
        wait_for(&client, "SELECT sync_state FROM pg_stat_replication", "sync").await;
        Self { primary, standby }
    }

    /// Returns the URL with both servers.
    fn url(&self) -> String {
        let (first, second) = (port(&self.primary), port(&self.standby));
        format!("postgres://genkit@127.0.0.1:{first},127.0.0.1:{second}/postgres")
    }

    async fn end_primary(&mut self, how: Ends) {
        if how == Ends::Killed {
            let (child, _) = self.primary.own.as_mut().unwrap();
            child.kill().unwrap();
            child.wait().unwrap();
            return;
        }
        let (client, other) = (admin(&self.primary.url).await, self.primary.url.clone());
        let other = PostgresStore::connect(&other).await.unwrap();
        client.batch_execute("ALTER SYSTEM SET default_transaction_read_only = on").await.unwrap();
        client.batch_execute("SELECT pg_reload_conf()").await.unwrap();
        let unknown = RunId::new("unknown").unwrap();
        while other.release(&unknown, "test").await.is_ok() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    async fn promote_standby(&self) {
        let promoted = admin(&self.standby.url).await.query_one("SELECT pg_promote()", &[]).await;
        assert!(promoted.unwrap().get::<_, bool>(0));
    }
}

#[derive(Clone)]
struct World {
    effects: Arc<Mutex<Vec<&'static str>>>,
    /// The second effect waits here.
    gate: Arc<Semaphore>,
}

/// Pays twice.
#[flow]
async fn pay_twice(world: &World, ctx: &Context) -> Result<&'static str> {
    let act = async |what| {
        world.effects.lock().unwrap().push(what);
        Ok::<_, Error>(())
    };
    ctx.once("first", act("first")).await?;
    let second = async {
        act("second").await?;
        world.gate.acquire().await.unwrap().forget();
        Ok::<_, Error>(())
    };
    ctx.once("second", second).await?;
    ctx.once("third", act("third")).await?;
    Ok("paid")
}

/// The result of the second effect is in memory only when the primary ends.
async fn run_continues(how: Ends) {
    let mut servers = Servers::start().await;
    let store = PostgresStore::connect(&servers.url()).await.unwrap();
    let world = World { effects: Arc::default(), gate: Arc::new(Semaphore::new(0)) };
    let genkit = Genkit::builder()
        .registry(Registry::new().add(flows![pay_twice]))
        .state(world.clone())
        .durable(store.clone())
        .build()
        .unwrap();
    let run = genkit.durable_flow("r", "pay_twice", json!({})).await.unwrap();
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let worker = genkit.work().poll(Duration::from_millis(20)).until(async { drop(stopped.await) });
    let worker = tokio::spawn(worker.run());
    let effects = || world.effects.lock().unwrap().clone();
    while effects().len() < 2 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    servers.end_primary(how).await;
    world.gate.add_permits(1);
    servers.promote_standby().await;

    let there = PostgresStore::connect(&servers.standby.url).await.unwrap();
    let id = RunId::new("r").unwrap();
    while there.peek(&id).await.unwrap().unwrap().status == RunStatus::Working {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    stop.send(()).unwrap();
    worker.await.unwrap().unwrap();
    assert_eq!(run.wait().await.unwrap(), FlowOutcome::Returned(json!("paid")), "{how:?}");
    assert_eq!(effects(), ["first", "second", "third"], "{how:?}");
    // A change by a handle whose connection was not used since then.
    assert!(run.delete().await.unwrap());
    assert!(there.peek(&id).await.unwrap().is_none(), "{how:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn run_continues_on_the_standby_after_the_primary_was_killed() {
    tokio::time::timeout(PATIENCE, run_continues(Ends::Killed)).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn run_continues_on_the_standby_after_the_primary_became_read_only() {
    tokio::time::timeout(PATIENCE, run_continues(Ends::ReadOnly)).await.unwrap();
}
