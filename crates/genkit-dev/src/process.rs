//! The developer tools of this process, shared by all instances that it serves.

use std::sync::Mutex;

use tokio::runtime::Handle;
use tokio::task::JoinHandle;

use super::actions::ActionsByKey;
use super::environment::DevEnvironment;
use super::error::Error as E;
use super::{http, websocket};
use genkit_agent::Instance;
use genkit_core::Error;
use genkit_core::internal::sync::lock;
use genkit_core::internal::visible::Logged;

/// The running tools, if any.
static RUNNING: Mutex<Option<RunningTools>> = Mutex::new(None);

struct RunningTools {
    actions: ActionsByKey,
    /// The task, which ends with its runtime.
    task: JoinHandle<()>,
}

/// Starts the tools, or adds `genkit` to the running tools.
pub(super) fn start(environment: DevEnvironment, genkit: &Instance) {
    let Ok(runtime) = Handle::try_current() else {
        let error = Error::from(E::MissingRuntime);
        return tracing::error!(%error, "this program is not available to Genkit's developer tools");
    };
    let mut running = lock(&RUNNING);
    if let Some(running) = running.as_ref().filter(|running| !running.task.is_finished()) {
        return running.actions.add(genkit);
    }
    let actions = ActionsByKey::default();
    actions.add(genkit);
    let shown = actions.clone();
    let task = runtime.spawn(async move {
        let ended = match environment.server.clone() {
            Some(server) => websocket::run_client(&server, &environment, &shown).await,
            None => http::serve_http(&environment, &shown).await,
        };
        if let Err(error) = ended {
            let error = Error::from(error);
            tracing::error!(
                error = %Logged::text(error.chain()),
                "this program is not available to Genkit's developer tools"
            );
        }
    });
    *running = Some(RunningTools { actions, task });
}

/// Stops the tools and removes their files.
pub(super) async fn stop_tools() {
    let running = lock(&RUNNING).take();
    if let Some(RunningTools { task, .. }) = running {
        task.abort();
        // The only possible error is that the task was cancelled.
        let _ = task.await;
    }
}
