//! A worker: serves the runs, tools and flows of a registry to Restate.

use std::time::Duration;

use genkit::{BoxFuture, Genkit, Result};
use restate_sdk::endpoint::{Endpoint, ServiceOptions};
use restate_sdk::http_server::HttpServer;
use restate_sdk::service::IntoServiceDefinition as _;
use tokio::net::TcpListener;

use crate::error::Error as E;
use crate::limits::{ABORT, FIRST_RETRY, LONGEST_RETRY, LONGEST_STEP};
use crate::object::RunObject;
use crate::work::WorkService;

/// Restate worker: serves every tool and every flow of the registry, and the object of runs. As many of them as there
/// are stand behind one address, which Restate is told once:
/// [`RestateAdmin::register`](crate::RestateAdmin::register).
///
/// ```no_run
/// # async fn example(genkit: genkit::Genkit) -> genkit::Result<()> {
/// use genkit_restate::RestateWorker;
///
/// RestateWorker::new(&genkit).serve("127.0.0.1:9080").await // until Ctrl-C
/// # }
/// ```
pub struct RestateWorker {
    genkit: Genkit,
    longest_step: Duration,
    keep_journals: Duration,
    identity_keys: Vec<String>,
    until: Option<BoxFuture<'static, ()>>,
}

impl RestateWorker {
    /// Restate worker of this instance.
    pub fn new(genkit: &Genkit) -> Self {
        let tools = genkit.registry().tools();
        let longest = tools.iter().filter_map(|tool| tool.timeout()).max().unwrap_or_default();
        Self {
            genkit: genkit.clone(),
            longest_step: LONGEST_STEP.max(longest.saturating_add(ABORT)),
            keep_journals: Duration::ZERO,
            identity_keys: Vec::new(),
            until: None,
        }
    }

    /// Step timeout: the longest time that a step is waited for, a model call, a tool call or a flow between two
    /// [`once`](genkit::Context::once). Default is 15 minutes, and more where the `timeout` of a tool says so. A step
    /// that takes longer is given to another worker while it still runs; a flow that asks somebody is let go after
    /// it, and goes on when it has its answer.
    #[must_use]
    pub fn longest_step(mut self, limit: Duration) -> Self {
        self.longest_step = limit;
        self
    }

    /// Journal retention: how long Restate keeps the journals of steps that have ended, which its user interface
    /// shows. Default is not at all: each journal of a model call has the conversation in it.
    #[must_use]
    pub fn keep_journals(mut self, time: Duration) -> Self {
        self.keep_journals = time;
        self
    }

    /// Identity key of Restate (`publickeyv1_..`): requests that are not signed with it are refused. Several may be given.
    #[must_use]
    pub fn identity_key(mut self, key: impl Into<String>) -> Self {
        self.identity_keys.push(key.into());
        self
    }

    /// Shutdown: stops when `signal` resolves, instead of at Ctrl-C. Steps that are under way have some seconds to
    /// end; what does not is given to another worker.
    #[must_use]
    pub fn until(mut self, signal: impl Future<Output = ()> + Send + 'static) -> Self {
        self.until = Some(Box::pin(signal));
        self
    }

    /// Serves at this address.
    ///
    /// # Errors
    /// `FailedPrecondition` where it cannot listen there, `InvalidArgument` for an identity key that is none.
    pub async fn serve(self, at: &str) -> Result<()> {
        let listener = TcpListener::bind(at).await;
        let listener = listener.map_err(|why| E::Listen { at: at.to_owned(), why })?;
        self.serve_on(listener.into_std().map_err(|why| E::Listen { at: at.to_owned(), why })?)
            .await
    }

    /// Serves with a listener that is bound already.
    ///
    /// # Errors
    /// As [`serve`](Self::serve).
    pub async fn serve_on(mut self, listener: std::net::TcpListener) -> Result<()> {
        let failed = |why| E::Listen { at: "the listener that was given".to_owned(), why };
        listener.set_nonblocking(true).map_err(failed)?;
        let listener = TcpListener::from_std(listener).map_err(failed)?;
        let until = self.until.take().unwrap_or_else(|| {
            Box::pin(async {
                if tokio::signal::ctrl_c().await.is_err() {
                    // Whoever cannot be told serves until the process ends.
                    std::future::pending::<()>().await;
                }
            })
        });
        let server = HttpServer::new(self.into_endpoint()?);
        server.serve_with_cancel(listener, until).await;
        Ok(())
    }

    /// The endpoint of Restate's SDK, for a server of its own (`restate_sdk::http_server::HttpServer`, Lambda).
    ///
    /// # Errors
    /// `InvalidArgument` for an identity key that is none.
    pub fn into_endpoint(self) -> Result<Endpoint> {
        let options = || {
            ServiceOptions::new()
                .inactivity_timeout(self.longest_step)
                .abort_timeout(ABORT)
                .journal_retention(self.keep_journals)
                .retry_policy_initial_interval(FIRST_RETRY)
                .retry_policy_exponentiation_factor(2.0)
                .retry_policy_max_interval(LONGEST_RETRY)
        };
        let run = RunObject { genkit: self.genkit.clone() };
        let work = WorkService { genkit: self.genkit.clone(), longest: self.longest_step };
        let mut endpoint = Endpoint::builder()
            .bind(run.into_service_definition().options(options()))
            .bind(work.into_service_definition().options(options()));
        for key in &self.identity_keys {
            let with_key = endpoint.identity_key(key);
            endpoint = with_key.map_err(|_| E::IdentityKey(key.clone()))?;
        }
        Ok(endpoint.build())
    }
}

/// Names, never content.
impl std::fmt::Debug for RestateWorker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RestateWorker")
            .field("longest_step", &self.longest_step)
            .finish_non_exhaustive()
    }
}
