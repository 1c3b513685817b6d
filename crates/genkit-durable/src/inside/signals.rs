//! Waiting for signals.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::call_of_run;
use super::mail::LiveRun;
use crate::error::Error as E;
use genkit_core::internal::context::{ExternalOperation, RunWait};
use genkit_core::{BoxFuture, Context, Result};

/// The interval between two checks of a run that waits for a signal. Default is a day; the signal itself wakes the run.
const CHECK_INTERVAL: Duration = Duration::from_secs(24 * 3600);

/// A signal that a call waits for.
struct ExpectedSignal {
    live: Arc<LiveRun>,
    name: String,
}

impl ExternalOperation for ExpectedSignal {
    fn poll_operation(&self) -> BoxFuture<'_, Option<Duration>> {
        let wait = (!self.live.has_signal(&self.name)).then_some(CHECK_INTERVAL);
        Box::pin(std::future::ready(wait))
    }

    fn describe(&self) -> RunWait {
        RunWait::Signal(self.name.clone())
    }

    fn cancel_operation(&self) {}
}

pub(super) async fn receive_signal(context: &Context, name: &str) -> Result<Value> {
    let live = call_of_run(context)?.live.clone().ok_or(E::NotInRun)?;
    let key = context.nth_key(&format!("signal/{name}"));
    let by = context.idempotency_key(&key).ok_or(E::NotInRun)?;
    if let Some(value) = context.recorded_result(&key) {
        live.remove_signal(&by);
        return Ok(value);
    }
    let _following = context.follow_operation();
    let _listening = live.listen();
    let mut arrived = live.watch_mail();
    let expected = Arc::new(ExpectedSignal { live: Arc::clone(&live), name: name.to_owned() });
    loop {
        if let Some(value) = live.take_signal(name, &by) {
            context.record_saved(&key, value.clone()).await?;
            live.remove_signal(&by);
            return Ok(value);
        }
        tokio::select! {
            _ = arrived.changed() => {}
            () = context.wait_suspended(Arc::clone(&expected) as _, CHECK_INTERVAL) => {}
        }
    }
}
