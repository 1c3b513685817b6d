//! Credential stores: storage of OAuth credentials between runs.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Map, Value};

use super::error::Error;
use genkit_core::BoxFuture;
use genkit_core::Result;
use genkit_core::internal::sync::lock;

/// The largest file of credentials that is read, in bytes. Default is 16 MiB.
const MAX_STORE: u64 = 16 * 1024 * 1024;

/// A credential store, which keeps OAuth credentials between runs.
///
/// The stored value is JSON whose format is private to this library. It contains tokens, so protect it like a password.
///
/// ```
/// use std::collections::HashMap;
/// use std::sync::Mutex;
///
/// use genkit::mcp::host::CredentialStore;
/// use genkit::{BoxFuture, Result};
/// use serde_json::Value;
///
/// #[derive(Default)]
/// struct InMemory(Mutex<HashMap<String, Value>>);
///
/// impl CredentialStore for InMemory {
///     fn load<'a>(&'a self, server: &'a str) -> BoxFuture<'a, Result<Option<Value>>> {
///         Box::pin(async move { Ok(self.0.lock().unwrap().get(server).cloned()) })
///     }
///
///     fn save<'a>(&'a self, server: &'a str, credentials: Option<Value>) -> BoxFuture<'a, Result<()>> {
///         Box::pin(async move {
///             let mut all = self.0.lock().unwrap();
///             match credentials {
///                 Some(credentials) => all.insert(server.to_owned(), credentials),
///                 None => all.remove(server),
///             };
///             Ok(())
///         })
///     }
/// }
/// ```
pub trait CredentialStore: Send + Sync + 'static {
    /// Loads the credentials stored under the server URL `server`. Returns `None` if there are none.
    fn load<'a>(&'a self, server: &'a str) -> BoxFuture<'a, Result<Option<Value>>>;

    /// Saves `credentials` under the server URL `server`. `None` removes the stored credentials.
    fn save<'a>(&'a self, server: &'a str, credentials: Option<Value>)
    -> BoxFuture<'a, Result<()>>;
}

impl<S: CredentialStore + ?Sized> CredentialStore for Arc<S> {
    fn load<'a>(&'a self, server: &'a str) -> BoxFuture<'a, Result<Option<Value>>> {
        (**self).load(server)
    }

    fn save<'a>(
        &'a self,
        server: &'a str,
        credentials: Option<Value>,
    ) -> BoxFuture<'a, Result<()>> {
        (**self).save(server, credentials)
    }
}

/// A credential store in one JSON file, readable only by its owner on Unix.
///
/// Several servers and several programs may share the file: each changes only its own entry. On Unix, a lock file next
/// to it prevents lost updates.
///
/// ```
/// use genkit::mcp::host::{FileCredentials, OAuth};
///
/// let oauth = OAuth::new().credentials(FileCredentials::new("/home/me/.config/app/mcp.json"));
/// # let _ = oauth;
/// ```
#[derive(Clone, Debug)]
pub struct FileCredentials {
    path: Arc<PathBuf>,
}

/// Serializes updates, including those of other instances with the same path.
static WRITING: Mutex<()> = Mutex::new(());

impl FileCredentials {
    /// Creates a credential store in the file at `path`. The file is created on the first save; its folder must exist.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: Arc::new(path.into()) }
    }

    async fn run_blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Path) -> io::Result<T> + Send + 'static,
    ) -> Result<T> {
        let path = Arc::clone(&self.path);
        let done = tokio::task::spawn_blocking(move || work(&path)).await;
        let done = done.map_err(Error::CredentialTask)?;
        let failed = |source| Error::CredentialFile { path: self.path.to_path_buf(), source };
        Ok(done.map_err(failed)?)
    }
}

impl CredentialStore for FileCredentials {
    fn load<'a>(&'a self, server: &'a str) -> BoxFuture<'a, Result<Option<Value>>> {
        let server = server.to_owned();
        Box::pin(self.run_blocking(move |path| Ok(read(path)?.remove(&server))))
    }

    fn save<'a>(
        &'a self,
        server: &'a str,
        credentials: Option<Value>,
    ) -> BoxFuture<'a, Result<()>> {
        let server = server.to_owned();
        Box::pin(self.run_blocking(move |path| {
            let _writing = lock(&WRITING);
            let _others = lock_file(path)?;
            let mut all = read(path)?;
            match credentials {
                Some(credentials) => all.insert(server, credentials),
                None => all.remove(&server),
            };
            write(path, &Value::Object(all))
        }))
    }
}

/// How long to wait for another program that changes the file. Default is 10 seconds.
const LOCK_TIMEOUT: Duration = Duration::from_secs(10);

/// The pause between two attempts.
const LOCK_PAUSE: Duration = Duration::from_millis(20);

/// Locks out other programs until the returned file is dropped. The file itself is replaced, so the lock is on a
/// separate file next to it. On systems without such locks, the last writer wins.
fn lock_file(path: &Path) -> io::Result<fs::File> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".lock");
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let path = path.with_file_name(name);
    // Opening a pipe would wait for a program that reads from it.
    if fs::metadata(&path).is_ok_and(|metadata| !metadata.is_file()) {
        let why = format!("{} is not a regular file; remove it", path.display());
        return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
    }
    let file = options.open(&path)?;
    #[cfg(unix)]
    {
        use rustix::fs::{FlockOperation::NonBlockingLockExclusive, flock};
        let since = Instant::now();
        while let Err(error) = flock(&file, NonBlockingLockExclusive) {
            if error != rustix::io::Errno::WOULDBLOCK {
                return Err(error.into());
            }
            if since.elapsed() > LOCK_TIMEOUT {
                let why =
                    "another program has locked the credentials for too long; stop that program";
                return Err(io::Error::new(io::ErrorKind::TimedOut, why));
            }
            std::thread::sleep(LOCK_PAUSE);
        }
    }
    Ok(file)
}

fn read(path: &Path) -> io::Result<Map<String, Value>> {
    match genkit_files::read_regular_file(path, MAX_STORE).map_err(io::Error::from) {
        Ok(text) => Ok(serde_json::from_slice(&text)?),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Map::new()),
        Err(error) => Err(error),
    }
}

/// Writes to a temporary file and renames it, so that the file is never partially written.
fn write(path: &Path, all: &Value) -> io::Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.new", std::process::id()));
    let temp_path = path.with_file_name(name);
    let mut options = fs::OpenOptions::new();
    // A symbolic link that another user placed there would redirect the write to another file.
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    // A leftover of a crash may be readable by other users.
    let _ = fs::remove_file(&temp_path);
    let mut file = options.open(&temp_path)?;
    file.write_all(&serde_json::to_vec_pretty(all)?)?;
    file.sync_all()?;
    fs::rename(&temp_path, path)
}
