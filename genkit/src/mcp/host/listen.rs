//! Hears what a server tells by itself: lists that change, resources that are watched.

use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{
    ClientRequest, SubscribeRequest, SubscribeRequestParams, SubscriptionFilter,
    UnsubscribeRequest, UnsubscribeRequestParams,
};
use serde_json::Map;

use super::connection::{Asking, Connection};
use super::inbox::Kind;
use super::server::Server;
use crate::context::Context;
use crate::error::Result;

/// How long to wait before a stream that ended is opened again.
const AGAIN: Duration = Duration::from_secs(1);

/// Listens as long as the connection holds; never resolves.
pub(super) async fn run(server: Arc<Server>, connection: Arc<Connection>) {
    if connection.is_stateless() {
        stream(&server, &connection).await
    } else {
        connection.inbox.set_listens(true);
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
    let context = Context::detached();
    let of = "logging/setLevel";
    let asked = connection.ask(Asking { request, of, context: &context, meta: Map::new() }).await;
    if let Err(fault) = asked {
        let error = fault.error.chain();
        tracing::warn!(server = %server.key, error, "the server does not take the log level");
    }
}

/// Subscribes to a resource in a session.
pub(super) async fn subscribe(connection: &Connection, uri: &str) -> Result<()> {
    let request = SubscribeRequest::new(SubscribeRequestParams::new(uri));
    let request = ClientRequest::SubscribeRequest(request);
    let context = Context::detached();
    let asking = Asking { request, of: uri, context: &context, meta: Map::new() };
    connection.ask(asking).await.map(|_| ()).map_err(|fault| fault.error)
}

/// Ends a subscription in a session.
pub(super) async fn unsubscribe(connection: &Connection, uri: &str) -> Result<()> {
    let request = UnsubscribeRequest::new(UnsubscribeRequestParams::new(uri));
    let request = ClientRequest::UnsubscribeRequest(request);
    let context = Context::detached();
    let asking = Asking { request, of: uri, context: &context, meta: Map::new() };
    connection.ask(asking).await.map(|_| ()).map_err(|fault| fault.error)
}

/// Keeps one stream of changes open, with whatever is watched now.
async fn stream(server: &Server, connection: &Connection) {
    let offered = &connection.info.capabilities;
    let lists = [
        (Kind::Tools, offered.tools.as_ref().and_then(|t| t.list_changed) == Some(true)),
        (Kind::Prompts, offered.prompts.as_ref().and_then(|p| p.list_changed) == Some(true)),
        (Kind::Resources, offered.resources.as_ref().and_then(|r| r.list_changed) == Some(true)),
    ];
    let mut watched = server.watched.subscribe();
    loop {
        let uris: Vec<String> = watched.borrow_and_update().iter().cloned().collect();
        let mut filter = SubscriptionFilter::default();
        let wanted = |kind| lists.contains(&(kind, true)).then_some(true);
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
        let mut stream = match connection.peer.listen(filter).await {
            Ok(stream) => stream,
            Err(error) => {
                let error = connection.fault(error).error.chain();
                tracing::debug!(server = %server.key, error, "the server streams no changes");
                // Lists are then read again when they are old.
                let _ = tokio::time::timeout(AGAIN * 30, watched.changed()).await;
                continue;
            }
        };
        connection.inbox.set_listens(true);
        // Before the stream nothing was heard.
        connection.inbox.lists_may_differ();
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
        connection.inbox.set_listens(false);
        let _ = stream.cancel().await;
        if !more {
            tokio::time::sleep(AGAIN).await;
        }
    }
}
