//! Hears what a server tells by itself: lists that change, resources that are watched.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::connection::Connection;
use super::notifications::Kind;
use crate::error::Result;
use crate::mcp::host::lifecycle::server::Server;
use rmcp::model::{
    ClientRequest, SubscribeRequest, SubscribeRequestParams, SubscriptionFilter,
    UnsubscribeRequest, UnsubscribeRequestParams,
};

/// How long to wait before a stream that ended is opened again.
const AGAIN: Duration = Duration::from_secs(1);

/// The longest such wait: each that ends at once doubles it.
const LONGEST: Duration = Duration::from_secs(60);

/// How long a server may take to acknowledge a stream.
const OPENING: Duration = Duration::from_secs(10);

/// Listens as long as the connection holds; never resolves.
pub(crate) async fn run(server: Arc<Server>, connection: Arc<Connection>) {
    if connection.is_stateless() {
        stream(&server, &connection).await
    } else {
        Kind::ALL.into_iter().for_each(|kind| connection.inbox.set_heard(kind, true));
        set_level(&server, &connection).await;
        let watched: Vec<String> = server.watched.borrow().iter().cloned().collect();
        for uri in watched {
            if let Err(error) = subscribe(&connection, &uri).await {
                let error = error.chain();
                tracing::warn!(server = %server.key, uri, error, "a resource is watched no more");
            }
        }
    }
    std::future::pending().await
}

/// Tells a session how serious log messages must be.
async fn set_level(server: &Server, connection: &Connection) {
    let (Some(level), Some(_)) = (server.settings.log_level, &connection.info.capabilities.logging)
    else {
        return;
    };
    let params = rmcp::model::SetLevelRequestParams::new(crate::mcp::level::to_mcp(level));
    let request = ClientRequest::SetLevelRequest(rmcp::model::SetLevelRequest::new(params));
    if let Err(fault) = connection.ask_alone(request, "logging/setLevel").await {
        let error = fault.error.chain();
        tracing::warn!(server = %server.key, error, "the server does not take the log level");
    }
}

/// Subscribes to a resource in a session.
pub(crate) async fn subscribe(connection: &Connection, uri: &str) -> Result<()> {
    let request = SubscribeRequest::new(SubscribeRequestParams::new(uri));
    let request = ClientRequest::SubscribeRequest(request);
    connection.ask_alone(request, uri).await.map(|_| ()).map_err(|fault| fault.error)
}

/// Ends a subscription in a session.
pub(crate) async fn unsubscribe(connection: &Connection, uri: &str) -> Result<()> {
    let request = UnsubscribeRequest::new(UnsubscribeRequestParams::new(uri));
    let request = ClientRequest::UnsubscribeRequest(request);
    connection.ask_alone(request, uri).await.map(|_| ()).map_err(|fault| fault.error)
}

/// Keeps one stream of changes open, with whatever is watched now.
async fn stream(server: &Server, connection: &Connection) {
    let mut watched = server.watched.subscribe();
    let mut pause = AGAIN;
    loop {
        let uris: Vec<String> = watched.borrow_and_update().iter().cloned().collect();
        let mut filter = SubscriptionFilter::default();
        let wanted = |kind| connection.announces(kind).then_some(true);
        filter.tools_list_changed = wanted(Kind::Tools);
        filter.prompts_list_changed = wanted(Kind::Prompts);
        filter.resources_list_changed = wanted(Kind::Resources);
        filter.resource_subscriptions = (!uris.is_empty()).then_some(uris);
        if filter == SubscriptionFilter::default() {
            if watched.changed().await.is_err() {
                return;
            }
            continue;
        }
        let opening = tokio::time::timeout(OPENING, connection.peer.listen(filter)).await;
        let mut stream = match opening {
            Ok(Ok(stream)) => stream,
            refused => {
                let error = match refused {
                    Ok(Err(error)) => connection.fault(error).error.chain(),
                    _ => format!("it did not acknowledge within {OPENING:?}"),
                };
                tracing::debug!(server = %server.key, error, "the server streams no changes");
                // Lists are then read again when they are old.
                let _ = tokio::time::timeout(pause, watched.changed()).await;
                pause = (pause * 2).min(LONGEST);
                continue;
            }
        };
        let accepted = stream.acknowledged().clone();
        connection.inbox.set_heard(Kind::Tools, accepted.tools_list_changed == Some(true));
        connection.inbox.set_heard(Kind::Prompts, accepted.prompts_list_changed == Some(true));
        connection.inbox.set_heard(Kind::Resources, accepted.resources_list_changed == Some(true));
        // Before the stream nothing was heard.
        connection.inbox.lists_may_differ();
        let since = Instant::now();
        let more = loop {
            tokio::select! {
                // Notifications passed the tap before they came here.
                heard = stream.next() => match heard {
                    Ok(Some(_)) => {}
                    Ok(None) | Err(_) => break false,
                },
                changed = watched.changed() => break changed.is_ok(),
            }
        };
        Kind::ALL.into_iter().for_each(|kind| connection.inbox.set_heard(kind, false));
        let _ = stream.cancel().await;
        if !more {
            // Nothing is heard until the next stream, if there is one.
            connection.inbox.lists_may_differ();
            if since.elapsed() > LONGEST {
                pause = AGAIN;
            }
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(LONGEST);
        }
    }
}
