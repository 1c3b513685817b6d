//! Retries of requests that the server certainly did not process.

use std::sync::Arc;

use rmcp::model::{ClientRequest, ServerResult};

use super::error::Error;
use super::meta;
use crate::error::ServerErrorExt as _;
use crate::lifecycle::server::ManagedServer;
use crate::session::connection::Connection;
use genkit_core::Context;
use genkit_core::internal::visible::Logged;
use genkit_core::{Error as PublicError, Result};

/// Sends a request, and resends it over a new connection if the server did not receive it.
pub(super) async fn with_retry(
    server: &ManagedServer,
    context: &Context,
    target: &str,
    request: &ClientRequest,
) -> Result<(ServerResult, Arc<Connection>)> {
    // A server that hangs must not accumulate an unlimited number of open requests.
    let Ok(_place) = server.permits.try_acquire() else {
        return Err(Error::Busy.for_server(&server.key));
    };
    let mut connection = server.wait_connected().await?;
    let mut is_retry = false;
    loop {
        let meta = meta::request_meta(&connection, context);
        let failed = match connection.send_request(request.clone(), target, context, meta).await {
            Ok(result) => return Ok((result, connection)),
            Err(failed) => failed,
        };
        // If one request was rejected, the session may still be intact. The other requests then continue.
        if !failed.is_connection_lost || (failed.is_unseen && connection.is_alive().await) {
            return Err(failed.error);
        }
        if failed.is_unseen {
            connection.session.end_because(failed.error.to_string());
        }
        connection.session.end_session();
        if is_retry || !failed.is_unseen {
            return Err(with_cause(server, &connection, failed.error).await);
        }
        is_retry = true;
        let target = Logged::name(target);
        tracing::info!(server = %server.key, %target, "resending a request over a new connection");
        connection = server.wait_connected().await?;
    }
}

/// Appends the cause of the connection's end to the error, unless the error already contains the cause.
async fn with_cause(
    server: &ManagedServer,
    connection: &Connection,
    error: PublicError,
) -> PublicError {
    let text = error.to_string();
    match server.end_cause(connection).await {
        Some(cause) if !text.contains(&cause.to_string()) => {
            PublicError::new(error.kind(), format!("{text}: {}", cause.chain()))
        }
        _ => error,
    }
}
