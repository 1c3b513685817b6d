//! A worker: performs the runs, tools and flows of a registry for Temporal.

use std::fmt::Display;

use genkit::{BoxFuture, Genkit, Result};
use temporalio_client::Client;
use temporalio_sdk::{Runtime, Worker, WorkerOptions};

use crate::error::Error as E;
use crate::limits::{CANCEL_TIMEOUT, HEARTBEAT_INTERVAL, STICKY_TIMEOUT};
use crate::steps::Steps;
use crate::workflow::RunWorkflow;

/// A worker for Temporal: it performs the runs of a task queue with every model, tool and flow of the registry. Any
/// number of workers can poll one task queue.
///
/// ```no_run
/// # async fn example(genkit: genkit::Genkit) -> genkit::Result<()> {
/// use genkit_temporal::TemporalWorker;
///
/// let temporal = genkit_temporal::connect("http://127.0.0.1:7233").await?;
/// TemporalWorker::new(&genkit, &temporal).run().await // until Ctrl-C
/// # }
/// ```
pub struct TemporalWorker {
    genkit: Genkit,
    client: Client,
    queue: String,
    until: Option<BoxFuture<'static, ()>>,
}

impl TemporalWorker {
    /// Creates a worker of this instance.
    pub fn new(genkit: &Genkit, client: &Client) -> Self {
        let queue = crate::TASK_QUEUE.to_owned();
        Self { genkit: genkit.clone(), client: client.clone(), queue, until: None }
    }

    /// Sets the task queue that the worker polls. Default is `genkit`.
    #[must_use]
    pub fn task_queue(mut self, name: impl Into<String>) -> Self {
        self.queue = name.into();
        self
    }

    /// Stops the worker when `signal` resolves, instead of on Ctrl-C. Steps in progress have 5 seconds to finish; other
    /// workers perform the steps that do not.
    #[must_use]
    pub fn until(mut self, signal: impl Future<Output = ()> + Send + 'static) -> Self {
        self.until = Some(Box::pin(signal));
        self
    }

    /// Runs the worker. Its future is not `Send`: await it in `main` or in a `LocalSet`.
    ///
    /// # Errors
    /// Returns `FailedPrecondition` if the namespace does not exist, or if the client is not allowed to poll the task
    /// queue.
    pub async fn run(self) -> Result<()> {
        let runtime = Runtime::from_current_tokio(Default::default()).map_err(worker_error)?;
        let options = WorkerOptions::new(self.queue)
            .register_workflow::<RunWorkflow>()
            .map_err(worker_error)?
            .register_activities(Steps { genkit: self.genkit })
            .graceful_shutdown_period(CANCEL_TIMEOUT)
            .max_heartbeat_throttle_interval(HEARTBEAT_INTERVAL)
            .sticky_queue_schedule_to_start_timeout(STICKY_TIMEOUT)
            .build();
        let mut worker = Worker::new(&runtime, self.client, options).map_err(worker_error)?;
        let stop = worker.shutdown_handle();
        let until = self.until.unwrap_or_else(|| {
            Box::pin(async {
                if tokio::signal::ctrl_c().await.is_err() {
                    // Without a signal handler, the worker runs until the process ends.
                    std::future::pending::<()>().await;
                }
            })
        });
        let mut running = std::pin::pin!(worker.run());
        tokio::select! {
            ran = &mut running => return ran.map_err(worker_error),
            () = until => stop(),
        }
        running.await.map_err(worker_error)
    }
}

fn worker_error(why: impl Display) -> genkit::Error {
    E::Worker(why.to_string()).into()
}

/// Prints settings only.
impl std::fmt::Debug for TemporalWorker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TemporalWorker").field("queue", &self.queue).finish_non_exhaustive()
    }
}
