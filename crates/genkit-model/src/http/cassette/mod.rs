//! Cassettes: recorded exchanges with a provider, replayed so that tests run without the provider.

mod error;
mod file;
mod nearest;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use crate::http::{Interception, Interceptor, Observer, OutgoingCall, Secrets, StoredResponse};
use crate::wire::HeaderLookup;
use error::Error as E;
use file::{CassetteFile, Exchange, RecordedRequest, RecordedResponse};
use genkit_core::internal::sync::lock;
use genkit_core::{ErrorContext as _, Result};
use genkit_schema::internal::bounded_json::parse_response;

/// The maximum size of a cassette, in bytes. Default is 256 MiB.
const MAX_CASSETTE: u64 = 256 * 1024 * 1024;

/// A cassette: the responses from a provider, recorded once and replayed in tests.
///
/// A recording contains the method, path and body of each request, and the status, body and relevant
/// headers of each response. It does not contain API keys: headers with keys are omitted, and a key
/// in a path or a body is replaced.
///
/// A request is matched by its method, path and body; the order of JSON keys does not matter. If
/// the same request was recorded several times, its responses are replayed in the recorded order. A
/// request that was not recorded returns an error that shows how it differs from the most
/// similar recording.
///
/// ```
/// use genkit::model::Cassette;
///
/// # fn main() -> genkit::Result<()> {
/// # let dir = std::env::temp_dir().join("genkit-cassette-doc");
/// # std::fs::create_dir_all(&dir).unwrap();
/// # let path = dir.join("weather.json");
/// # std::fs::write(&path, r#"{"version": 1, "exchanges": []}"#).unwrap();
/// // Records if the file does not exist, and replays it afterwards.
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
    /// One entry for each request, in the order of the calls; `None` until its response is
    /// complete.
    Record(Mutex<Vec<Option<Exchange>>>),
    Replay(Mutex<Vec<Replayable>>),
}

/// A recorded exchange.
struct Replayable {
    exchange: Exchange,
    is_used: bool,
}

impl Cassette {
    /// Creates a cassette that records: calls are sent to the provider and written to the file. An
    /// existing file is overwritten. The file is written after each response.
    ///
    /// ```no_run
    /// let cassette = genkit::model::Cassette::record("tests/cassettes/weather.json");
    /// ```
    pub fn record(path: impl Into<PathBuf>) -> Self {
        Self::new(path.into(), CassetteMode::Record(Mutex::default()))
    }

    /// Creates a cassette that replays the responses in a file without sending anything.
    ///
    /// ```
    /// let missing = genkit::model::Cassette::replay("no/such/file.json");
    /// assert!(missing.is_err());
    /// ```
    ///
    /// # Errors
    /// Returns an error if the file does not exist or is not a cassette.
    pub fn replay(path: impl Into<PathBuf>) -> Result<Self> {
        let path = path.into();
        let read = genkit_files::read_regular_file(&path, MAX_CASSETTE);
        let text = read
            .map_err(std::io::Error::from)
            .context(format!("cannot read {}", path.display()))?;
        let file: CassetteFile =
            parse_response(&text).context(format!("{} is not a cassette", path.display()))?;
        file.check_version(&path)?;
        let unused = |exchange| Replayable { exchange, is_used: false };
        let exchanges = file.exchanges.into_iter().map(unused).collect();
        Ok(Self::new(path, CassetteMode::Replay(Mutex::new(exchanges))))
    }

    /// Creates a cassette that replays the file if the file exists, and otherwise records to it.
    ///
    /// ```no_run
    /// # fn main() -> genkit::Result<()> {
    /// let cassette = genkit::model::Cassette::auto("tests/cassettes/weather.json")?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns the errors of [`replay`](Self::replay) if the file exists.
    pub fn auto(path: impl Into<PathBuf>) -> Result<Self> {
        let path = path.into();
        if path.exists() { Self::replay(path) } else { Ok(Self::record(path)) }
    }

    fn new(path: PathBuf, mode: CassetteMode) -> Self {
        Self(Arc::new(CassetteState { path, mode }))
    }

    /// Returns the interceptor for the endpoint of a provider.
    #[doc(hidden)]
    pub fn interceptor(&self) -> Arc<dyn Interceptor> {
        Arc::new(self.clone())
    }

    /// Returns the recorded response to a request.
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
            return next.exchange.response.to_stored();
        }
        let times = same.len();
        if times > 0 {
            return Err(E::ResponsesExhausted { path: path(), times }.into());
        }
        let recorded: Vec<_> = exchanges.iter().map(|it| &it.exchange.request).collect();
        let difference = nearest::describe_difference(request, &recorded);
        Err(E::NotRecorded { path: path(), difference }.into())
    }

    fn store_exchange(&self, place: usize, exchange: Exchange) -> Result<()> {
        let CassetteMode::Record(places) = &self.0.mode else {
            return Ok(());
        };
        let mut places = lock(places);
        if let Some(free) = places.get_mut(place) {
            *free = Some(exchange);
        }
        // Written while the lock is held, so that an older state cannot overwrite a newer state.
        write(&self.0.path, &CassetteFile::exchanges_to_text(places.iter().flatten())?)
    }
}

impl Interceptor for Cassette {
    fn is_offline(&self) -> bool {
        matches!(self.0.mode, CassetteMode::Replay(_))
    }

    fn intercept_call(&self, call: OutgoingCall<'_>) -> Result<Interception> {
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

/// Writes the file atomically, so that an interrupted test does not leave a partial file.
fn write(path: &Path, text: &str) -> Result<()> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder).context(format!("cannot create {}", folder.display()))?;
    }
    let mut aside = path.as_os_str().to_owned();
    aside.push(".new");
    std::fs::write(&aside, text)
        .and_then(|()| std::fs::rename(&aside, path))
        .context(format!("cannot write the cassette {}", path.display()))
}

/// A call that is being recorded. An incomplete response is not stored.
struct CassetteRecording {
    cassette: Cassette,
    place: usize,
    request: RecordedRequest,
    secrets: Secrets,
    response: StoredResponse,
}

impl Observer for CassetteRecording {
    fn begin_response(&mut self, status: u16, header: HeaderLookup<'_>) {
        self.response =
            StoredResponse { status, headers: file::select_headers(header), body: Vec::new() };
    }

    fn receive_piece(&mut self, piece: &[u8]) {
        self.response.body.extend_from_slice(piece);
    }

    fn finish_response(self: Box<Self>) -> Result<()> {
        let response = RecordedResponse::new(self.response, &self.secrets);
        self.cassette.store_exchange(self.place, Exchange { request: self.request, response })
    }
}

#[cfg(test)]
mod tests;
