//! Subscriptions to changes of a server's lists and resources.

use std::time::{Duration, Instant};

use super::connection::Connection;
use super::state::ListKind;
use crate::backoff::Backoff;
use genkit_core::Result;
use genkit_core::internal::visible::Logged;
use rmcp::model::{
    ClientRequest, SetLevelRequest, SetLevelRequestParams, SubscribeRequest,
    SubscribeRequestParams, SubscriptionFilter, UnsubscribeRequest, UnsubscribeRequestParams,
};

/// The delays before a stream that ended is reopened; each stream that ends early doubles the delay.
const REOPENING: Backoff = Backoff {
    first_delay: Duration::from_secs(1),
    max_delay: MAX_REOPEN_DELAY,
    max_retries: u32::MAX,
};

/// The maximum delay. A stream that lasts longer than this resets the delays.
const MAX_REOPEN_DELAY: Duration = Duration::from_secs(60);

/// How long a server may take to acknowledge a stream.
const ACKNOWLEDGE_TIMEOUT: Duration = Duration::from_secs(10);

/// Maintains the subscriptions of a connection; never resolves.
pub(crate) async fn keep_subscriptions(connection: &Connection) {
    if connection.is_stateless() {
        keep_stream(connection).await;
    } else {
        ListKind::ALL.into_iter().for_each(|kind| connection.session.set_announced(kind, true));
        set_level(connection).await;
        let session = &connection.session;
        let subscribed: Vec<String> = session.client.subscribed.borrow().iter().cloned().collect();
        for uri in subscribed {
            if let Err(error) = subscribe_resource(connection, &uri).await {
                let (server, error) = (&*session.server, error.chain());
                let (uri, error) = (Logged::text(uri), Logged::text(&error));
                tracing::warn!(server, %uri, %error, "cannot renew the subscription to a resource");
            }
        }
    }
    std::future::pending().await
}

/// Sets the log level of a session.
async fn set_level(connection: &Connection) {
    let session = &connection.session;
    let (Some(level), Some(_)) =
        (session.settings.log_level, &connection.info.capabilities.logging)
    else {
        return;
    };
    let params = SetLevelRequestParams::new(genkit_mcp::internal::level::to_mcp(level));
    let request = ClientRequest::SetLevelRequest(SetLevelRequest::new(params));
    if let Err(failed) = connection.own_request(request, "logging/setLevel").await {
        let (server, error) = (&*session.server, failed.error.chain());
        let error = Logged::text(&error);
        tracing::warn!(server, %error, "cannot set the log level of the server");
    }
}

/// Subscribes to a resource in a session.
pub(crate) async fn subscribe_resource(connection: &Connection, uri: &str) -> Result<()> {
    let request = SubscribeRequest::new(SubscribeRequestParams::new(uri));
    let request = ClientRequest::SubscribeRequest(request);
    connection.own_request(request, uri).await.map(|_| ()).map_err(|failed| failed.error)
}

/// Ends a subscription in a session.
pub(crate) async fn unsubscribe_resource(connection: &Connection, uri: &str) -> Result<()> {
    let request = UnsubscribeRequest::new(UnsubscribeRequestParams::new(uri));
    let request = ClientRequest::UnsubscribeRequest(request);
    connection.own_request(request, uri).await.map(|_| ()).map_err(|failed| failed.error)
}

/// Keeps one stream of changes open, with the current subscriptions.
async fn keep_stream(connection: &Connection) {
    let session = &connection.session;
    let set_announced = |all: [bool; 3]| {
        for (kind, yes) in ListKind::ALL.into_iter().zip(all) {
            session.set_announced(kind, yes);
        }
    };
    // Changes before and after a stream are not reported.
    let all_may_differ = || ListKind::ALL.into_iter().for_each(|kind| session.list_changed(kind));
    let mut subscribed = session.client.subscribed.subscribe();
    // How many streams in a row were not opened or ended early.
    let mut failures: u32 = 0;
    let delay_after = |failures| REOPENING.next_delay(failures).unwrap_or(MAX_REOPEN_DELAY);
    loop {
        let uris: Vec<String> = subscribed.borrow_and_update().iter().cloned().collect();
        let wanted = |kind| connection.can_announce(kind).then_some(true);
        let mut filter = SubscriptionFilter::default();
        filter.tools_list_changed = wanted(ListKind::Tools);
        filter.prompts_list_changed = wanted(ListKind::Prompts);
        filter.resources_list_changed = wanted(ListKind::Resources);
        filter.resource_subscriptions = (!uris.is_empty()).then_some(uris);
        if filter == SubscriptionFilter::default() {
            if subscribed.changed().await.is_err() {
                return;
            }
            continue;
        }
        let opening = connection.peer.listen(filter);
        let mut stream = match tokio::time::timeout(ACKNOWLEDGE_TIMEOUT, opening).await {
            Ok(Ok(stream)) => stream,
            refused => {
                let error = match refused {
                    Ok(Err(error)) => connection.request_error(error).error.chain(),
                    _ => format!("it did not acknowledge within {ACKNOWLEDGE_TIMEOUT:?}"),
                };
                let server = &*session.server;
                let error = Logged::text(&error);
                tracing::debug!(server, %error, "cannot open the server's stream of changes");
                // Lists are then read again when they expire.
                let _ = tokio::time::timeout(delay_after(failures), subscribed.changed()).await;
                failures = failures.saturating_add(1);
                continue;
            }
        };
        let accepted = stream.acknowledged();
        set_announced([
            accepted.tools_list_changed == Some(true),
            accepted.prompts_list_changed == Some(true),
            accepted.resources_list_changed == Some(true),
        ]);
        all_may_differ();
        let since = Instant::now();
        let has_changed = loop {
            tokio::select! {
                // The interceptor has already handled the notifications.
                notified = stream.next() => match notified {
                    Ok(Some(_)) => {}
                    Ok(None) | Err(_) => break false,
                },
                changed = subscribed.changed() => break changed.is_ok(),
            }
        };
        set_announced([false; 3]);
        let _ = stream.cancel().await;
        if !has_changed {
            all_may_differ();
            if since.elapsed() > MAX_REOPEN_DELAY {
                failures = 0;
            }
            tokio::time::sleep(delay_after(failures)).await;
            failures = failures.saturating_add(1);
        }
    }
}
