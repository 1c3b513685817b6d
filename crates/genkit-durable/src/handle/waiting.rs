//! Waiting for a run, while working on it and its children.

use std::collections::HashSet;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::Handle;
use crate::drive::{WorkResult, work_on};
use crate::inside::children::open_children;
use crate::inside::mail::SentHead;
use crate::limits::WATCH;
use crate::record::Record;
use crate::work::rules::WorkRules;
use genkit_core::internal::run_store::now_ms;
use genkit_core::{BoxFuture, ErrorKind, Result};
use genkit_core::{RunStatus, StoredRun};

/// The polling interval of a child that waits for answers. Default is 2 seconds.
const CHECK_INTERVAL: Duration = Duration::from_secs(2);

impl Handle {
    /// Works on the run until it is finished or interrupted, and on its children while it waits for them.
    pub(super) async fn wait_until_settled(&self) -> Result<(StoredRun, Record)> {
        let suspended = watch::Sender::new(0);
        tokio::select! {
            biased;
            settled = self.work_until_settled(&suspended) => settled,
            never = self.work_on_children(suspended.subscribe()) => match never {},
        }
    }

    /// Works on the run. `suspended` receives the revision of each suspension.
    async fn work_until_settled(
        &self,
        suspended: &watch::Sender<u64>,
    ) -> Result<(StoredRun, Record)> {
        let (stop, rules) = (CancellationToken::new(), WorkRules::default());
        let mut pause = Duration::from_millis(10);
        loop {
            let head = self.peek_head().await?;
            if head.status != RunStatus::Working {
                if head.status == RunStatus::Cancelled {
                    self.genkit.runs.resting.cancel_run(&self.id);
                }
                return self.load_run().await;
            }
            let later = head.wake_at_ms.unwrap_or(0).saturating_sub(now_ms());
            if later == 0 {
                match work_on(&self.genkit, &self.store, &self.id, &stop, &rules).await {
                    Ok(WorkResult::Settled) => continue,
                    Ok(_) => {}
                    // Another worker continues the run, or the run was cancelled.
                    Err(error) if error.kind() == ErrorKind::Aborted => {}
                    Err(error) => return Err(error),
                }
            }
            if later > 0 {
                suspended.send_if_modified(|known| {
                    std::mem::replace(known, head.revision) != head.revision
                });
            }
            let until = if later == 0 { pause } else { Duration::from_millis(later) };
            tokio::time::sleep(until.min(WATCH)).await;
            pause = (pause * 2).min(WATCH);
        }
    }

    /// Works on the open children of the run each time it is suspended.
    fn work_on_children(&self, mut suspended: watch::Receiver<u64>) -> BoxFuture<'_, Infallible> {
        Box::pin(async move {
            let (mut known, mut running) = (HashSet::new(), FuturesUnordered::new());
            loop {
                tokio::select! {
                    Ok(()) = suspended.changed() => {}
                    Some(()) = running.next() => continue,
                    else => std::future::pending().await,
                }
                let stored = self.store.load(&self.id).await.ok().flatten();
                if !stored.is_some_and(|stored| SentHead::read(&stored.head).is_listening()) {
                    continue;
                }
                for child in open_children(&*self.store, &self.id).await {
                    if known.insert(child.clone()) {
                        running.push(self.work_on_child(child));
                    }
                }
            }
        })
    }

    async fn work_on_child(&self, child: genkit_core::RunId) {
        let child = Self::new(&self.genkit, Arc::clone(&self.store), child);
        // If this process cannot continue the child, another worker must.
        while let Ok((stored, _)) = child.wait_until_settled().await {
            if stored.at.status.is_over() {
                return;
            }
            tokio::time::sleep(CHECK_INTERVAL).await;
        }
    }
}
