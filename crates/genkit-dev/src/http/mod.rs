//! Protocol version 1: a server on loopback, and a file that contains its address for the CLI.

mod guard;
mod project_root;
mod routes;
mod run_body;
mod runtime_file;

use std::net::{Ipv4Addr, SocketAddr};
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use self::project_root::project_root;
use self::routes::ReflectionServer;
use self::runtime_file::RuntimeFile;
use super::actions::ActionsByKey;
use super::environment::DevEnvironment;
use super::error::Error as E;
use genkit_http_server::internal::{
    BodyBudget, BoundListener, Drain, FairLimit, GRACE, HttpServing,
};

/// The ports to try if no port is configured: the first free port is used, or else any free port.
const PORTS: RangeInclusive<u16> = 3100..=3200;

/// The time that the program waits for a request from the CLI before it announces itself again. Default is 2
/// seconds.
const ANNOUNCE_AFTER: Duration = Duration::from_secs(2);

/// The maximum number of times that the file is rewritten. Default is 5.
const ANNOUNCEMENTS: usize = 5;

/// Listens, announces the server to the CLI, and handles requests until the program ends.
pub(super) async fn serve_http(
    environment: &DevEnvironment,
    actions: &ActionsByKey,
) -> Result<(), E> {
    let failed = |port| move |source| E::Listen { port, source };
    let listener = bind_listener(environment.parse_port()?).await?;
    let address = listener.local_addr().map_err(failed(0))?;
    let id = environment.runtime_id.clone();
    let id = id.unwrap_or_else(|| format!("{}-{}", std::process::id(), address.port()));
    let server = Arc::new(ReflectionServer {
        actions: actions.clone(),
        id: id.clone(),
        takes_telemetry: !environment.has_telemetry_server,
        found: watch::Sender::new(false),
        room: BodyBudget::new(routes::MAX_BODY),
        memory: FairLimit::for_memory(routes::MAX_BODY),
    });
    let found = server.found.subscribe();
    let answer = move |request: Request| {
        let server = Arc::clone(&server);
        async move { server.handle_request(request).await }
    };
    let serving = HttpServing {
        listener: BoundListener::Tcp(listener, address),
        acceptor: None,
        stop: CancellationToken::new(),
        drain: Drain::default(),
        grace: GRACE,
        end: CancellationToken::new(),
    };
    let current = std::env::current_dir()
        .map_err(|source| E::RuntimeFile { path: ".genkit/runtimes".to_owned(), source })?;
    let root = project_root(&current);
    let write = move || write_file(root.clone(), id.clone(), address);
    let file = write().await?;
    tracing::info!("this program is available to Genkit's developer tools at http://{address}");
    tokio::select! {
        _ = serving.run(Router::new().fallback(answer)) => Ok(()),
        error = keep_announced(file, found, write) => Err(error),
    }
}

/// Writes the file on a blocking thread, because disks and the programs to check can be slow.
async fn write_file(root: PathBuf, id: String, address: SocketAddr) -> Result<RuntimeFile, E> {
    let path = root.join(".genkit/runtimes").display().to_string();
    let written = tokio::task::spawn_blocking(move || RuntimeFile::write(&root, &id, address));
    written
        .await
        .unwrap_or_else(|lost| Err(E::RuntimeFile { path, source: std::io::Error::other(lost) }))
}

/// Keeps the file. The CLI can miss a file that is written while the CLI itself is starting, for example by a
/// program that starts within milliseconds. Therefore the file is rewritten a few times until the CLI sends a
/// health check.
async fn keep_announced(
    mut file: RuntimeFile,
    mut found: watch::Receiver<bool>,
    write: impl AsyncFn() -> Result<RuntimeFile, E>,
) -> E {
    for _ in 0..ANNOUNCEMENTS {
        if tokio::time::timeout(ANNOUNCE_AFTER, found.wait_for(|found| *found)).await.is_ok() {
            break;
        }
        drop(file);
        file = match write().await {
            Ok(file) => file,
            Err(error) => return error,
        };
    }
    let _file = file;
    std::future::pending().await
}

async fn bind_listener(port: Option<u16>) -> Result<TcpListener, E> {
    let bind = async |port| {
        let bound = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await;
        bound.map_err(|source| E::Listen { port, source })
    };
    if let Some(port) = port {
        return bind(port).await;
    }
    for port in PORTS {
        if let Ok(listener) = bind(port).await {
            return Ok(listener);
        }
    }
    bind(0).await
}

/// Creates an empty folder for a test.
#[cfg(test)]
fn create_test_folder(test: &str) -> std::path::PathBuf {
    let folder = std::env::temp_dir().join(format!("genkit-dev-{test}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

#[cfg(test)]
mod tests;
