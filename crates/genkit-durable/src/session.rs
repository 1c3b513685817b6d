//! A session: the work of one process on one run, under a lease, so that no other process changes the run.

use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, Sleep};

use super::error::Error as E;
use super::inside::mail::{LiveRun, SentHead, join_head, split_head};
use super::limits::{LONGEST_SAVE_WAIT, SAVE_WAIT, STORE_TIMEOUT};
use super::record::Record;
use super::settings::StoredState;
use genkit_core::BoxFuture;
use genkit_core::Metric;
use genkit_core::internal::telemetry;
use genkit_core::internal::visible::Logged;
use genkit_core::{ErrorKind, Result};
use genkit_core::{RunChange, RunHead, RunId, RunStatus, RunStore, StoredRun};

/// A renewal of a lease: the time of the request, and the result.
type Renewal = BoxFuture<'static, (Instant, Result<Option<Renewed>>)>;

/// A renewed lease: the head of the run, and its data if another process has changed it.
type Renewed = (RunHead, Option<StoredRun>);

/// A run that this process works on.
pub struct LeasedRun {
    store: Arc<dyn RunStore>,
    id: RunId,
    /// A random name of this session.
    owner: String,
    revision: u64,
    incarnation: u64,
    /// The number of log lines that are saved.
    pub(super) logged: usize,
    /// The head and the status of the last save.
    saved_head: String,
    pub(super) status: RunStatus,
    /// The mail and the published value of the run.
    pub(super) live: Arc<LiveRun>,
    /// The part of the record that steps do not change, except for mail and the published value.
    pub(super) kept: StoredState,
    /// The duration of a lease.
    lease: Duration,
    /// The time at which the last successful renewal was requested.
    renewed: Instant,
    /// The time of the next renewal.
    next: Instant,
    /// In a mutex that is never locked, because a future is not `Sync`.
    renewing: Mutex<Option<Renewal>>,
    timer: Pin<Box<Sleep>>,
    /// The time until which side effects may start.
    valid: watch::Sender<Instant>,
    is_released: bool,
}

/// The end of the lease of a run, for the journals of its calls. The channel closes when this process stops working on
/// the run.
pub(super) type LeaseWatch = watch::Receiver<Instant>;

/// The part of a session that its calls use.
pub(super) struct SessionLink {
    pub(super) id: RunId,
    pub(super) lease: LeaseWatch,
    pub(super) live: Arc<LiveRun>,
    pub(super) kept: StoredState,
}

impl LeasedRun {
    fn new(
        store: &Arc<dyn RunStore>,
        id: &RunId,
        owner: String,
        head: RunHead,
        renewed: Instant,
        lease: Duration,
    ) -> Self {
        Self {
            store: Arc::clone(store),
            id: id.clone(),
            owner,
            revision: head.revision,
            incarnation: head.incarnation,
            logged: 0,
            saved_head: String::new(),
            status: RunStatus::Working,
            live: Arc::default(),
            kept: StoredState::default(),
            lease,
            renewed,
            next: renewed + lease / 3,
            renewing: Mutex::new(None),
            timer: Box::pin(tokio::time::sleep_until(renewed)),
            valid: watch::Sender::new(valid_end(renewed, lease)),
            is_released: false,
        }
    }

    /// Takes the lease of a run for the duration `lease`. Returns `None` if another worker holds the lease, or if there
    /// is nothing to do.
    pub async fn begin(
        store: &Arc<dyn RunStore>,
        id: &RunId,
        lease: Duration,
    ) -> Result<Option<(Self, StoredRun)>> {
        let owner = genkit_core::internal::error::new_reference();
        let renewed = Instant::now();
        let head = match store.lease(id, &owner, lease).await {
            Ok(Some(head)) => head,
            Ok(None) => return Ok(None),
            Err(error) => {
                // The lease may be held although the response was lost. Other workers would wait until it expires.
                release_lease(&**store, id, &owner).await;
                return Err(error);
            }
        };
        let mut session = Self::new(store, id, owner, head, renewed, lease);
        let stored = match head.status {
            RunStatus::Working => session.store.load(id).await?,
            _ => None,
        };
        let Some(mut stored) = stored else {
            session.release().await;
            return Ok(None);
        };
        // The run may have been answered or cancelled before the lease was taken.
        session.revision = stored.at.revision;
        session.incarnation = stored.at.incarnation;
        session.logged = stored.log.len();
        session.saved_head.clone_from(&stored.head);
        session.live = Arc::new(LiveRun::with_mail(split_head(&stored.head).1));
        stored.at.is_abandoned = head.is_abandoned;
        Ok(Some((session, stored)))
    }

    /// Creates a run and immediately takes its lease, with this duration. `first` contains the time after which other
    /// processes may take over the run, in case this process dies before it has taken the lease.
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
        let mut session = Self::new(store, id, owner, head, renewed, lease);
        session.logged = first.log.len();
        session.saved_head.clone_from(&first.head);
        Ok(session)
    }

    /// Returns the current revision of the run.
    pub(super) fn revision(&self) -> u64 {
        self.revision
    }

    pub(crate) fn id(&self) -> &RunId {
        &self.id
    }

    /// Returns a receiver for the end of the lease, which each renewal moves.
    pub(super) fn watch_lease(&self) -> LeaseWatch {
        self.valid.subscribe()
    }

    /// Returns the part of the session that calls use.
    pub(super) fn link(&self) -> SessionLink {
        SessionLink {
            id: self.id.clone(),
            lease: self.watch_lease(),
            live: Arc::clone(&self.live),
            kept: self.kept.clone(),
        }
    }

    /// Sets the part of the record that steps do not change.
    pub(super) fn set_stored_state(&mut self, kept: StoredState) {
        self.live.publish(kept.published.clone());
        self.kept = kept;
    }

    /// Saves the state of the run. Retries if the store fails, because unsaved results exist only in this process.
    ///
    /// # Errors
    /// Returns `Aborted` if another process changed the run, and `Unavailable` if the run cannot be saved. The caller
    /// must then stop the work.
    pub(super) async fn save_record(
        &mut self,
        status: RunStatus,
        wake_at_ms: Option<u64>,
        mut record: Record,
    ) -> Result<()> {
        record.listens = wake_at_ms.is_some() && self.live.is_listening();
        let (published, mail) = (self.live.published(), self.live.mail());
        record.kept = StoredState { published, mail, ..self.kept.clone() };
        let error = record.error.as_ref().map(|error| error.text().to_owned());
        let (head, log) = record.into_lines(&self.id)?;
        let mut change = RunChange::new(status, head).with_log(log).with_error(error);
        change.wake_at_ms = wake_at_ms;
        self.save_change(change).await
    }

    /// Saves a serialized change; see [`save_record`](Self::save_record). If the store fails, retries for twice the
    /// lease duration: a late save is safe as long as no other process has taken the lease.
    pub async fn save_change(&mut self, change: RunChange) -> Result<()> {
        let mut change = change.with_owner(&*self.owner).with_incarnation(self.incarnation);
        let (began, mut wait, mut tries) = (Instant::now(), SAVE_WAIT, 0);
        let mut has_failed = false;
        loop {
            tries += 1;
            let saving = within_limit(self.store.save(&self.id, self.revision, &change));
            let failed = match measure_save(saving).await {
                Ok(Some(revision)) => {
                    self.note_saved(revision, &change);
                    return Ok(());
                }
                Ok(None) => match self.accept_conflict(&mut change, has_failed).await {
                    Ok(true) => return Ok(()),
                    Ok(false) => continue,
                    Err(error) if error.kind() == ErrorKind::Aborted => return Err(error),
                    Err(error) => error,
                },
                Err(error) if error.kind() == ErrorKind::InvalidArgument => return Err(error),
                Err(error) => error,
            };
            let (run, error) = (&self.id, Logged::text(failed.chain()));
            tracing::warn!(%run, %error, tries, "failed to save a run");
            if began.elapsed() >= self.lease * 2 {
                let id = self.id.to_string();
                return Err(
                    genkit_core::Error::from(E::SaveFailed { id, tries }).with_source(failed)
                );
            }
            has_failed = true;
            tokio::time::sleep(wait).await;
            wait = (wait * 2).min(LONGEST_SAVE_WAIT);
            if Instant::now() >= self.next {
                let (asked, renewed) = self.begin_renewal().await;
                // If the failed save took effect after all, the next attempt detects it.
                if !renewed.as_ref().is_ok_and(|now| {
                    now.as_ref().is_some_and(|(head, _)| head.revision > self.revision)
                }) {
                    self.note_renewal(asked, renewed)?;
                }
            }
        }
    }

    fn note_saved(&mut self, revision: u64, change: &RunChange) {
        self.revision = revision;
        self.logged += change.log.len();
        self.saved_head.clone_from(&change.head);
        self.status = change.status;
    }

    /// Handles a save that found a different revision. Returns `true` if an earlier attempt took effect although it
    /// returned an error, and `false` if the run only received mail, so that the caller must save again with that mail.
    ///
    /// # Errors
    /// Returns `Aborted` if another process changed the run, and any error from the store.
    async fn accept_conflict(&mut self, change: &mut RunChange, has_failed: bool) -> Result<bool> {
        let lost = E::Lost(self.id.to_string());
        let Some(stored) = within_limit(self.store.load(&self.id)).await? else {
            return Err(lost.into());
        };
        let is_same =
            stored.at.incarnation == self.incarnation && stored.at.revision > self.revision;
        let (now, mail) = split_head(&stored.head);
        let before = split_head(&change.head).0;
        if is_same
            && has_failed
            && before == now
            && stored.log.len() == self.logged + change.log.len()
        {
            self.live.merge_mail(mail);
            self.note_saved(stored.at.revision, change);
            return Ok(true);
        }
        if !self.accept_mail(&stored) {
            return Err(lost.into());
        }
        change.head = join_head(before, &self.live.mail())?;
        if SentHead::read(&change.head).is_listening() {
            change.wake_at_ms = None;
        }
        Ok(false)
    }

    /// Accepts new mail of a run. Returns `false` if the run has other changes.
    fn accept_mail(&mut self, stored: &StoredRun) -> bool {
        let (now, mail) = split_head(&stored.head);
        let is_mail = stored.at.incarnation == self.incarnation
            && stored.at.revision > self.revision
            && stored.at.status == RunStatus::Working
            && stored.log.len() == self.logged
            && split_head(&self.saved_head).0 == now;
        if is_mail {
            self.revision = stored.at.revision;
            self.live.merge_mail(mail);
            self.saved_head.clone_from(&stored.head);
        }
        is_mail
    }

    /// Runs `work` while this process holds the lease, and renews the lease during this time. Shortly before the lease
    /// ends, `work` is no longer polled until a renewal succeeds, so a process that was paused checks its lease before
    /// it continues.
    ///
    /// # Errors
    /// Returns `Aborted` if the run was cancelled or another worker took it over, and an error from the store once the
    /// lease has been expired for a whole lease duration.
    pub async fn run_leased<T>(&mut self, work: impl Future<Output = T>) -> Result<T> {
        let mut work = std::pin::pin!(work);
        std::future::poll_fn(|cx| {
            if let Err(error) = self.poll_renewal(cx) {
                return Poll::Ready(Err(error));
            }
            match Instant::now() < *self.valid.borrow() {
                true => work.as_mut().poll(cx).map(Ok),
                false => Poll::Pending,
            }
        })
        .await
    }

    /// Renews the lease if a renewal is due, and registers the task to be woken for the next renewal.
    fn poll_renewal(&mut self, cx: &mut Context<'_>) -> Result<()> {
        loop {
            let (now, end) = (Instant::now(), *self.valid.borrow());
            let renewing = self.renewing.get_mut().unwrap_or_else(PoisonError::into_inner);
            let until = match renewing {
                None if now >= self.next => {
                    let renewal = self.begin_renewal();
                    self.renewing = Mutex::new(Some(renewal));
                    continue;
                }
                None if end > now => self.next.min(end),
                None => self.next,
                Some(renewal) => match renewal.as_mut().poll(cx) {
                    Poll::Ready((asked, renewed)) => {
                        *renewing = None;
                        self.note_renewal(asked, renewed)?;
                        continue;
                    }
                    Poll::Pending if end > now => end,
                    Poll::Pending => return Ok(()),
                },
            };
            self.timer.as_mut().reset(until);
            if self.timer.as_mut().poll(cx).is_pending() {
                return Ok(());
            }
        }
    }

    /// Renews the lease now, and checks that the run is unchanged.
    ///
    /// # Errors
    /// Returns the errors of [`run_leased`](Self::run_leased).
    pub async fn renew(&mut self) -> Result<()> {
        let (asked, renewed) = self.begin_renewal().await;
        self.note_renewal(asked, renewed)
    }

    fn begin_renewal(&self) -> Renewal {
        let (store, id) = (Arc::clone(&self.store), self.id.clone());
        let (owner, lease, known) = (self.owner.clone(), self.lease, self.revision);
        Box::pin(async move {
            let asked = Instant::now();
            let renewed = async {
                let Some(head) = store.lease(&id, &owner, lease).await? else { return Ok(None) };
                let is_changed = head.revision > known;
                Ok(Some((head, if is_changed { store.load(&id).await? } else { None })))
            };
            (asked, within_limit(renewed).await)
        })
    }

    fn note_renewal(&mut self, asked: Instant, renewed: Result<Option<Renewed>>) -> Result<()> {
        match renewed {
            // Other processes only add mail, so an older revision was read before the last save.
            Ok(Some((head, stored)))
                if head.incarnation == self.incarnation
                    && (head.revision <= self.revision
                        || stored.as_ref().is_some_and(|stored| self.accept_mail(stored))) =>
            {
                (self.renewed, self.next) = (asked, asked + self.lease / 3);
                self.valid.send_replace(valid_end(asked, self.lease));
                Ok(())
            }
            Ok(_) => Err(E::Lost(self.id.to_string()).into()),
            Err(error) if self.renewed.elapsed() > self.lease * 2 => Err(error),
            Err(error) => {
                let (run, error) = (&self.id, Logged::text(error.chain()));
                tracing::warn!(%run, %error, "failed to renew the lease of a run");
                // Retried soon, before the lease expires.
                let wait = (self.lease / 30).clamp(SAVE_WAIT / 10, LONGEST_SAVE_WAIT);
                self.next = Instant::now() + wait;
                Ok(())
            }
        }
    }

    /// Returns whether the run was cancelled. Returns `false` if the store is unavailable.
    pub(super) async fn is_cancelled(&self) -> bool {
        self.is_run_cancelled(&self.id).await
    }

    /// Returns whether another run of the store was cancelled. Returns `false` if the store is unavailable.
    pub(super) async fn is_run_cancelled(&self, run: &RunId) -> bool {
        let head = within_limit(self.store.peek(run)).await;
        head.is_ok_and(|head| head.is_some_and(|head| head.status == RunStatus::Cancelled))
    }

    /// Releases the lease.
    pub async fn release(mut self) {
        self.is_released = true;
        release_lease(&*self.store, &self.id, &self.owner).await;
    }
}

/// Returns the time until which side effects may start under a lease that was requested at `renewed`. The rest of the
/// lease is a margin for running side effects and for clock drift.
fn valid_end(renewed: Instant, lease: Duration) -> Instant {
    renewed + lease - lease / 6
}

/// Records the duration of a save.
async fn measure_save<T>(saving: impl Future<Output = Result<T>>) -> Result<T> {
    let began = std::time::Instant::now();
    let saved = saving.await;
    if let Some(telemetry) = telemetry::installed_telemetry() {
        let failed = saved.as_ref().err().map(|error| telemetry::error_type(error.kind()));
        let labels: Vec<_> = failed.map(|kind| ("error.type", kind)).into_iter().collect();
        telemetry.record(Metric::DurableSaveDuration, began.elapsed().as_secs_f64(), &labels);
    }
    saved
}

/// Waits for a call to the store, with [`STORE_TIMEOUT`].
pub(super) async fn within_limit<T>(call: impl Future<Output = Result<T>>) -> Result<T> {
    match tokio::time::timeout(STORE_TIMEOUT, call).await {
        Ok(done) => done,
        Err(_) => Err(E::StoreTimeout(STORE_TIMEOUT).into()),
    }
}

/// Releases a lease. An error from the store is only logged, because the lease expires on its own.
async fn release_lease(store: &dyn RunStore, id: &RunId, owner: &str) {
    if let Err(error) = within_limit(store.release(id, owner)).await {
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
            runtime.spawn(async move { release_lease(&*store, &id, &owner).await });
        }
    }
}
