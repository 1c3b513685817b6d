//! Credential stores: where access is stored between runs.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use serde_json::{Map, Value};

use super::error::Error;
use genkit_core::BoxFuture;
use genkit_core::Result;
use genkit_core::internal::sync::lock;

/// Credential store: keeps what OAuth was given, between runs.
///
/// It is JSON for this library alone and holds tokens, so store it where keys are stored.
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
    /// Loads what is stored for the server at this address, if anything is.
    fn load<'a>(&'a self, server: &'a str) -> BoxFuture<'a, Result<Option<Value>>>;

    /// Saves `credentials` for the server at this address; `None` removes them.
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

/// Credential store in one JSON file, which on Unix only its owner can read.
///
/// Several servers may share it, also of several programs: each writes its own and keeps what others wrote
/// (on Unix, by a lock on a file beside it).
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

/// Read, change and write are one step, also for two values of one path.
static WRITING: Mutex<()> = Mutex::new(());

impl FileCredentials {
    /// Credential store in the file at `path`, which is made when there is something to store; its
    /// folder must be there.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: Arc::new(path.into()) }
    }

    async fn blocking<T: Send + 'static>(
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
        Box::pin(self.blocking(move |path| Ok(read(path)?.remove(&server))))
    }

    fn save<'a>(
        &'a self,
        server: &'a str,
        credentials: Option<Value>,
    ) -> BoxFuture<'a, Result<()>> {
        let server = server.to_owned();
        Box::pin(self.blocking(move |path| {
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

/// Keeps other programs from writing until it is dropped. The file itself is replaced, so that the lock is
/// on one beside it; where the system has no such locks, the later of two programs wins.
fn lock_file(path: &Path) -> io::Result<fs::File> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".lock");
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path.with_file_name(name))?;
    #[cfg(unix)]
    rustix::fs::flock(&file, rustix::fs::FlockOperation::LockExclusive)?;
    Ok(file)
}

fn read(path: &Path) -> io::Result<Map<String, Value>> {
    match fs::read(path) {
        Ok(text) => Ok(serde_json::from_slice(&text)?),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Map::new()),
        Err(error) => Err(error),
    }
}

/// Writes beside the file and moves it there, so that it is never half written.
fn write(path: &Path, all: &Value) -> io::Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.new", std::process::id()));
    let beside = path.with_file_name(name);
    let mut options = fs::OpenOptions::new();
    // Through a link that somebody put there another file would be written.
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    // What a crash left there may be readable by others.
    let _ = fs::remove_file(&beside);
    let mut file = options.open(&beside)?;
    file.write_all(&serde_json::to_vec_pretty(all)?)?;
    file.sync_all()?;
    fs::rename(&beside, path)
}
