//! Progress, logs and updates that a function reports to its caller while it runs.

use std::cell::Cell;

use serde_json::Value;

use super::Context;

/// The number of chunks, logs and progress reports that a thread sends before it yields.
const REPORTS_AT_A_TIME: u32 = 32;

impl Context {
    /// Reports progress to the caller: `done`, `(done, total)`, or a [`Progress`].
    ///
    /// A caller that did not request progress receives no reports.
    ///
    /// ```
    /// use genkit::context::Progress;
    /// use genkit::Context;
    ///
    /// async fn read(ctx: &Context) {
    ///     ctx.progress(1.0).await; // one, of an unknown total
    ///     ctx.progress((2.0, 3.0)).await; // two of three
    ///     ctx.progress(Progress::new(3.0).with_total(3.0).with_message("read all")).await;
    /// }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() {
    /// read(&Context::detached()).await; // without a caller, the reports are discarded
    /// # }
    /// ```
    pub async fn progress(&self, progress: impl Into<Progress>) {
        self.0.parts.caller.report_progress(progress.into()).await;
        yield_to_caller().await;
    }

    /// Sends a log message of `level` to the caller, if the caller has enabled that level.
    ///
    /// MCP deprecates logging (SEP-2577): it works until at least 2027-07-28, but new programs should write to
    /// `tracing`, or return the text in the result.
    ///
    /// `data` is any JSON, usually text. This is the logging of MCP and is independent of `tracing`.
    ///
    /// ```
    /// use genkit::context::LogLevel;
    /// use genkit::Context;
    /// use serde_json::json;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() {
    /// let ctx = Context::detached();
    /// ctx.log(LogLevel::Debug, json!({"rows": 3})).await;
    /// ctx.info("three rows").await;
    /// ctx.warn("the third row is empty").await;
    /// # }
    /// ```
    pub async fn log(&self, level: LogLevel, data: impl Into<Value>) {
        self.0.parts.caller.send_log(level, data.into()).await;
        yield_to_caller().await;
    }

    /// Sends a log message with level [`LogLevel::Info`]; see [`log`](Self::log).
    pub async fn info(&self, data: impl Into<Value>) {
        self.log(LogLevel::Info, data).await;
    }

    /// Sends a log message with level [`LogLevel::Warning`]; see [`log`](Self::log).
    pub async fn warn(&self, data: impl Into<Value>) {
        self.log(LogLevel::Warning, data).await;
    }

    /// Sends a log message with level [`LogLevel::Debug`]; see [`log`](Self::log).
    pub async fn debug(&self, data: impl Into<Value>) {
        self.log(LogLevel::Debug, data).await;
    }

    /// Sends a log message with level [`LogLevel::Error`]; see [`log`](Self::log).
    pub async fn error(&self, data: impl Into<Value>) {
        self.log(LogLevel::Error, data).await;
    }

    /// Notifies subscribers that the resource at `uri` was updated.
    ///
    /// ```
    /// use genkit::{Context, tool};
    ///
    /// /// Changes a note.
    /// #[tool]
    /// async fn change(ctx: &Context, id: u64, text: String) {
    ///     // … save the text …
    ///     # let _ = text;
    ///     ctx.resource_updated(format!("note://{id}"));
    /// }
    /// ```
    pub fn resource_updated(&self, uri: impl Into<String>) {
        self.0.parts.caller.notify_resource_updated(uri.into());
    }

    /// Sends a chunk of a streamed result.
    pub(crate) async fn queue_chunk(&self, chunk: Value) {
        match &self.0.parts.chunks {
            Some(sink) => sink(chunk),
            None => self.0.parts.caller.send_chunk(chunk).await,
        }
        yield_to_caller().await;
    }
}

/// Yields after every 32 reports. Otherwise a function that only reports would never release its thread, which would
/// block its time limit, its cancellation and every other task of the thread.
async fn yield_to_caller() {
    thread_local! {
        static REPORTS: Cell<u32> = const { Cell::new(0) };
    }
    // Counted per thread, not per context: a loop over calls that report once each must yield too.
    let reports = REPORTS.get().wrapping_add(1);
    REPORTS.set(reports);
    // Not tokio's budget: a function that used it up would starve the futures polled after it in the same task.
    if reports.is_multiple_of(REPORTS_AT_A_TIME) {
        tokio::task::yield_now().await;
    }
}

/// The progress of a call.
///
/// ```
/// use genkit::context::Progress;
///
/// let progress = Progress::new(3.0).with_total(10.0).with_message("three of ten");
/// assert_eq!(Progress::from((3.0, 10.0)), Progress::new(3.0).with_total(10.0));
/// # let _ = progress;
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    #[doc(hidden)]
    pub done: f64,
    #[doc(hidden)]
    pub total: Option<f64>,
    #[doc(hidden)]
    pub message: Option<String>,
}

impl Progress {
    /// Creates a progress report of `done` units of work. The value must increase from report to report.
    pub fn new(done: f64) -> Self {
        Self { done, total: None, message: None }
    }

    /// Sets the total number of units.
    #[must_use]
    pub fn with_total(mut self, total: f64) -> Self {
        self.total = Some(total);
        self
    }

    /// Sets the message that describes the current step to the user.
    #[must_use]
    pub fn with_message(mut self, message: impl Into<String>) -> Self {
        self.message = Some(message.into());
        self
    }

    /// Returns the number of units that are done.
    ///
    /// ```
    /// let told = genkit::context::Progress::new(3.0).with_total(10.0).with_message("importing");
    /// assert_eq!((told.done(), told.total(), told.message()), (3.0, Some(10.0), Some("importing")));
    /// ```
    pub fn done(&self) -> f64 {
        self.done
    }

    /// Returns the total number of units, if known.
    pub fn total(&self) -> Option<f64> {
        self.total
    }

    /// Returns the message that describes the current step, if there is one.
    pub fn message(&self) -> Option<&str> {
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
        Self::new(done).with_total(total)
    }
}

/// The log level of a message: the eight levels of RFC 5424, as MCP uses them.
///
/// ```
/// use genkit::context::LogLevel;
///
/// assert!(LogLevel::Debug < LogLevel::Info && LogLevel::Warning < LogLevel::Error);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LogLevel {
    /// Information for debugging.
    Debug,
    /// A normal event.
    Info,
    /// A normal but significant event.
    Notice,
    /// A possible problem.
    Warning,
    /// A failure.
    Error,
    /// The failure of a component.
    Critical,
    /// A problem that needs immediate action.
    Alert,
    /// The system is unusable.
    Emergency,
}
