//! Protocol version 2: the program connects to the CLI, and both use JSON-RPC 2.0 over a WebSocket.

mod backoff;
mod connection;
mod session;

use self::backoff::Backoff;
use super::actions::ActionsByKey;
use super::environment::DevEnvironment;
use super::error::Error as E;
use genkit_core::internal::visible::Logged;

/// Connects to `url`, and reconnects whenever the connection is lost, until the program ends.
pub(super) async fn run_client(
    url: &str,
    environment: &DevEnvironment,
    actions: &ActionsByKey,
) -> Result<(), E> {
    let authority = url.strip_prefix("ws://").map(|rest| rest.split('/').next().unwrap_or(rest));
    let Some(authority) = authority.filter(|authority| !authority.is_empty()) else {
        return Err(E::ServerUrl(url.to_owned()));
    };
    let mut backoff = Backoff::default();
    loop {
        match connection::open_socket(url, authority).await {
            Ok(socket) => {
                tracing::info!("this program is available to Genkit's developer tools at {url}");
                backoff = Backoff::default();
                let ended = connection::serve_socket(socket, environment, actions).await;
                tracing::info!(ended = %Logged::text(&ended), "lost the connection to Genkit's developer tools");
            }
            Err(error) if backoff.is_first() => {
                tracing::warn!(error = %Logged::text(&error), "cannot reach the developer tools at {url}; retrying");
            }
            Err(error) => {
                tracing::debug!(error = %Logged::text(&error), "cannot reach the developer tools at {url}")
            }
        }
        tokio::time::sleep(backoff.next()).await;
    }
}

#[cfg(test)]
mod tests;
