//! A session: one run under a lease, so that only this process saves its changes.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::error::Error as E;
use super::limits::{LEASE, SAVE_TRIES, SAVE_WAIT};
use super::record::Record;
use genkit_core::Result;
use genkit_core::internal::visible::Logged;
use genkit_core::{RunChange, RunId, RunStatus, RunStore, StoredRun};

/// A run that this process works on.
pub struct LeasedRun {
    store: Arc<dyn RunStore>,
    id: RunId,
    /// A random name of this session.
    owner: String,
    revision: u64,
    /// The number of log lines that are saved.
    pub(super) logged: usize,
    renewed: Instant,
    /// The duration of a lease.
    lease: Duration,
    is_released: bool,
}

impl LeasedRun {
    /// Takes the lease of a run. Returns `None` if another worker has it, or if nothing is to be done.
    pub async fn begin(store: &Arc<dyn RunStore>, id: &RunId) -> Result<Option<(Self, StoredRun)>> {
        let owner = genkit_core::internal::error::new_reference();
        let renewed = Instant::now();
        let Some(head) = store.lease(id, &owner, LEASE).await? else { return Ok(None) };
        let mut session = Self {
            store: Arc::clone(store),
            id: id.clone(),
            owner,
            revision: head.revision,
            logged: 0,
            renewed,
            lease: LEASE,
            is_released: false,
        };
        let stored = match head.status {
            RunStatus::Working => session.store.load(id).await?,
            _ => None,
        };
        let Some(stored) = stored else {
            session.release().await;
            return Ok(None);
        };
        // The run may have been answered or cancelled before the lease was taken.
        session.revision = stored.at.revision;
        session.logged = stored.log.len();
        Ok(Some((session, stored)))
    }

    /// Creates a run and immediately takes its lease, with this duration. `first` contains the time from which other
    /// processes may take the run over if this process dies in between.
    pub async fn create(
        store: &Arc<dyn RunStore>,
        id: &RunId,
        first: &RunChange,
        lease: Duration,
    ) -> Result<Self> {
        let owner = genkit_core::internal::error::new_reference();
        let renewed = Instant::now();
        let is_new = store.create(id, first).await?;
        let head = if is_new { store.lease(id, &owner, lease).await? } else { None };
        let head = head.ok_or_else(|| E::Lost(id.to_string()))?;
        Ok(Self {
            store: Arc::clone(store),
            id: id.clone(),
            owner,
            revision: head.revision,
            logged: first.log.len(),
            renewed,
            lease,
            is_released: false,
        })
    }

    /// Returns the current revision of the run.
    pub(super) fn revision(&self) -> u64 {
        self.revision
    }

    pub(crate) fn id(&self) -> &RunId {
        &self.id
    }

    /// Saves the state of the run. Results exist only in this process, so it retries if the store fails.
    ///
    /// # Errors
    /// `Aborted` if another process changed the run, `Unavailable` if it cannot be saved. The work must stop.
    pub(super) async fn save_record(
        &mut self,
        status: RunStatus,
        wake_at_ms: Option<u64>,
        record: Record,
    ) -> Result<()> {
        let (head, log) = record.into_lines(&self.id)?;
        let mut change = RunChange::new(status, head).with_log(log);
        change.wake_at_ms = wake_at_ms;
        self.save_change(change).await
    }

    /// Saves a serialized change; see [`save_record`](Self::save_record).
    pub async fn save_change(&mut self, change: RunChange) -> Result<()> {
        let mut last = None;
        for attempt in 0..SAVE_TRIES {
            if attempt > 0 {
                tokio::time::sleep(SAVE_WAIT * 2_u32.saturating_pow(attempt - 1)).await;
            }
            match self.store.save(&self.id, self.revision, &change).await {
                Ok(Some(revision)) => {
                    self.note_saved(revision, &change);
                    return Ok(());
                }
                Ok(None) if last.is_some() && self.is_saved(&change).await? => {
                    self.note_saved(self.revision + 1, &change);
                    return Ok(());
                }
                Ok(None) => return Err(E::Lost(self.id.to_string()).into()),
                Err(error) => {
                    let (run, error_text) = (&self.id, Logged::text(error.chain()));
                    tracing::warn!(%run, error = %error_text, attempt, "failed to save a run");
                    last = Some(error);
                }
            }
        }
        let id = self.id.to_string();
        let error = genkit_core::Error::from(E::NotSaved { id, tries: SAVE_TRIES });
        Err(match last {
            Some(last) => error.with_source(last),
            None => error,
        })
    }

    fn note_saved(&mut self, revision: u64, change: &RunChange) {
        self.revision = revision;
        self.logged += change.log.len();
    }

    /// Returns whether a save that returned an error has nevertheless been performed.
    async fn is_saved(&self, change: &RunChange) -> Result<bool> {
        let Some(stored) = self.store.load(&self.id).await? else { return Ok(false) };
        Ok(stored.at.revision == self.revision + 1 && stored.head == change.head)
    }

    /// Waits until it is time to renew the lease.
    pub async fn until_renewal(&self) {
        tokio::time::sleep_until(self.renewed + self.lease / 3).await;
    }

    /// Renews the lease, and checks that the run is unchanged.
    ///
    /// # Errors
    /// `Aborted` if the run was cancelled or another worker took it. An unavailable store is an error only after the
    /// lease has expired.
    pub async fn renew(&mut self) -> Result<()> {
        let asked = Instant::now();
        match self.store.lease(&self.id, &self.owner, self.lease).await {
            Ok(Some(head)) if head.revision == self.revision => {
                self.renewed = asked;
                Ok(())
            }
            Ok(_) => Err(E::Lost(self.id.to_string()).into()),
            Err(error) if self.renewed.elapsed() > self.lease => Err(error),
            Err(error) => {
                let (run, error) = (&self.id, Logged::text(error.chain()));
                tracing::warn!(%run, %error, "failed to renew the lease of a run");
                // Retried soon, before the lease expires.
                self.renewed += Duration::from_secs(1);
                Ok(())
            }
        }
    }

    /// Returns whether the run was cancelled. Returns `false` if the store is unavailable.
    pub(super) async fn is_cancelled(&self) -> bool {
        let head = self.store.peek(&self.id).await;
        head.is_ok_and(|head| head.is_some_and(|head| head.status == RunStatus::Cancelled))
    }

    /// Releases the lease.
    pub async fn release(mut self) {
        self.is_released = true;
        give_back(&*self.store, &self.id, &self.owner).await;
    }
}

/// Releases a lease. An error of the store is only logged, because the lease expires on its own.
async fn give_back(store: &dyn RunStore, id: &RunId, owner: &str) {
    if let Err(error) = store.release(id, owner).await {
        let error = Logged::text(error.chain());
        tracing::debug!(run = %id, %error, "failed to release the lease of a run");
    }
}

/// Releases the lease if the work is dropped, so that other workers do not wait until it expires.
impl Drop for LeasedRun {
    fn drop(&mut self) {
        if self.is_released {
            return;
        }
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            let (store, id) = (Arc::clone(&self.store), self.id.clone());
            let owner = std::mem::take(&mut self.owner);
            runtime.spawn(async move { give_back(&*store, &id, &owner).await });
        }
    }
}
