//! The other side of a context: who called, and what it can do.

use std::future::Future;
use std::pin::Pin;

use serde_json::Value;

use super::question::{Need, Question};
use crate::error::Result;

/// Work for a caller that is under way.
pub(crate) type Telling<'a> = Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

/// An answer that is being waited for: the JSON that MCP defines for the question.
pub(crate) type Answering<'a> = Pin<Box<dyn Future<Output = Result<Value>> + Send + 'a>>;

/// Whoever called a function: an MCP client of either era, the generate loop, nobody.
pub(crate) trait Caller: Send + Sync {
    /// Whether it can be asked for this.
    fn can(&self, need: Need) -> bool;

    /// The answer, waited for; `None` if this caller answers by calling again.
    fn answer<'a>(&'a self, question: &'a Question) -> Option<Answering<'a>>;

    /// Tells how far the work is.
    fn progress(&self, progress: Progress) -> Telling<'_>;

    /// Sends a log message.
    fn log(&self, level: Level, data: Value) -> Telling<'_>;

    /// Sends a chunk of a result.
    fn chunk(&self, chunk: Value) -> Telling<'_>;

    /// Tells subscribers of a resource.
    fn resource_updated(&self, uri: String);

    /// Who it is.
    fn client(&self) -> Option<ClientInfo>;
}

/// No caller at all.
pub(crate) struct Nobody;

impl Caller for Nobody {
    fn can(&self, _: Need) -> bool {
        false
    }

    fn answer<'a>(&'a self, _: &'a Question) -> Option<Answering<'a>> {
        None
    }

    fn progress(&self, _: Progress) -> Telling<'_> {
        Box::pin(std::future::ready(()))
    }

    fn log(&self, _: Level, _: Value) -> Telling<'_> {
        Box::pin(std::future::ready(()))
    }

    fn chunk(&self, _: Value) -> Telling<'_> {
        Box::pin(std::future::ready(()))
    }

    fn resource_updated(&self, _: String) {}

    fn client(&self) -> Option<ClientInfo> {
        None
    }
}

/// How far the work is.
///
/// ```
/// use genkit::Progress;
///
/// let progress = Progress::new(3.0).total(10.0).message("three of ten");
/// assert_eq!(Progress::from((3.0, 10.0)), Progress::new(3.0).total(10.0));
/// # let _ = progress;
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    pub(crate) done: f64,
    pub(crate) total: Option<f64>,
    pub(crate) message: Option<String>,
}

impl Progress {
    /// `done` units of work; it must grow from call to call.
    pub fn new(done: f64) -> Self {
        Self { done, total: None, message: None }
    }

    /// How many units there are.
    #[must_use]
    pub fn total(mut self, total: f64) -> Self {
        self.total = Some(total);
        self
    }

    /// What is being done, for people.
    #[must_use]
    pub fn message(mut self, message: impl Into<String>) -> Self {
        self.message = Some(message.into());
        self
    }

    /// How many units are done.
    ///
    /// ```
    /// let told = genkit::Progress::new(3.0).total(10.0).message("importing");
    /// assert_eq!((told.done(), told.out_of(), told.text()), (3.0, Some(10.0), Some("importing")));
    /// ```
    pub fn done(&self) -> f64 {
        self.done
    }

    /// How many units there are, if that is known.
    pub fn out_of(&self) -> Option<f64> {
        self.total
    }

    /// What is being done, if that is said.
    pub fn text(&self) -> Option<&str> {
        self.message.as_deref()
    }
}

impl From<f64> for Progress {
    fn from(done: f64) -> Self {
        Self::new(done)
    }
}

impl From<(f64, f64)> for Progress {
    fn from((done, total): (f64, f64)) -> Self {
        Self::new(done).total(total)
    }
}

/// How serious a log message is: the eight levels of RFC 5424, as MCP uses them.
///
/// ```
/// use genkit::Level;
///
/// assert!(Level::Debug < Level::Info && Level::Warning < Level::Error);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// For finding faults.
    Debug,
    /// What happens.
    Info,
    /// Unusual, but right.
    Notice,
    /// Something may be wrong.
    Warning,
    /// Something failed.
    Error,
    /// A part of the system failed.
    Critical,
    /// Somebody must act now.
    Alert,
    /// Nothing works.
    Emergency,
}

/// A program that calls.
///
/// ```
/// use genkit::{ClientInfo, Context};
///
/// fn is_desktop(client: &ClientInfo) -> bool {
///     client.name == "claude-ai" && !client.version.is_empty()
/// }
/// assert!(!Context::detached().client().is_some_and(|client| is_desktop(&client)));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ClientInfo {
    /// Its name, for example `claude-ai`.
    pub name: String,
    /// Its version.
    pub version: String,
}
