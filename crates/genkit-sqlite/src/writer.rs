//! One thread that has the connection: what comes at the same moment shares a transaction, and so a flush.

use std::sync::mpsc;

use genkit::{BoxFuture, Error, ErrorKind, Result};
use rusqlite::{Connection, TransactionBehavior};
use tokio::sync::oneshot;

use crate::schema::failed;

/// How many jobs share a transaction, at most. Default is 64.
const BATCH: usize = 64;

/// A job that has run, and tells whoever asked once its transaction is committed; or why that failed.
type Tell = Box<dyn FnOnce(Result<(), String>) + Send>;

/// What runs on the connection, or is told why it cannot.
type Work = Box<dyn FnOnce(Result<&Connection, String>) -> Tell + Send>;

struct Job {
    writes: bool,
    run: Work,
}

/// The way to the thread, which ends with the last of them.
#[derive(Clone)]
pub(crate) struct WriterThread(mpsc::Sender<Job>);

impl WriterThread {
    pub(crate) fn new(connection: Connection) -> Result<Self> {
        let (sender, jobs) = mpsc::channel();
        std::thread::Builder::new()
            .name("genkit-sqlite".to_owned())
            .spawn(move || work(connection, &jobs))?;
        Ok(Self(sender))
    }

    /// Runs `work` there.
    pub(crate) fn run<T: Send + 'static>(
        &self,
        writes: bool,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> BoxFuture<'static, Result<T>> {
        let (reply, told) = oneshot::channel();
        let unavailable = |why| Error::new(ErrorKind::Unavailable, why);
        let run = Box::new(move |db: Result<&Connection, String>| {
            let done = db
                .map_err(unavailable)
                .and_then(|db| within_savepoint(db, writes, work).map_err(failed));
            let tell: Tell = Box::new(move |committed| {
                let done = committed.map_err(unavailable).and(done);
                // Whoever asked may have gone.
                let _ = reply.send(done);
            });
            tell
        });
        let gone =
            || Error::new(ErrorKind::Unavailable, "the thread of the SQLite store has ended");
        let sent = self.0.send(Job { writes, run }).map_err(|_| gone());
        Box::pin(async move {
            sent?;
            told.await.map_err(|_| gone())?
        })
    }
}

/// What fails leaves nothing behind, and what shares its transaction goes on.
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

fn work(mut connection: Connection, jobs: &mpsc::Receiver<Job>) {
    while let Ok(first) = jobs.recv() {
        let mut batch = vec![first];
        batch.extend(jobs.try_iter().take(BATCH - 1));
        run(&mut connection, batch);
    }
}

fn run(connection: &mut Connection, batch: Vec<Job>) {
    // Writing is announced at once: a reader that becomes a writer could meet another, and both would fail.
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
            let why = format!("the SQLite store of runs is not free: {error}");
            ran.extend(batch.into_iter().map(|job| (job.run)(Err(why.clone()))));
        }
    }
    let committed =
        committed.map_err(|error| format!("the SQLite store of runs did not commit: {error}"));
    for tell in ran {
        tell(committed.clone());
    }
}
