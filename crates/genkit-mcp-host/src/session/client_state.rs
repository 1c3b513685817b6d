//! State of one server that outlives its connections: roots, subscriptions, sign-in.

use std::collections::BTreeSet;
use std::sync::{Mutex, RwLock};
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;

use super::message_rate::MessageRate;
use crate::input::sampling::SamplingUsage;
use genkit_core::Root;
use genkit_core::internal::warnings::WarningBudget;

#[derive(Default)]
pub(crate) struct ClientState {
    /// The roots of this server, if they differ from the roots of the host.
    pub(crate) roots: RwLock<Option<Vec<Root>>>,
    /// The resources that are subscribed to, across connections.
    pub(crate) subscribed: watch::Sender<BTreeSet<String>>,
    /// The log lines of the current second, and how many were omitted.
    pub(crate) logged: Mutex<(MessageRate, u64)>,
    /// The server's usage of the program's model.
    pub(crate) sampling: SamplingUsage,
    /// Limits the warnings about the server's requests.
    pub(crate) warnings: WarningBudget,
    /// Whether a sign-in of the user is in progress.
    pub(crate) signing_in: watch::Sender<bool>,
}

impl ClientState {
    pub(crate) fn is_signing_in(&self) -> bool {
        *self.signing_in.borrow()
    }

    /// Resolves after `limit`, not counting the time while the user signs in.
    pub(crate) async fn wait_elapsed(&self, limit: Duration) {
        let mut signing_in = self.signing_in.subscribe();
        let mut left = limit;
        loop {
            // Neither wait can fail, because this value owns the channel.
            let _ = signing_in.wait_for(|now| !now).await;
            let began = Instant::now();
            tokio::select! {
                () = tokio::time::sleep(left) => return,
                _ = signing_in.wait_for(|now| *now) => left = left.saturating_sub(began.elapsed()),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn time_of_a_sign_in_does_not_count() {
        let state = ClientState::default();
        let began = Instant::now();
        let sign_in = async {
            tokio::time::sleep(Duration::from_secs(4)).await;
            state.signing_in.send_replace(true);
            tokio::time::sleep(Duration::from_secs(100)).await;
            state.signing_in.send_replace(false);
        };
        tokio::join!(state.wait_elapsed(Duration::from_secs(10)), sign_in);
        assert_eq!(began.elapsed().as_secs(), 110);
    }
}
