//! The spans of a test, as seen by a subscriber of `tracing`.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::{Arc, LazyLock, Mutex};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::DefaultGuard;
use tracing_subscriber::Layer;
use tracing_subscriber::layer::{Context, SubscriberExt as _};

/// A span: its name and its fields.
pub(crate) type Fields = (&'static str, BTreeMap<String, String>);

type Spans = Arc<Mutex<Vec<(u64, Fields)>>>;

/// The spans of this thread, until it is dropped.
pub(crate) struct RecordedSpans {
    spans: Spans,
    _guard: DefaultGuard,
}

struct Recorder(Spans);

struct Visited<'a>(&'a mut BTreeMap<String, String>);

/// A second subscriber. With only one in the process, a span that another thread reaches first is not recorded.
static SECOND: LazyLock<tracing::Dispatch> =
    LazyLock::new(|| tracing::Dispatch::new(tracing_subscriber::registry()));

impl RecordedSpans {
    pub(crate) fn here() -> Self {
        LazyLock::force(&SECOND);
        let spans = Spans::default();
        let subscriber = tracing_subscriber::registry().with(Recorder(Arc::clone(&spans)));
        Self { spans, _guard: tracing::subscriber::set_default(subscriber) }
    }

    /// Returns all spans, the oldest first.
    pub(crate) fn all(&self) -> Vec<Fields> {
        self.spans.lock().unwrap().iter().map(|(_, span)| span.clone()).collect()
    }
}

impl Visit for Visited<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.insert(field.name().to_owned(), format!("{value:?}").trim_matches('"').to_owned());
    }
}

impl<S: tracing::Subscriber> Layer<S> for Recorder {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, _: Context<'_, S>) {
        let mut fields = BTreeMap::new();
        attributes.record(&mut Visited(&mut fields));
        let span = (attributes.metadata().name(), fields);
        self.0.lock().unwrap().push((id.into_u64(), span));
    }

    fn on_record(&self, id: &Id, record: &Record<'_>, _: Context<'_, S>) {
        let mut spans = self.0.lock().unwrap();
        let span = spans.iter_mut().rev().find(|(span, _)| *span == id.into_u64());
        record.record(&mut Visited(&mut span.expect("it is there").1.1));
    }
}
