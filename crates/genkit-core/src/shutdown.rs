//! Shutdown: the signals that stop a server of this program.

use std::future::Future;

use tokio_util::sync::CancellationToken;

use crate::future::BoxFuture;

/// Cancels `stop` when the program's `shutdown` future or the signal future `interrupted` resolves.
pub async fn cancel_at_shutdown(
    shutdown: Option<BoxFuture<'static, ()>>,
    interrupted: impl Future<Output = ()>,
    stop: CancellationToken,
) {
    let shutdown = async {
        match shutdown {
            Some(signal) => signal.await,
            None => std::future::pending().await,
        }
    };
    let by = tokio::select! {
        () = shutdown => "the program",
        () = interrupted => "a signal",
    };
    tracing::info!(
        by,
        "shutting down; new requests are rejected, and running requests have a few seconds to finish"
    );
    stop.cancel();
}

/// Waits for Ctrl-C or SIGTERM. Registers the signal handlers when it is called, not when it is first polled. Otherwise
/// a signal that arrives right after the first response would terminate the program immediately.
#[cfg(unix)]
pub fn wait_for_signal() -> impl Future<Output = ()> {
    use tokio::signal::unix::{SignalKind, signal};
    let terminate = signal(SignalKind::terminate());
    let interrupt = signal(SignalKind::interrupt());
    async move {
        let (Ok(mut terminate), Ok(mut interrupt)) = (terminate, interrupt) else {
            return std::future::pending().await;
        };
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    }
}

#[cfg(not(unix))]
pub async fn wait_for_signal() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending().await
    }
}
