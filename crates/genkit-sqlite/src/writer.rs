//! The thread that owns the connection. Jobs that arrive at the same time share a transaction, and therefore a flush.

use std::sync::mpsc;

use genkit::{BoxFuture, Error, ErrorKind, Result};
use rusqlite::{Connection, TransactionBehavior};
use tokio::sync::oneshot;

use crate::schema::store_error;

/// The maximum number of jobs in a transaction. Default is 64.
const BATCH: usize = 64;

/// Sends the result of a finished job, once its transaction has been committed or has failed.
type ResultCallback = Box<dyn FnOnce(Result<(), String>) + Send>;

/// A job, which receives the connection or the reason why it is unavailable.
type WriteJob = Box<dyn FnOnce(Result<&Connection, String>) -> ResultCallback + Send>;

struct Job {
    writes: bool,
    run: WriteJob,
}

/// A handle of the thread, which ends when the last handle is dropped.
#[derive(Clone)]
pub(crate) struct WriterThread(mpsc::Sender<Job>);

impl WriterThread {
    pub(crate) fn new(connection: Connection) -> Result<Self> {
        let (sender, jobs) = mpsc::channel();
        std::thread::Builder::new()
            .name("genkit-sqlite".to_owned())
            .spawn(move || run_jobs(connection, &jobs))?;
        Ok(Self(sender))
    }

    /// Runs `work` on the thread.
    pub(crate) fn run_job<T: Send + 'static>(
        &self,
        writes: bool,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> BoxFuture<'static, Result<T>> {
        let (reply, told) = oneshot::channel();
        let unavailable = |why| Error::new(ErrorKind::Unavailable, why);
        let run = Box::new(move |db: Result<&Connection, String>| {
            let done = db
                .map_err(unavailable)
                .and_then(|db| within_savepoint(db, writes, work).map_err(store_error));
            let tell: ResultCallback = Box::new(move |committed| {
                let done = committed.map_err(unavailable).and(done);
                // The caller may have dropped the receiver.
                let _ = reply.send(done);
            });
            tell
        });
        let gone = || Error::new(ErrorKind::Unavailable, "the SQLite writer thread has stopped");
        let sent = self.0.send(Job { writes, run }).map_err(|_| gone());
        Box::pin(async move {
            sent?;
            told.await.map_err(|_| gone())?
        })
    }
}

/// Runs a job in a savepoint, so that a failed job is rolled back while the rest of the transaction continues.
fn within_savepoint<T>(
    db: &Connection,
    writes: bool,
    work: impl FnOnce(&Connection) -> rusqlite::Result<T>,
) -> rusqlite::Result<T> {
    if !writes {
        return work(db);
    }
    db.execute_batch("SAVEPOINT job")?;
    let done = work(db);
    if done.is_err() {
        db.execute_batch("ROLLBACK TO job")?;
    }
    db.execute_batch("RELEASE job")?;
    done
}

fn run_jobs(mut connection: Connection, jobs: &mpsc::Receiver<Job>) {
    while let Ok(first) = jobs.recv() {
        let mut batch = vec![first];
        batch.extend(jobs.try_iter().take(BATCH - 1));
        run_batch(&mut connection, batch);
    }
}

fn run_batch(connection: &mut Connection, batch: Vec<Job>) {
    // Start a write transaction immediately: if two read transactions were upgraded, one of them would fail.
    let how = match batch.iter().any(|job| job.writes) {
        true => TransactionBehavior::Immediate,
        false => TransactionBehavior::Deferred,
    };
    let (mut ran, mut committed) = (Vec::new(), Ok(()));
    match connection.transaction_with_behavior(how) {
        Ok(transaction) => {
            ran.extend(batch.into_iter().map(|job| (job.run)(Ok(&transaction))));
            committed = transaction.commit();
        }
        Err(error) => {
            let why = format!("failed to begin a transaction in the SQLite run store: {error}");
            ran.extend(batch.into_iter().map(|job| (job.run)(Err(why.clone()))));
        }
    }
    let committed =
        committed.map_err(|error| format!("failed to commit to the SQLite run store: {error}"));
    for tell in ran {
        tell(committed.clone());
    }
}
