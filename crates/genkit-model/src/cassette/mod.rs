//! Cassette: exchanges with a provider, recorded to a file and replayed, so that a test can run without it.

mod error;
mod file;
mod nearest;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use crate::http::{Interception, Interceptor, Observer, OutgoingCall, Secrets, StoredResponse};
use error::Error as E;
use file::{CassetteFile, Exchange, RecordedRequest, RecordedResponse};
use genkit_core::internal::sync::lock;
use genkit_core::{ErrorContext as _, Result};

/// Cassette: the answers of a provider, recorded once and replayed in tests.
///
/// A recording holds each request's method, path and body and the answer's status, body and what
/// matters of its headers. Keys are never in it: headers that carry them are left out, and a key
/// within a body is replaced.
///
/// A replay answers a request that is the same: method, path and body, where the order of keys
/// does not count. Several answers to one request come in the order in which they were recorded.
/// Another request is an error that shows how it differs from the nearest one.
///
/// ```
/// use genkit::model::Cassette;
///
/// # fn main() -> genkit::Result<()> {
/// # let dir = std::env::temp_dir().join("genkit-cassette-doc");
/// # std::fs::create_dir_all(&dir).unwrap();
/// # let path = dir.join("weather.json");
/// # std::fs::write(&path, r#"{"version": 1, "exchanges": []}"#).unwrap();
/// // Records where the file is not there, and replays it ever after.
/// let cassette = Cassette::auto(path)?;
/// # #[cfg(feature = "gemini")]
/// let gemini = genkit::model::Gemini::builder().cassette(cassette).build()?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Cassette(Arc<CassetteState>);

struct CassetteState {
    path: PathBuf,
    mode: CassetteMode,
}

enum CassetteMode {
    /// One place for each request, in the order of the calls; empty until its response is whole.
    Record(Mutex<Vec<Option<Exchange>>>),
    Replay(Mutex<Vec<Replayable>>),
}

/// One recorded exchange.
struct Replayable {
    exchange: Exchange,
    is_used: bool,
}

impl Cassette {
    /// Recording cassette: passes calls through and writes them to the file, in place of what it
    /// held. The file is written after each answer.
    ///
    /// ```no_run
    /// let cassette = genkit::model::Cassette::record("tests/cassettes/weather.json");
    /// ```
    pub fn record(path: impl Into<PathBuf>) -> Self {
        Self::new(path.into(), CassetteMode::Record(Mutex::default()))
    }

    /// Replaying cassette: answers calls from the file; nothing is sent.
    ///
    /// ```
    /// let missing = genkit::model::Cassette::replay("no/such/file.json");
    /// assert!(missing.is_err());
    /// ```
    ///
    /// # Errors
    /// The file is not there or is no cassette.
    pub fn replay(path: impl Into<PathBuf>) -> Result<Self> {
        let path = path.into();
        let text = std::fs::read(&path).context(format!("cannot read {}", path.display()))?;
        let file: CassetteFile =
            serde_json::from_slice(&text).context(format!("{} is no cassette", path.display()))?;
        file.check(&path)?;
        let unused = |exchange| Replayable { exchange, is_used: false };
        let exchanges = file.exchanges.into_iter().map(unused).collect();
        Ok(Self::new(path, CassetteMode::Replay(Mutex::new(exchanges))))
    }

    /// Cassette that replays the file if it is there, else records it.
    ///
    /// ```no_run
    /// # fn main() -> genkit::Result<()> {
    /// let cassette = genkit::model::Cassette::auto("tests/cassettes/weather.json")?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`replay`](Self::replay), if the file is there.
    pub fn auto(path: impl Into<PathBuf>) -> Result<Self> {
        let path = path.into();
        if path.exists() { Self::replay(path) } else { Ok(Self::record(path)) }
    }

    fn new(path: PathBuf, mode: CassetteMode) -> Self {
        Self(Arc::new(CassetteState { path, mode }))
    }

    /// What the endpoint of a provider plugs in.
    pub fn interceptor(&self) -> Arc<dyn Interceptor> {
        Arc::new(self.clone())
    }

    /// The response to a request that was recorded.
    fn replay_response(
        &self,
        exchanges: &mut [Replayable],
        request: &RecordedRequest,
    ) -> Result<StoredResponse> {
        let path = || self.0.path.clone();
        let mut same: Vec<_> =
            exchanges.iter_mut().filter(|it| it.exchange.request == *request).collect();
        if let Some(next) = same.iter_mut().find(|it| !it.is_used) {
            next.is_used = true;
            return next.exchange.response.stored();
        }
        let times = same.len();
        if times > 0 {
            return Err(E::UsedUp { path: path(), times }.into());
        }
        let recorded: Vec<_> = exchanges.iter().map(|it| &it.exchange.request).collect();
        let difference = nearest::describe(request, &recorded);
        Err(E::NotRecorded { path: path(), difference }.into())
    }

    fn store(&self, place: usize, exchange: Exchange) -> Result<()> {
        let CassetteMode::Record(places) = &self.0.mode else {
            return Ok(());
        };
        let mut places = lock(places);
        if let Some(free) = places.get_mut(place) {
            *free = Some(exchange);
        }
        // Written under the lock, so that an older state never comes last.
        write(&self.0.path, &CassetteFile::text_of(places.iter().flatten())?)
    }
}

impl Interceptor for Cassette {
    fn is_offline(&self) -> bool {
        matches!(self.0.mode, CassetteMode::Replay(_))
    }

    fn intercept(&self, call: OutgoingCall<'_>) -> Result<Interception> {
        let OutgoingCall { path, body, secrets } = call;
        let request = RecordedRequest::new(path, body, &secrets);
        match &self.0.mode {
            CassetteMode::Replay(exchanges) => {
                self.replay_response(&mut lock(exchanges), &request).map(Interception::Respond)
            }
            CassetteMode::Record(places) => {
                let mut places = lock(places);
                places.push(None);
                let (cassette, place) = (self.clone(), places.len() - 1);
                let response = StoredResponse::default();
                let recording = CassetteRecording { cassette, place, request, secrets, response };
                Ok(Interception::Observe(Box::new(recording)))
            }
        }
    }
}

impl std::fmt::Debug for Cassette {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Cassette")
            .field("path", &self.0.path)
            .field("replay", &self.is_offline())
            .finish()
    }
}

/// Whole or not at all: a test that is stopped leaves no half of a file.
fn write(path: &Path, text: &str) -> Result<()> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder).context(format!("cannot make {}", folder.display()))?;
    }
    let mut aside = path.as_os_str().to_owned();
    aside.push(".new");
    std::fs::write(&aside, text)
        .and_then(|()| std::fs::rename(&aside, path))
        .context(format!("cannot write the cassette {}", path.display()))
}

/// A call that is being recorded. One that breaks off is not stored.
struct CassetteRecording {
    cassette: Cassette,
    place: usize,
    request: RecordedRequest,
    secrets: Secrets,
    response: StoredResponse,
}

impl Observer for CassetteRecording {
    fn begin(&mut self, status: u16, header: &dyn Fn(&str) -> Option<String>) {
        self.response = StoredResponse { status, headers: file::headers(header), body: Vec::new() };
    }

    fn receive(&mut self, piece: &[u8]) {
        self.response.body.extend_from_slice(piece);
    }

    fn finish(self: Box<Self>) -> Result<()> {
        let response = RecordedResponse::new(self.response, &self.secrets);
        self.cassette.store(self.place, Exchange { request: self.request, response })
    }
}

#[cfg(test)]
mod tests;
