//! Sessions of the older protocols that move between instances, over each store of durable runs.

mod suite;

use std::net::SocketAddr;
use std::path::PathBuf;

use genkit::durable::FolderStore;
use genkit::mcp::server::RunSessions;
use genkit::mcp::server::{SessionStore, StoredSession};
use genkit_sqlite::SqliteStore;
use tokio::runtime::Runtime;

use self::suite::server;
use crate::packages::scratch;
#[cfg(target_os = "linux")]
use crate::postgres;

/// The store of a fleet's sessions, which each instance opens itself.
enum Place {
    Folder(PathBuf),
    Sqlite(PathBuf),
    #[cfg(target_os = "linux")]
    Postgres(String),
}

impl Place {
    async fn open(&self) -> RunSessions {
        match self {
            Self::Folder(path) => RunSessions::new(FolderStore::open(path).unwrap()),
            Self::Sqlite(path) => RunSessions::new(SqliteStore::open(path).unwrap()),
            #[cfg(target_os = "linux")]
            Self::Postgres(url) => {
                RunSessions::new(genkit_postgres::PostgresStore::connect(url).await.unwrap())
            }
        }
    }
}

/// An instance of a fleet. Dropping it stops everything that it runs, immediately.
struct Instance {
    address: SocketAddr,
    runtime: Option<Runtime>,
}

impl Instance {
    fn of(place: &Place) -> Self {
        let runtime = Runtime::new().expect("a runtime");
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let sessions = runtime.block_on(place.open());
        runtime.spawn(server().session_store(sessions).listener(listener).run());
        Self { address, runtime: Some(runtime) }
    }

    fn url(&self) -> String {
        format!("http://{}/mcp", self.address)
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        self.runtime.take().expect("a runtime").shutdown_background();
    }
}

#[test]
fn sessions_move_on_a_folder() {
    suite::all(&Place::Folder(scratch("moving-folder")));
}

#[test]
fn sessions_move_on_sqlite() {
    suite::all(&Place::Sqlite(scratch("moving-sqlite").join("runs.db")));
}

#[cfg(target_os = "linux")]
#[test]
fn sessions_move_on_postgres() {
    let runtime = Runtime::new().expect("a runtime");
    let server = runtime.block_on(postgres::Server::start());
    suite::all(&Place::Postgres(server.url.clone()));
}

#[tokio::test]
async fn sessions_are_kept_for_their_time_and_swept_with_nothing_else() {
    let store = FolderStore::open(scratch("moving-kept")).unwrap();
    let stored: StoredSession = serde_json::from_str(
        r#"{"protocolVersion":"2025-11-25","capabilities":{},"level":"info","subscriptions":[],"ready":true}"#,
    )
    .unwrap();
    let time = std::time::Duration::from_millis(1500);
    let (short, long) =
        (RunSessions::new(store.clone()).retention(time), RunSessions::new(store.clone()));
    let other = genkit::durable::RunId::new("order-1").unwrap();
    let due = genkit::durable::RunChange::new(genkit::durable::RunStatus::Working, "{}");
    genkit::durable::RunStore::create(&store, &other, &due).await.unwrap();
    short.save("one", stored.clone()).await.unwrap();
    short.save("two", stored.clone()).await.unwrap();
    long.save("three", stored.clone()).await.unwrap();
    assert_eq!(short.load("one").await.unwrap(), Some(stored.clone()));
    // Loading it in time extends its lifetime.
    tokio::time::sleep(time * 2 / 3).await;
    assert!(short.load("two").await.unwrap().is_some());
    tokio::time::sleep(time * 2 / 3).await;
    assert!(short.load("one").await.unwrap().is_none(), "its time is over");
    short.sweep().await.unwrap();
    assert!(short.load("two").await.unwrap().is_some());
    assert!(long.load("three").await.unwrap().is_some());
    let left = genkit::durable::RunStore::due(&store, 10).await.unwrap();
    assert_eq!(left, [other], "other runs are kept");
    long.delete("three").await.unwrap();
    long.delete("three").await.unwrap();
    assert!(long.load("three").await.unwrap().is_none());
}
