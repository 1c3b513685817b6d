//! Health checks: whether the process responds, and whether it is ready for clients.

use std::sync::Arc;
use std::time::Duration;

use http::header::CACHE_CONTROL;
use http::{HeaderValue, Method, Response, StatusCode};
use serde_json::{Value, json};
use tokio::sync::Mutex;
use tokio::time::Instant;

use super::rejection::HttpRejection;
use super::responses;
use super::streams::AnswerBody;
use crate::http::settings::HealthSettings;
use crate::state::SharedState;
use genkit_core::internal::visible::Logged;

/// The timeout of a readiness check. Default is 5 seconds.
const CHECK_TIMEOUT: Duration = Duration::from_secs(5);

/// The time for which the result of the checks is reused, so that frequent probes cause no additional work. Default is
/// 1 second.
const CHECK_AGE: Duration = Duration::from_secs(1);

/// The health routes.
pub(super) struct Health {
    path: String,
    ready_path: String,
    settings: HealthSettings,
    /// The last result of the checks, and its time. Concurrent probes wait for the same result.
    checked: Mutex<Option<(Instant, bool)>>,
    shared: Arc<SharedState>,
}

impl Health {
    /// Creates the routes, or returns `None` if they are not enabled.
    pub(super) fn new(shared: &Arc<SharedState>) -> Option<Self> {
        let settings = shared.settings.http.health.clone()?;
        let path = settings.path.trim_end_matches('/').to_owned();
        Some(Self {
            ready_path: format!("{path}/ready"),
            path,
            settings,
            checked: Mutex::new(None),
            shared: Arc::clone(shared),
        })
    }

    /// Returns the paths of the routes.
    pub(super) fn route_paths(&self) -> [&str; 2] {
        [&self.path, &self.ready_path]
    }

    /// Returns the response, if the request is for one of the routes.
    pub(super) async fn answer(&self, method: &Method, path: &str) -> Option<Response<AnswerBody>> {
        let is_ready = path == self.ready_path;
        if !is_ready && path != self.path {
            return None;
        }
        if !matches!(*method, Method::GET | Method::HEAD) {
            return Some(HttpRejection::Method("GET, HEAD").into_response());
        }
        let (status, body) = match is_ready {
            true => self.check_readiness().await,
            false => (StatusCode::OK, json!({ "status": "ok" })),
        };
        let mut response = responses::json_response(status, body.to_string().into());
        response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        Some(response)
    }

    /// Checks whether the server is ready for clients, and returns the status and the body of the response. The body
    /// contains a short reason, and the log the full reason.
    async fn check_readiness(&self) -> (StatusCode, Value) {
        let mut why = Vec::new();
        let (connected, wanted) = self.shared.servers_behind();
        if !self.shared.has_all_hosts() {
            why.push("still connecting to the servers behind this one");
        } else if wanted > 0 && connected == 0 {
            why.push("no server behind this one is connected");
        }
        if !self.checks_hold().await {
            why.push("a check failed");
        }
        let mut body = json!({ "status": if why.is_empty() { "ok" } else { "unavailable" } });
        if wanted > 0 {
            body["servers"] = json!({ "connected": connected, "of": wanted });
        }
        if why.is_empty() {
            return (StatusCode::OK, body);
        }
        body["why"] = json!(why);
        (StatusCode::SERVICE_UNAVAILABLE, body)
    }

    async fn checks_hold(&self) -> bool {
        if self.settings.checks.is_empty() {
            return true;
        }
        let mut checked = self.checked.lock().await;
        if let Some((when, held)) = *checked
            && when.elapsed() < CHECK_AGE
        {
            return held;
        }
        let mut held = true;
        for check in &*self.settings.checks {
            let why = match tokio::time::timeout(CHECK_TIMEOUT, check()).await {
                Ok(Ok(())) => continue,
                Ok(Err(error)) => error.chain(),
                Err(_) => format!("it took longer than {CHECK_TIMEOUT:?}"),
            };
            tracing::warn!(why = %Logged::text(why), "not ready: a check failed");
            held = false;
        }
        *checked = Some((Instant::now(), held));
        held
    }
}
