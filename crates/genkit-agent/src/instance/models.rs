//! The defaults that runs take from their instance: models, embedders, middleware.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Mutex;

use super::{Instance, LiveStreams};
use crate::middleware::{Middleware, NamedMiddleware};
use genkit_core::RunStore;
use genkit_core::internal::context::SuspendedRuns;
use genkit_model::internal::Models;
use genkit_model::{Embed, EmbedRequest, EmbedderRef};

/// The defaults of every run of an instance.
#[derive(Clone, Default)]
pub struct RunDefaults {
    pub models: Models,
    pub middleware: Vec<Arc<dyn Middleware>>,
    pub named_middleware: NamedMiddleware,
    pub trace_contents: bool,
    pub store: Option<Arc<dyn RunStore>>,
    pub resting: SuspendedRuns,
    /// The lease duration of durable runs. `None` means the default.
    pub lease: Option<Duration>,
    /// The clients that follow durable runs of this process.
    pub streams: LiveStreams,
    /// The build of this program, which durable runs record.
    pub build: Option<String>,
    /// Held while this process performs a suspect run: a durable run during which several processes have ended. This
    /// process performs only one suspect run at a time.
    pub suspect_lock: Arc<Mutex<()>>,
}

impl Instance {
    #[doc(hidden)]
    pub fn embed<T: Into<String>>(
        &self,
        embedder: impl Into<EmbedderRef>,
        texts: impl IntoIterator<Item = T>,
    ) -> Embed {
        Embed::new(self.runs.models.clone(), embedder.into(), EmbedRequest::new(texts))
    }
}
