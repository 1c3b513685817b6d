//! The thread that sends spans.

use std::time::Duration;

use reqwest::{Client, Url, header};
use serde_json::Value;

use super::genkit_form::build_posts;
use super::queue::Queue;
use genkit_http_client::internal::net::{Route, build_client, client_builder, root_cause};
use genkit_schema::internal::truncate::excerpt;

/// The time limit of a request. Default is 5 seconds.
const POST_TIMEOUT: Duration = Duration::from_secs(5);

/// The maximum number of bytes read from an error response from the server. Default is 4 KiB.
const MAX_ERROR_BODY: usize = 4 * 1024;

/// Starts the thread. Returns whether it is running.
pub(super) fn start(queue: Queue) -> bool {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let started = runtime.and_then(|runtime| {
        std::thread::Builder::new().name("genkit-telemetry".to_owned()).spawn(move || {
            runtime.block_on(Sender { queue, client: None, is_down: false }.run_sender())
        })
    });
    if let Err(error) = &started {
        tracing::warn!(%error, "cannot start the telemetry thread, so traces are not exported");
    }
    started.is_ok()
}

struct Sender {
    queue: Queue,
    /// The client, with the server that it was created for.
    client: Option<(Url, Client)>,
    /// Set after a failure has been logged, until a request succeeds.
    is_down: bool,
}

impl Sender {
    async fn run_sender(mut self) {
        loop {
            let batch = self.queue.next().await;
            for post in build_posts(batch.spans) {
                match self.send_post(&batch.server, &post).await {
                    Ok(()) => {
                        self.is_down = false;
                        self.queue.mark_sent();
                    }
                    Err(why) => {
                        if !std::mem::replace(&mut self.is_down, true) {
                            tracing::warn!(
                                server = %batch.server, why,
                                "traces cannot be sent to Genkit's telemetry server and are dropped"
                            );
                        }
                        // The remaining requests would fail in the same way. The next batch is tried again.
                        break;
                    }
                }
            }
            for flush in batch.flushes {
                let _ = flush.send(());
            }
        }
    }

    async fn send_post(&mut self, server: &Url, post: &Value) -> Result<(), String> {
        let client = self.http_client(server)?;
        let request = client
            .post(server.clone())
            .header(header::CONTENT_TYPE, "application/json")
            .timeout(POST_TIMEOUT)
            .body(post.to_string());
        let mut answer = request.send().await.map_err(|error| root_cause(&error))?;
        let status = answer.status();
        let mut said = Vec::new();
        // Read the response body so that the connection can be reused.
        while let Ok(Some(piece)) = answer.chunk().await {
            said.extend_from_slice(&piece);
            if said.len() > MAX_ERROR_BODY {
                break;
            }
        }
        if status.is_success() {
            return Ok(());
        }
        Err(format!("{status}: {}", excerpt(&String::from_utf8_lossy(&said), 300)))
    }

    fn http_client(&mut self, server: &Url) -> Result<Client, String> {
        if let Some((made_for, client)) = &self.client
            && made_for == server
        {
            return Ok(client.clone());
        }
        let builder = client_builder(Route::to(server)).redirect(reqwest::redirect::Policy::none());
        let client = build_client(builder).map_err(|error| error.chain())?;
        self.client = Some((server.clone(), client.clone()));
        Ok(client)
    }
}
