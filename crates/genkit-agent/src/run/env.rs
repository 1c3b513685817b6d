//! The environment of a run: everything that does not change between turns.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::budget::Budget;
use super::settings::RunSettings;
use crate::instance::Instance;
use crate::tools::Toolbox;
use genkit_core::Error;
use genkit_core::internal::context::QuestionChannel;
use genkit_core::internal::generate::error::Error as E;
use genkit_model::{ChunkSink, Model};

/// The environment of one run.
pub(crate) struct RunEnv {
    pub(crate) genkit: Instance,
    pub(crate) settings: RunSettings,
    /// The name of the run in traces.
    pub(crate) name: Option<String>,
    pub(crate) model: Arc<dyn Model>,
    pub(crate) tools: Toolbox,
    pub(crate) budget: Arc<Budget>,
    pub(crate) sink: ChunkSink,
    pub(crate) cancel: CancellationToken,
    pub(crate) started: Instant,
    /// Identifies the run that receives the questions of the tools.
    pub(crate) asker: QuestionChannel,
}

impl RunEnv {
    /// Waits for the deadline or the cancellation of the run, then for `grace`, and returns the error.
    pub(super) async fn wait_for_stop(&self, grace: Duration) -> Error {
        let limit = self.settings.limits.deadline;
        let end = limit.and_then(|limit| self.started.checked_add(limit.saturating_add(grace)));
        let deadline = async {
            match end {
                Some(end) => tokio::time::sleep_until(end).await,
                None => std::future::pending().await,
            }
        };
        let cancelled = async {
            self.cancel.cancelled().await;
            tokio::time::sleep(grace).await;
        };
        tokio::select! {
            () = cancelled => E::Cancelled.into(),
            () = deadline => E::Deadline(limit.unwrap_or_default()).into(),
        }
    }
}
