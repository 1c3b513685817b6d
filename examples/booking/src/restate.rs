//! Runs the trip on Restate. This process is both a worker and the client.

use genkit::durable::{DurableRun, RunStatus};
use genkit::{Error, Generate, GenerateResponse, Genkit, Result};
use genkit_restate::{RestateAdmin, RestateClient, RestateRun, RestateWorker};

/// A run in a store or on Restate.
pub(crate) enum Trip {
    Stored(DurableRun),
    OnRestate(RestateRun),
}

impl Trip {
    pub(crate) async fn wait(&self) -> Result<GenerateResponse> {
        match self {
            Self::Stored(run) => run.wait().await,
            Self::OnRestate(run) => run.wait().await,
        }
    }

    pub(crate) async fn answer(&self, call: &str, answer: bool) -> Result<()> {
        match self {
            Self::Stored(run) => run.answer(call, answer).await,
            Self::OnRestate(run) => run.answer(call, answer).await,
        }
    }

    pub(crate) async fn status(&self) -> Result<RunStatus> {
        match self {
            Self::Stored(run) => run.status().await,
            Self::OnRestate(run) => run.status().await,
        }
    }
}

/// Starts a worker for the Restate server whose ingress is at `url`, and starts or resumes the trip. Returns whether it
/// resumed.
///
/// Restate resumes the steps of a killed process at the address of that process, so `worker` must be the same each
/// time.
pub(crate) async fn trip(
    genkit: &Genkit,
    url: &str,
    admin: &str,
    worker: &str,
    id: &str,
    ask: Generate,
) -> Result<(Trip, bool)> {
    let client = RestateClient::new(genkit, url)?;
    let listener = std::net::TcpListener::bind(worker).map_err(|why| {
        Error::invalid_argument(format!("cannot serve at {worker} (`--worker HOST:PORT`): {why}"))
    })?;
    let serving = RestateWorker::new(genkit).serve_on(listener);
    tokio::spawn(async move {
        if let Err(error) = serving.await {
            eprintln!("the worker stopped: {error}");
        }
    });
    RestateAdmin::new(admin)?.register(&format!("http://{worker}")).await?;
    let is_known = client.find_durable_run(id).await?.is_some();
    Ok((Trip::OnRestate(client.durable_run(id, ask).await?), is_known))
}
