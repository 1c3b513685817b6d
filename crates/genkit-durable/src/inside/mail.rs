//! The mail of a run: signals that any process can add to the stored head without the lease of the run.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::sync::watch;

use crate::error::Error as E;
use crate::record::StoredError;
use crate::settings::StoredState;
use genkit_core::RunId;
use genkit_core::internal::sync::lock;

/// The maximum number of unread signals of a run. Default is 1,000.
const MAX_SIGNALS: usize = 1000;

/// The maximum total size of the values of unread signals, in bytes of JSON. Default is 1 MiB.
const MAX_BYTES: usize = 1024 * 1024;

/// The field of a head that holds the mail. It is the last field, and its value is JSON in a string, so that it can be
/// replaced without parsing the rest of the head.
const FIELD: &str = ",\"mail\":";

/// The mail of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Mail {
    /// The number of signals sent so far, including those received.
    sent: u64,
    signals: Vec<Signal>,
    /// The number of calls to [`Mail::wake`].
    wakes: u64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Signal {
    number: u64,
    name: String,
    value: Value,
    /// The wait that the signal is reserved for. After a crash, only this wait receives it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    taken_by: Option<String>,
}

/// The fields of a head that the sender of mail reads.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct SentHead {
    listens: bool,
    error: Option<StoredError>,
    kept: StoredState,
}

impl SentHead {
    /// Reads these fields from a head.
    pub(crate) fn read(head: &str) -> Self {
        serde_json::from_str(head).unwrap_or_default()
    }

    /// Returns whether the calls of a suspended run wait for mail.
    pub(crate) fn is_listening(&self) -> bool {
        self.listens
    }

    /// Returns the run that started this one.
    pub(crate) fn into_parent(self) -> Option<RunId> {
        self.kept.parent
    }

    /// Returns the error of the last attempt.
    pub(crate) fn error_text(&self) -> Option<String> {
        self.error.as_ref().map(|error| error.text().to_owned())
    }
}

/// Splits a head into the part before the mail, and the mail.
pub(crate) fn split_head(head: &str) -> (&str, Mail) {
    let whole = head.strip_suffix('}').unwrap_or(head);
    let Some((before, text)) = whole.rsplit_once(FIELD) else { return (whole, Mail::default()) };
    // A nested field with the same name is followed by more text, which does not parse as a JSON string.
    let mail = serde_json::from_str::<String>(text).and_then(|text| serde_json::from_str(&text));
    mail.map_or((whole, Mail::default()), |mail| (before, mail))
}

/// Joins the parts of a head.
pub(crate) fn join_head(before: &str, mail: &Mail) -> serde_json::Result<String> {
    if *mail == Mail::default() {
        return Ok(format!("{before}}}"));
    }
    let text = serde_json::to_string(&serde_json::to_string(mail)?)?;
    Ok(format!("{before}{FIELD}{text}}}"))
}

impl Mail {
    /// Adds a signal.
    pub(crate) fn add_signal(&mut self, name: &str, value: Value) -> Result<(), E> {
        let sizes = self.signals.iter().map(|signal| signal.value.to_string().len());
        let bytes = sizes.sum::<usize>() + value.to_string().len();
        if self.signals.len() >= MAX_SIGNALS || bytes > MAX_BYTES {
            return Err(E::MailFull { signals: MAX_SIGNALS, bytes: MAX_BYTES });
        }
        self.signals.push(Signal {
            number: self.sent,
            name: name.to_owned(),
            value,
            taken_by: None,
        });
        self.sent += 1;
        Ok(())
    }

    /// Records that an operation that the run may wait for has changed.
    pub(crate) fn wake(&mut self) {
        self.wakes += 1;
    }

    /// Returns the number of unread signals.
    pub(crate) fn unread(&self) -> usize {
        self.signals.iter().filter(|signal| signal.taken_by.is_none()).count()
    }
}

/// The state that a process shares with the calls of a run while it works on the run.
#[derive(Default)]
pub(crate) struct LiveRun {
    mail: Mutex<Mail>,
    /// The value that the run publishes.
    published: Mutex<Option<Value>>,
    /// The number of calls that wait for mail.
    listening: AtomicUsize,
    /// Whether mail from other processes was added.
    has_news: AtomicBool,
    /// Changes when mail arrives.
    arrived: watch::Sender<()>,
}

/// Held while a call waits for mail.
pub(crate) struct ListenGuard<'a>(&'a LiveRun);

impl Drop for ListenGuard<'_> {
    fn drop(&mut self) {
        self.0.listening.fetch_sub(1, Ordering::SeqCst);
    }
}

impl LiveRun {
    pub(crate) fn with_mail(mail: Mail) -> Self {
        Self { mail: Mutex::new(mail), ..Self::default() }
    }

    /// Returns the mail to save.
    pub(crate) fn mail(&self) -> Mail {
        lock(&self.mail).clone()
    }

    /// Adds the mail that other processes have stored.
    pub(crate) fn merge_mail(&self, stored: Mail) {
        let mut mail = lock(&self.mail);
        let known = mail.sent;
        let new = stored.signals.into_iter().filter(|signal| signal.number >= known);
        mail.signals.extend(new);
        (mail.sent, mail.wakes) = (stored.sent.max(known), stored.wakes);
        drop(mail);
        self.has_news.store(true, Ordering::SeqCst);
        self.arrived.send_replace(());
    }

    /// Reserves a signal for the wait `by`, and returns its value: the signal that was reserved before a crash, or the
    /// oldest one that is not reserved.
    pub(crate) fn take_signal(&self, name: &str, by: &str) -> Option<Value> {
        let mut mail = lock(&self.mail);
        let of_name = || 0..mail.signals.len();
        let is_own = |&index: &usize| mail.signals[index].taken_by.as_deref() == Some(by);
        let is_free = |&index: &usize| {
            mail.signals[index].name == name && mail.signals[index].taken_by.is_none()
        };
        let index = of_name().find(is_own).or_else(|| of_name().find(is_free))?;
        let signal = &mut mail.signals[index];
        signal.taken_by = Some(by.to_owned());
        Some(signal.value.clone())
    }

    /// Returns whether [`take_signal`](Self::take_signal) would return a signal.
    pub(crate) fn has_signal(&self, name: &str) -> bool {
        let mail = lock(&self.mail);
        mail.signals.iter().any(|signal| signal.name == name && signal.taken_by.is_none())
    }

    /// Returns whether mail from other processes was added since the last call.
    pub(crate) fn take_news(&self) -> bool {
        self.has_news.swap(false, Ordering::SeqCst)
    }

    /// Removes the signal of a wait whose result is saved.
    pub(crate) fn remove_signal(&self, by: &str) {
        lock(&self.mail).signals.retain(|signal| signal.taken_by.as_deref() != Some(by));
    }

    pub(crate) fn listen(&self) -> ListenGuard<'_> {
        self.listening.fetch_add(1, Ordering::SeqCst);
        ListenGuard(self)
    }

    /// Returns whether calls wait for mail.
    pub(crate) fn is_listening(&self) -> bool {
        self.listening.load(Ordering::SeqCst) > 0
    }

    /// Returns a receiver that changes when mail arrives.
    pub(crate) fn watch_mail(&self) -> watch::Receiver<()> {
        self.arrived.subscribe()
    }

    pub(crate) fn published(&self) -> Option<Value> {
        lock(&self.published).clone()
    }

    pub(crate) fn publish(&self, value: Option<Value>) {
        *lock(&self.published) = value;
    }
}
