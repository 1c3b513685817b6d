//! Reflection of this process: one for all instances that it serves, whoever starts it first.

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

/// What runs, if anything does.
static RUNNING: Mutex<Option<RunningTools>> = Mutex::new(None);

struct RunningTools {
    actions: ActionsByKey,
    /// Ends with its runtime.
    task: JoinHandle<()>,
}

/// Starts it, or adds `genkit` to what it shows.
pub(super) fn start(environment: DevEnvironment, genkit: &Instance) {
    let Ok(runtime) = Handle::try_current() else {
        let error = Error::from(E::NoRuntime);
        return tracing::error!(%error, "Genkit's developer tools cannot see this program");
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
            Some(server) => websocket::run(&server, &environment, &shown).await,
            None => http::serve(&environment, &shown).await,
        };
        if let Err(error) = ended {
            let error = Error::from(error);
            tracing::error!(
                error = %Logged::text(error.chain()),
                "Genkit's developer tools cannot see this program"
            );
        }
    });
    *running = Some(RunningTools { actions, task });
}

/// Stops it, and takes away what it wrote.
pub(super) async fn stop() {
    let running = lock(&RUNNING).take();
    if let Some(RunningTools { task, .. }) = running {
        task.abort();
        // The error is that it was stopped.
        let _ = task.await;
    }
}
