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

/// A worker for Restate, which serves every tool and every flow of the registry, and the object that stores runs. Any
/// number of workers can run behind one URL, which is registered once with
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
    /// Creates a worker of this instance.
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

    /// Sets the step timeout: the longest time that Restate waits for a step (a model call, a tool call, or the part of
    /// a flow between two calls to [`once`](genkit::Context::once)). Default is 15 minutes, or more if a tool has a
    /// longer `timeout`. Restate sends a step that takes longer to another worker, although it is still running. A flow
    /// that waits for an answer is suspended after this time, and resumes when it is answered.
    #[must_use]
    pub fn longest_step(mut self, limit: Duration) -> Self {
        self.longest_step = limit;
        self
    }

    /// Sets the journal retention: how long Restate keeps the journals of finished steps, which its user
    /// interface shows. Default is zero, since the journal of a model call contains the conversation.
    #[must_use]
    pub fn keep_journals(mut self, time: Duration) -> Self {
        self.keep_journals = time;
        self
    }

    /// Adds an identity key of Restate (`publickeyv1_..`). Requests that are not signed with one of these keys are
    /// rejected.
    #[must_use]
    pub fn identity_key(mut self, key: impl Into<String>) -> Self {
        self.identity_keys.push(key.into());
        self
    }

    /// Stops the worker when `signal` resolves, instead of on Ctrl-C. Steps in progress have a few seconds to finish;
    /// other workers perform the steps that do not.
    #[must_use]
    pub fn until(mut self, signal: impl Future<Output = ()> + Send + 'static) -> Self {
        self.until = Some(Box::pin(signal));
        self
    }

    /// Listens at this address and serves until the worker is stopped.
    ///
    /// # Errors
    /// Returns `FailedPrecondition` if the worker cannot listen at the address, and `InvalidArgument` for an invalid
    /// identity key.
    pub async fn serve(self, at: &str) -> Result<()> {
        let listener = TcpListener::bind(at).await;
        let listener = listener.map_err(|why| E::Listen { at: at.to_owned(), why })?;
        self.serve_on(listener.into_std().map_err(|why| E::Listen { at: at.to_owned(), why })?)
            .await
    }

    /// Serves with a listener that is already bound.
    ///
    /// # Errors
    /// Returns the same errors as [`serve`](Self::serve).
    pub async fn serve_on(mut self, listener: std::net::TcpListener) -> Result<()> {
        let failed = |why| E::Listen { at: "the given listener".to_owned(), why };
        listener.set_nonblocking(true).map_err(failed)?;
        let listener = TcpListener::from_std(listener).map_err(failed)?;
        let until = self.until.take().unwrap_or_else(|| {
            Box::pin(async {
                if tokio::signal::ctrl_c().await.is_err() {
                    // Without a signal handler, the worker serves until the process ends.
                    std::future::pending::<()>().await;
                }
            })
        });
        let server = HttpServer::new(self.into_endpoint()?);
        server.serve_with_cancel(listener, until).await;
        Ok(())
    }

    /// Converts the worker into an endpoint of Restate's SDK, for a custom server
    /// (`restate_sdk::http_server::HttpServer`, Lambda).
    ///
    /// # Errors
    /// Returns `InvalidArgument` for an invalid identity key.
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

/// Prints only settings.
impl std::fmt::Debug for RestateWorker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RestateWorker")
            .field("longest_step", &self.longest_step)
            .finish_non_exhaustive()
    }
}
