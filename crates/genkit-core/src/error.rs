//! The error type of this library. It is one pointer wide and has a kind that callers can act on.

use std::any::Any;
use std::error::Error as StdError;
use std::fmt;
use std::time::Duration;

/// A boxed error that is `Send` and `Sync`.
pub type BoxError = Box<dyn StdError + Send + Sync>;

/// A `Result` whose error type defaults to [`Error`].
///
/// ```
/// async fn half(n: i64) -> genkit::Result<i64> {
///     if n % 2 != 0 {
///         return Err(genkit::Error::invalid_argument("n must be even"));
///     }
///     Ok(n / 2)
/// }
/// ```
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The error type of this library: a human-readable message and a [`kind`](Error::kind).
///
/// A tool may return any error that converts into `Box<dyn std::error::Error + Send + Sync>` (its own, `anyhow::Error`,
/// a `String`). Return this type to choose the kind.
///
/// ```
/// use genkit::{Error, ErrorKind};
///
/// let error = Error::new(ErrorKind::NotFound, "no note 7");
/// assert_eq!(error.kind(), ErrorKind::NotFound);
/// assert_eq!(error.to_string(), "no note 7");
/// ```
pub struct Error(Box<ErrorData>);

struct ErrorData {
    kind: ErrorKind,
    message: String,
    source: Option<BoxError>,
    details: Option<serde_json::Value>,
    /// Set if the arguments were rejected before the function ran.
    invalid_arguments: bool,
    /// Set if the message comes from another library's error, so it was not written for callers.
    foreign: bool,
    fatal: bool,
    /// Set once a span has recorded this error as its origin.
    is_traced: bool,
    retry: RetryHint,
    /// The work done before the failure, stored by the layer that knows its type.
    partial: Option<Box<dyn Any + Send + Sync>>,
}

/// The server's retry hint: whether to retry, and after how long.
#[derive(Clone, Copy, Debug, Default)]
struct RetryHint {
    worth: Option<bool>,
    after: Option<Duration>,
}

/// The kind of an [`Error`]: the canonical status names that Genkit uses in every language.
///
/// ```
/// use genkit::{Error, ErrorKind};
///
/// fn may_try_again(error: &Error) -> bool {
///     matches!(error.kind(), ErrorKind::Unavailable | ErrorKind::DeadlineExceeded)
/// }
/// assert!(may_try_again(&Error::new(ErrorKind::Unavailable, "the service is down")));
/// assert!(!may_try_again(&Error::not_found("no note 7")));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The caller disconnected or cancelled the call.
    Cancelled,
    /// A function failed with an error of unknown kind.
    Unknown,
    /// The input is invalid: arguments, a schema, a URI.
    InvalidArgument,
    /// The operation exceeded its time limit.
    DeadlineExceeded,
    /// The requested tool, prompt, resource or other item does not exist.
    NotFound,
    /// The item already exists.
    AlreadyExists,
    /// The caller lacks permission, or the user declined.
    PermissionDenied,
    /// The caller is not authenticated.
    Unauthenticated,
    /// A size, rate or quota limit was exceeded.
    ResourceExhausted,
    /// The system is not in the required state, for example because the client cannot answer questions.
    FailedPrecondition,
    /// The operation was aborted.
    Aborted,
    /// A value is outside its valid range.
    OutOfRange,
    /// The operation is not supported.
    Unimplemented,
    /// A bug in the program, such as a panic or a result that cannot be serialized, or an internal error of a server.
    Internal,
    /// The service is currently unreachable; a retry may succeed.
    Unavailable,
}

impl Error {
    /// Creates an error with the given kind and message.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        let message = message.into();
        Self(Box::new(ErrorData {
            kind,
            message,
            source: None,
            details: None,
            invalid_arguments: false,
            foreign: false,
            fatal: false,
            is_traced: false,
            retry: RetryHint::default(),
            partial: None,
        }))
    }

    /// Creates a copy to report the same failure again. The text of the causes becomes part of the message, and the
    /// partial result stays with the original.
    #[doc(hidden)]
    #[must_use]
    pub fn to_repeated(&self) -> Self {
        let mut repeated = Self::new(self.0.kind, self.chain());
        repeated.0.details = self.0.details.clone();
        repeated.0.invalid_arguments = self.0.invalid_arguments;
        repeated.0.foreign = self.0.foreign;
        repeated.0.fatal = self.0.fatal;
        repeated.0.is_traced = self.0.is_traced;
        repeated.0.retry = self.0.retry;
        repeated
    }

    /// Creates an [`InvalidArgument`](ErrorKind::InvalidArgument) error: the caller's input is invalid.
    ///
    /// ```
    /// let error = genkit::Error::invalid_argument("days must be 1 to 7");
    /// assert_eq!(error.kind(), genkit::ErrorKind::InvalidArgument);
    /// ```
    pub fn invalid_argument(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::InvalidArgument, message)
    }

    /// Creates a [`NotFound`](ErrorKind::NotFound) error.
    ///
    /// ```
    /// assert!(genkit::Error::not_found("no note 7").kind() == genkit::ErrorKind::NotFound);
    /// ```
    pub fn not_found(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::NotFound, message)
    }

    /// Sets the cause, which [`source`](StdError::source) returns.
    ///
    /// ```
    /// use genkit::{Error, ErrorKind};
    /// use std::error::Error as _;
    ///
    /// let io = std::io::Error::other("disk is gone");
    /// let error = Error::new(ErrorKind::Unavailable, "cannot save").with_source(io);
    /// assert_eq!(error.source().unwrap().to_string(), "disk is gone");
    /// ```
    #[must_use]
    pub fn with_source(mut self, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        let mut source = source.into();
        if let Some(inner) = source.downcast_mut::<Self>() {
            // The hints of the cause apply to the whole error.
            self.0.fatal |= inner.0.fatal;
            self.0.is_traced |= inner.0.is_traced;
            self.0.retry.worth = self.0.retry.worth.or(inner.0.retry.worth);
            self.0.retry.after = self.0.retry.after.or(inner.0.retry.after);
            self.0.partial = self.0.partial.take().or_else(|| inner.0.partial.take());
        }
        self.0.source = Some(source);
        self
    }

    /// Sets the details: structured data, which callers can read instead of parsing the message. MCP sends them as
    /// `error.data`.
    ///
    /// ```
    /// let error = genkit::Error::not_found("no note 7").with_details(serde_json::json!({"id": 7}));
    /// assert_eq!(error.details().unwrap()["id"], 7);
    /// ```
    #[must_use]
    pub fn with_details(mut self, details: serde_json::Value) -> Self {
        self.0.details = Some(details);
        self
    }

    /// Returns the error kind, which a program can match on.
    ///
    /// ```
    /// assert_eq!(genkit::Error::not_found("x").kind(), genkit::ErrorKind::NotFound);
    /// ```
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// Returns the details (structured data), if the error has any.
    ///
    /// ```
    /// assert!(genkit::Error::not_found("x").details().is_none());
    /// ```
    pub fn details(&self) -> Option<&serde_json::Value> {
        self.0.details.as_ref()
    }

    /// Returns whether a retry of the same request may succeed: the server's hint if it sent a hint, otherwise a
    /// default for the kind.
    ///
    /// ```
    /// use genkit::{Error, ErrorKind};
    ///
    /// assert!(Error::new(ErrorKind::Unavailable, "overloaded").is_retryable());
    /// assert!(!Error::new(ErrorKind::Unauthenticated, "wrong key").is_retryable());
    /// ```
    pub fn is_retryable(&self) -> bool {
        let by_kind = matches!(
            self.0.kind,
            ErrorKind::Unavailable
                | ErrorKind::DeadlineExceeded
                | ErrorKind::ResourceExhausted
                | ErrorKind::Aborted
                | ErrorKind::Internal
        );
        self.0.retry.worth.unwrap_or(by_kind)
    }

    /// Returns the retry delay that the server requested.
    ///
    /// ```
    /// use genkit::{Error, ErrorKind};
    /// use std::time::Duration;
    ///
    /// let error = Error::new(ErrorKind::ResourceExhausted, "too many requests")
    ///     .with_retry_after(Duration::from_secs(2));
    /// assert_eq!(error.retry_after(), Some(Duration::from_secs(2)));
    /// ```
    pub fn retry_after(&self) -> Option<Duration> {
        self.0.retry.after
    }

    /// Sets the time to wait before a retry.
    #[must_use]
    pub fn with_retry_after(mut self, wait: Duration) -> Self {
        self.0.retry.after = Some(wait);
        self
    }

    /// Sets whether the error is retryable, overriding the default for its kind.
    ///
    /// ```
    /// use genkit::{Error, ErrorKind};
    ///
    /// let quota = Error::new(ErrorKind::ResourceExhausted, "no quota left").with_retryable(false);
    /// assert!(!quota.is_retryable());
    /// ```
    #[must_use]
    pub fn with_retryable(mut self, worth: bool) -> Self {
        self.0.retry.worth = Some(worth);
        self
    }

    /// Makes the error fatal. A fatal error from a tool ends the run of `generate`; other errors are sent to the model,
    /// so that it can correct the call.
    ///
    /// ```
    /// use genkit::{Error, ErrorKind};
    ///
    /// let error = Error::new(ErrorKind::Unauthenticated, "the key of the shop is wrong").into_fatal();
    /// assert!(error.is_fatal());
    /// ```
    #[must_use]
    pub fn into_fatal(mut self) -> Self {
        self.0.fatal = true;
        self
    }

    /// Returns whether the error is fatal, which means that it ends the run.
    pub fn is_fatal(&self) -> bool {
        self.0.fatal
    }

    /// Marks the error as recorded by a span. Returns `true` for the first span, where the error originated.
    pub(crate) fn note_traced(&mut self) -> bool {
        let mut cause: Option<&(dyn StdError + 'static)> = Some(&*self);
        while let Some(error) = cause {
            if error.downcast_ref::<Self>().is_some_and(|error| error.0.is_traced) {
                return false;
            }
            cause = error.source();
        }
        self.0.is_traced = true;
        true
    }

    /// Replaces the message.
    #[doc(hidden)]
    pub fn with_message(mut self, message: String) -> Self {
        self.0.message = message;
        self
    }

    /// Attaches the work that was done before the failure.
    #[doc(hidden)]
    pub fn with_partial(mut self, partial: impl Any + Send + Sync) -> Self {
        self.0.partial = Some(Box::new(partial));
        self
    }

    pub(crate) fn partial_value<T: Any>(&self) -> Option<&T> {
        self.0.partial.as_ref()?.downcast_ref()
    }

    pub(crate) fn take_partial<T: Any>(&mut self) -> Option<T> {
        let partial = self.0.partial.take()?;
        match partial.downcast::<T>() {
            Ok(partial) => Some(*partial),
            Err(other) => {
                self.0.partial = Some(other);
                None
            }
        }
    }

    /// Returns the message and its causes on one line, for example `cannot save: disk is gone`.
    ///
    /// ```
    /// let error = genkit::Error::not_found("no note 7").with_source(std::io::Error::other("gone"));
    /// assert_eq!(error.chain(), "no note 7: gone");
    /// ```
    pub fn chain(&self) -> String {
        let mut text = self.0.message.clone();
        let mut cause = self.source();
        while let Some(error) = cause {
            let message = error.to_string();
            // Many errors already print their source, so do not repeat it.
            if !text.ends_with(&message) {
                text.push_str(": ");
                text.push_str(&message);
            }
            cause = error.source();
        }
        text
    }

    /// Creates an error about arguments that were rejected before any function ran.
    #[cfg(test)]
    pub(crate) fn invalid_arguments(message: impl Into<String>) -> Self {
        let mut error = Self::invalid_argument(message);
        error.0.invalid_arguments = true;
        error
    }

    /// Returns whether the error is about arguments that were rejected before any function ran.
    #[doc(hidden)]
    pub fn is_invalid_arguments(&self) -> bool {
        self.0.invalid_arguments
    }

    /// Returns the message if it was written for callers. Returns `None` for an error from another library, because its
    /// message may name files, hosts or queries.
    #[doc(hidden)]
    pub fn text_for_callers(&self) -> Option<&str> {
        (!self.0.foreign).then_some(&self.0.message)
    }

    /// Returns the text for a model: the message and its causes, up to the first cause that was not written for
    /// callers.
    #[doc(hidden)]
    pub fn text_for_models(&self) -> String {
        let mut text = self.0.message.clone();
        let mut cause = self.source();
        while let Some(error) = cause {
            let ours = error.downcast_ref::<Self>().and_then(Self::text_for_callers);
            match ours {
                Some(said) if text.ends_with(said) => {}
                Some(said) => {
                    text.push_str(": ");
                    text.push_str(said);
                }
                // Many errors print their source themselves.
                None if text.ends_with(&error.to_string()) => {}
                None => break,
            }
            cause = error.source();
        }
        text
    }

    /// Replaces the message and removes the causes, for callers.
    #[doc(hidden)]
    pub fn without_causes(mut self, text: String) -> Self {
        (self.0.message, self.0.source) = (text, None);
        self
    }

    /// Converts the error of a user's function: returns an [`Error`] unchanged, and wraps any other error with its
    /// causes.
    #[doc(hidden)]
    pub fn from_failure(failure: impl Into<BoxError>) -> Self {
        match failure.into().downcast::<Error>() {
            Ok(ours) => *ours,
            Err(other) => {
                let mut error = Self::new(ErrorKind::Unknown, other.to_string());
                error.0.foreign = !is_text(&*other);
                if other.source().is_some() { error.with_source(Cause(other)) } else { error }
            }
        }
    }

    /// Wraps a sibling crate's error that does not implement [`Topic`].
    #[doc(hidden)]
    pub fn with_kind(kind: ErrorKind, error: impl StdError + Send + Sync + 'static) -> Self {
        let this = Self::new(kind, error.to_string());
        if error.source().is_some() { this.with_source(Cause(Box::new(error))) } else { this }
    }

    /// Marks the message as coming from another library.
    fn into_foreign(mut self) -> Self {
        self.0.foreign = true;
        self
    }
}

/// Returns whether an error is a plain `String` or `&str`, written by the author of the function. The standard
/// library's wrapper for these has no public name, but its `Debug` output equals that of the text.
fn is_text(error: &(dyn StdError + Send + Sync)) -> bool {
    size_of_val(error) == size_of::<String>()
        && error.source().is_none()
        && format!("{error:?}") == format!("{:?}", error.to_string())
}

/// Creates a reference of 12 random hexadecimal digits. The same reference appears in an error message and in the log
/// event, so that the two can be matched.
pub fn new_reference() -> String {
    use std::hash::{BuildHasher as _, Hasher as _};
    let random = std::hash::RandomState::new().build_hasher().finish();
    format!("{:012x}", random >> 16)
}

/// A private enum with all error messages of one topic.
///
/// For `?` on any other error, the compiler prints the label below.
#[diagnostic::on_unimplemented(
    message = "`?` cannot convert `{Self}` into `genkit::Error`",
    label = "add `.context(\"what failed\")` before the `?`, with `use genkit::ErrorContext as _`",
    note = "for an error that the caller caused, write `.map_err(|error| genkit::Error::invalid_argument(error.to_string()))?`",
    note = "implement `From<{Self}> for genkit::Error` to choose its kind"
)]
pub trait Topic: StdError + Send + Sync + 'static {
    fn kind(&self) -> ErrorKind;

    /// Returns the structured details of the error.
    fn details(&self) -> Option<serde_json::Value> {
        None
    }

    /// Returns whether the error is about arguments that were rejected before any function ran.
    fn is_invalid_arguments(&self) -> bool {
        false
    }
}

impl<T: Topic> From<T> for Error {
    fn from(topic: T) -> Self {
        let mut error = Self::new(topic.kind(), topic.to_string());
        error.0.details = topic.details();
        error.0.invalid_arguments = topic.is_invalid_arguments();
        if topic.source().is_some() { error.with_source(Cause(Box::new(topic))) } else { error }
    }
}

impl Topic for genkit_schema::internal::Error {
    fn kind(&self) -> ErrorKind {
        if self.is_invalid_arguments() { ErrorKind::InvalidArgument } else { ErrorKind::Internal }
    }

    fn is_invalid_arguments(&self) -> bool {
        Self::is_invalid_arguments(self)
    }
}

/// A cause whose own message is already part of the error's message, so only its causes remain to print.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
struct Cause(BoxError);

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

/// Prints the kind, the message and each cause. Rust prints the error that `main` returns in this format.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.0.kind, self.chain())
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.0.source.as_deref().map(|source| source as _)
    }
}

impl From<std::io::Error> for Error {
    fn from(error: std::io::Error) -> Self {
        Self::new(io_error_kind(&error), error.to_string()).with_source(error).into_foreign()
    }
}

fn io_error_kind(error: &std::io::Error) -> ErrorKind {
    match error.kind() {
        std::io::ErrorKind::NotFound => ErrorKind::NotFound,
        std::io::ErrorKind::PermissionDenied => ErrorKind::PermissionDenied,
        std::io::ErrorKind::AlreadyExists => ErrorKind::AlreadyExists,
        std::io::ErrorKind::TimedOut => ErrorKind::DeadlineExceeded,
        std::io::ErrorKind::InvalidInput => ErrorKind::InvalidArgument,
        _ => ErrorKind::Unknown,
    }
}

impl From<serde_json::Error> for Error {
    fn from(error: serde_json::Error) -> Self {
        Self::new(ErrorKind::InvalidArgument, error.to_string()).with_source(error).into_foreign()
    }
}

/// An extension trait of `Result` that converts any error into an [`Error`] with a message about the failed operation.
///
/// ```
/// use genkit::ErrorContext as _;
///
/// fn read() -> genkit::Result<String> {
///     std::fs::read_to_string("/no/such/file").context("cannot read the settings")
/// }
/// assert!(read().unwrap_err().chain().starts_with("cannot read the settings: "));
/// ```
pub trait ErrorContext<T> {
    /// Returns the value, or an error with this `message` and the original error as its cause.
    ///
    /// # Errors
    /// Returns the original error, wrapped with `message`. An [`Error`] keeps its kind, an I/O error gets the matching
    /// kind, and any other error gets [`ErrorKind::Unknown`].
    fn context(self, message: impl Into<String>) -> Result<T>;
}

impl<T, E: Into<BoxError>> ErrorContext<T> for std::result::Result<T, E> {
    fn context(self, message: impl Into<String>) -> Result<T> {
        self.map_err(|cause| {
            let cause = cause.into();
            let kind = match cause.downcast_ref::<std::io::Error>() {
                Some(io) => io_error_kind(io),
                None => cause.downcast_ref::<Error>().map_or(ErrorKind::Unknown, Error::kind),
            };
            Error::new(kind, message).with_source(cause)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn error_is_one_word_in_size() {
        assert_eq!(size_of::<Error>(), size_of::<usize>());
    }

    #[test]
    fn boxed_error_keeps_its_kind() {
        let boxed: BoxError = Box::new(Error::not_found("no note"));
        assert_eq!(Error::from_failure(boxed).kind(), ErrorKind::NotFound);
    }

    #[test]
    fn texts_are_written_for_callers_and_errors_of_other_libraries_are_not() {
        #[derive(Debug, thiserror::Error)]
        #[error("{0}")]
        struct Other(String);
        let boxed: BoxError = "no note 7".into();
        for (failure, text) in [
            (Error::from_failure("no note 7"), Some("no note 7")),
            (Error::from_failure("no \"note\" 7\n".to_owned()), Some("no \"note\" 7\n")),
            (Error::from_failure(boxed), Some("no note 7")),
            (Error::from_failure(Error::not_found("no note 7")), Some("no note 7")),
            (Error::from_failure(Other("no note 7".into())), None),
            (Error::from_failure(std::io::Error::other("/etc/notes")), None),
            (Error::from(std::io::Error::other("/etc/notes")), None),
            (serde_json::from_str::<u8>("x").unwrap_err().into(), None),
        ] {
            assert_eq!(failure.text_for_callers(), text, "{failure:?}");
        }
    }

    #[test]
    fn model_reads_causes_only_where_they_were_written_for_callers() {
        let foreign = || std::io::Error::other("/etc/notes");
        let ours = || Error::not_found("no note 7");
        for (error, text) in [
            (Error::from_failure("no note 7"), "no note 7"),
            (Error::from(foreign()), "/etc/notes"),
            (Error::invalid_argument("x").with_source(ours()), "x: no note 7"),
            (Error::invalid_argument("x").with_source(foreign()), "x"),
            (
                Error::invalid_argument("x").with_source(ours().with_source(foreign())),
                "x: no note 7",
            ),
            (
                Error::invalid_argument("x")
                    .with_source(Error::from(foreign()).with_source(ours())),
                "x",
            ),
        ] {
            assert_eq!(error.text_for_models(), text, "{error:?}");
        }
    }

    #[test]
    fn cause_is_printed_once() {
        let io = std::io::Error::other("disk is gone");
        assert_eq!(Error::from(io).chain(), "disk is gone");
    }
}
