//! Real exchanges with a provider in a file, so that a test can run without it.

mod nearest;
mod tape;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use serde_json::Value;

use super::failure::Secrets;
use crate::error::{Error, ErrorContext as _, ErrorKind, Result};
use crate::sync::lock;
pub(super) use tape::Heard;
use tape::{Asked, Exchange, Tape};

/// The answers of a provider, recorded once and replayed in tests.
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
pub struct Cassette(Arc<Inner>);

struct Inner {
    path: PathBuf,
    mode: Mode,
}

enum Mode {
    /// One place for each request, in the order of asking; empty until its answer is whole.
    Record(Mutex<Vec<Option<Exchange>>>),
    Replay(Mutex<Shelf>),
}

/// What was recorded, and which of it was used.
struct Shelf {
    exchanges: Vec<Exchange>,
    used: Vec<bool>,
}

impl Cassette {
    /// Passes calls through and writes them to the file, in place of what it held. The file is
    /// written after each answer.
    ///
    /// ```no_run
    /// let cassette = genkit::model::Cassette::record("tests/cassettes/weather.json");
    /// ```
    pub fn record(path: impl Into<PathBuf>) -> Self {
        Self::new(path.into(), Mode::Record(Mutex::default()))
    }

    /// Answers calls from the file; nothing is sent.
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
        let tape: Tape =
            serde_json::from_slice(&text).context(format!("{} is no cassette", path.display()))?;
        tape.check(&path)?;
        let used = vec![false; tape.exchanges.len()];
        let shelf = Shelf { exchanges: tape.exchanges, used };
        Ok(Self::new(path, Mode::Replay(Mutex::new(shelf))))
    }

    /// Replays the file if it is there, else records it.
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

    fn new(path: PathBuf, mode: Mode) -> Self {
        Self(Arc::new(Inner { path, mode }))
    }

    /// Whether nothing is sent, so that no key is needed.
    pub(crate) fn is_replay(&self) -> bool {
        matches!(self.0.mode, Mode::Replay(_))
    }

    /// The answer to a call, or `None` where it is to be made and recorded.
    pub(super) fn replayed(
        &self,
        path: &str,
        body: &[u8],
        secrets: &Secrets,
    ) -> Result<Option<Heard>> {
        let Mode::Replay(shelf) = &self.0.mode else {
            return Ok(None);
        };
        let asked = Asked::new(path, body, secrets);
        let mut shelf = lock(shelf);
        let Shelf { exchanges, used } = &mut *shelf;
        let same = |index: &usize| exchanges[*index].request == asked;
        if let Some(index) = (0..exchanges.len()).find(|index| !used[*index] && same(index)) {
            used[index] = true;
            return exchanges[index].response.heard().map(Some);
        }
        let times = (0..exchanges.len()).filter(same).count();
        let text = match times {
            0 => nearest::describe(&asked, exchanges),
            n => format!("this request was recorded {n} times, and all {n} answers were given"),
        };
        Err(Error::new(
            ErrorKind::FailedPrecondition,
            format!("the cassette {} has no answer: {text}", self.0.path.display()),
        ))
    }

    /// Keeps a place for a call that is being made.
    pub(super) fn begin(&self, path: &str, body: &[u8], secrets: Secrets) -> Recording {
        let mut place = 0;
        if let Mode::Record(places) = &self.0.mode {
            let mut places = lock(places);
            place = places.len();
            places.push(None);
        }
        Recording {
            cassette: self.clone(),
            place,
            asked: Asked::new(path, body, &secrets),
            secrets,
            heard: Heard::default(),
        }
    }

    fn keep(&self, place: usize, exchange: Exchange) -> Result<()> {
        let Mode::Record(places) = &self.0.mode else {
            return Ok(());
        };
        let mut places = lock(places);
        if let Some(free) = places.get_mut(place) {
            *free = Some(exchange);
        }
        // Written under the lock, so that an older state never comes last.
        write(&self.0.path, &Tape::text_of(places.iter().flatten())?)
    }
}

impl std::fmt::Debug for Cassette {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Cassette")
            .field("path", &self.0.path)
            .field("replay", &self.is_replay())
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

/// A call that is being recorded. One that fails half way is not kept.
pub(super) struct Recording {
    cassette: Cassette,
    place: usize,
    asked: Asked,
    secrets: Secrets,
    heard: Heard,
}

impl Recording {
    pub(super) fn answered(&mut self, status: u16, header: &dyn Fn(&str) -> Option<String>) {
        self.heard = Heard::new(status, header);
    }

    pub(super) fn heard(&mut self, piece: &[u8]) {
        self.heard.body.extend_from_slice(piece);
    }

    pub(super) fn save(self) -> Result<()> {
        let response = self.heard.told(&self.secrets);
        self.cassette.keep(self.place, Exchange { request: self.asked, response })
    }
}

/// JSON as it is compared; a body that is none is compared as text.
fn json_of(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| Value::from(text))
}

#[cfg(test)]
mod tests;
