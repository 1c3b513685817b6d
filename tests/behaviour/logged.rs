//! A log of the `tracing` events of a test's own thread, each as one text.

use std::fmt::Debug;
use std::sync::{Arc, LazyLock, Mutex};

use tracing::field::{Field, Visit};
use tracing::subscriber::DefaultGuard;
use tracing_subscriber::Layer;
use tracing_subscriber::layer::{Context, SubscriberExt as _};

/// Events with their targets and fields: `genkit::audit method="tools/call" name=add `.
#[derive(Clone, Default)]
pub(crate) struct Log(Arc<Mutex<Vec<String>>>);

/// A second subscriber. With only one in the process, an event that another thread reaches first is not recorded.
static SECOND: LazyLock<tracing::Dispatch> =
    LazyLock::new(|| tracing::Dispatch::new(tracing_subscriber::registry()));

impl Log {
    /// Starts a log, which records until the returned guard is dropped.
    pub(crate) fn listening() -> (Self, DefaultGuard) {
        LazyLock::force(&SECOND);
        let log = Self::default();
        let subscriber = tracing_subscriber::registry().with(log.clone());
        (log, tracing::subscriber::set_default(subscriber))
    }

    /// Returns the new events that contain this text.
    pub(crate) fn take(&self, text: &str) -> Vec<String> {
        let mut events = std::mem::take(&mut *self.0.lock().unwrap());
        events.retain(|event| event.contains(text));
        events
    }
}

impl<S: tracing::Subscriber> Layer<S> for Log {
    fn on_event(&self, event: &tracing::Event<'_>, _: Context<'_, S>) {
        let mut text = Text(format!("{} ", event.metadata().target()));
        event.record(&mut text);
        self.0.lock().unwrap().push(text.0);
    }
}

struct Text(String);

impl Visit for Text {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.push_str(&format!("{field}={value:?} "));
    }
}
