//! The routes for the CLI and the Developer UI.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderValue, Method, StatusCode, Uri};
use axum::response::Response;
use percent_encoding::percent_decode_str;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::sync::watch;

use super::{guard, run_body};
use crate::actions::{ActionRequest, ActionsByKey, ErrorStatus};
use genkit_core::internal::bounded_json::parse_bounded;
use genkit_core::{Error, ErrorKind};
use genkit_http_server::internal::{BodyBudget, BodyError, FairLimit, FairPermit, read_body};

/// The maximum size of a request, in bytes. Default is 32 MiB.
pub(super) const MAX_BODY: usize = 32 * 1024 * 1024;

/// The server for the tools.
pub(super) struct ReflectionServer {
    pub(super) actions: ActionsByKey,
    pub(super) id: String,
    /// Whether the tools can set the telemetry server that receives the traces.
    pub(super) takes_telemetry: bool,
    /// Becomes true once the tools have found this program.
    pub(super) found: watch::Sender<bool>,
    pub(super) room: Arc<BodyBudget>,
    /// The memory of the inputs of running actions.
    pub(super) memory: Arc<FairLimit<()>>,
}

impl ReflectionServer {
    pub(super) async fn handle_request(&self, request: Request) -> Response {
        let mut response = self.route_request(request).await.unwrap_or_else(|refusal| *refusal);
        let version = HeaderValue::from_static(env!("CARGO_PKG_VERSION"));
        response.headers_mut().insert("x-genkit-version", version);
        response
    }

    /// Handles a request. The error is also a response, which describes what is wrong with the request.
    async fn route_request(&self, request: Request) -> Result<Response, Box<Response>> {
        guard::check(request.headers(), request.uri())
            .map_err(|refused| Box::new(text_response(StatusCode::FORBIDDEN, refused.message())))?;
        let (get, post) = (Method::GET, Method::POST);
        let uri = request.uri().clone();
        match (request.method(), uri.path()) {
            (method, "/api/__health") if *method == get => Ok(self.check_health(&uri)),
            (method, "/api/actions") if *method == get => {
                Ok(json_response(StatusCode::OK, self.actions.list_actions().into()))
            }
            (method, "/api/envs") if *method == get => {
                Ok(json_response(StatusCode::OK, json!(["dev"])))
            }
            (method, "/api/values") if *method == get => Ok(self.list_values(&uri)),
            (method, "/api/notify") if *method == post => {
                Ok(self.accept_notice(self.read(request).await?.0))
            }
            (method, "/api/runAction") if *method == post => {
                let (request, input) = self.read(request).await?;
                Ok(input.until_sent(self.run_action(&uri, request)))
            }
            (method, "/api/cancelAction") if *method == post => {
                Ok(self.cancel_action(self.read(request).await?.0))
            }
            (_, path) => Ok(text_response(StatusCode::NOT_FOUND, &format!("no route {path}"))),
        }
    }

    /// Reads the body as JSON, within the limits. Also returns the permit for the memory that the body uses.
    async fn read<T: DeserializeOwned>(
        &self,
        request: Request,
    ) -> Result<(T, FairPermit<()>), Box<Response>> {
        let mut body =
            read_body(request.into_body(), MAX_BODY, &self.room, None).await.map_err(|error| {
                match error {
                    BodyError::Slow(_) | BodyError::BudgetExceeded => text_response(
                        StatusCode::REQUEST_TIMEOUT,
                        "the body did not arrive in time",
                    ),
                    BodyError::Long(_) | BodyError::Broken => {
                        let limit =
                            format!("the body is larger than {MAX_BODY} bytes, or is incomplete");
                        text_response(StatusCode::PAYLOAD_TOO_LARGE, &limit)
                    }
                }
            })?;
        let memory = self.memory.take_memory((), body.bytes.len()).map_err(|full| {
            Box::new(text_response(StatusCode::TOO_MANY_REQUESTS, &full.to_string()))
        })?;
        // The text is freed before the values are copied.
        let value = parse_bounded(&std::mem::take(&mut body.bytes));
        let value = value.and_then(serde_json::from_value).map_err(|error| {
            let error =
                Error::invalid_argument(format!("the body is not a valid request: {error}"));
            json_response(StatusCode::BAD_REQUEST, ErrorStatus::from_error(&error, None).to_json())
                .into()
        });
        value.map(|value| (value, memory))
    }

    /// Checks whether the request is meant for this program.
    fn check_health(&self, uri: &Uri) -> Response {
        self.found.send_replace(true);
        match query_parameter(uri, "id") {
            Some(id) if id != self.id => {
                text_response(StatusCode::SERVICE_UNAVAILABLE, "Invalid runtime ID")
            }
            _ => text_response(StatusCode::OK, "OK"),
        }
    }

    fn list_values(&self, uri: &Uri) -> Response {
        let of_type = query_parameter(uri, "type").unwrap_or_default();
        match self.actions.list_values(&of_type) {
            Some(values) => json_response(StatusCode::OK, values.into()),
            None => {
                let known = "expected defaultModel or middleware";
                text_response(
                    StatusCode::BAD_REQUEST,
                    &format!("no values of type `{of_type}`: {known}"),
                )
            }
        }
    }

    fn accept_notice(&self, notice: Notice) -> Response {
        if let Some(url) = notice.telemetry_server_url.filter(|_| self.takes_telemetry) {
            crate::export::export_to(&url);
        }
        text_response(StatusCode::OK, "OK")
    }

    fn run_action(&self, uri: &Uri, request: ActionRequest) -> Response {
        let streams = query_parameter(uri, "stream").is_some_and(|value| value == "true");
        match self.actions.start_run(request, streams) {
            Ok(run) => run_body::run_response(run, streams),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                text_response(StatusCode::NOT_FOUND, &error.to_string())
            }
            Err(error) => json_response(
                StatusCode::OK,
                json!({ "error": ErrorStatus::from_error(&error, None).to_json() }),
            ),
        }
    }

    fn cancel_action(&self, request: Cancellation) -> Response {
        match request.trace_id {
            None => json_response(StatusCode::BAD_REQUEST, json!({"error": "traceId is required"})),
            Some(id) if self.actions.cancel_run(&id) => {
                json_response(StatusCode::OK, json!({"message": "Action cancelled"}))
            }
            Some(_) => {
                let message = "Action not found or already completed";
                json_response(StatusCode::NOT_FOUND, json!({ "message": message }))
            }
        }
    }
}

/// A notification from the CLI.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Notice {
    #[serde(default)]
    telemetry_server_url: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Cancellation {
    #[serde(default)]
    trace_id: Option<String>,
}

/// Returns a parameter of the query.
fn query_parameter(uri: &Uri, name: &str) -> Option<String> {
    let pairs = uri.query()?.split('&').map(|pair| pair.split_once('=').unwrap_or((pair, "")));
    let (_, value) = pairs.into_iter().find(|(key, _)| *key == name)?;
    let value = value.replace('+', " ");
    Some(percent_decode_str(&value).decode_utf8_lossy().into_owned())
}

fn text_response(status: StatusCode, text: &str) -> Response {
    build_response(status, "text/plain", text.to_owned())
}

fn json_response(status: StatusCode, value: Value) -> Response {
    build_response(status, "application/json", value.to_string())
}

fn build_response(status: StatusCode, kind: &'static str, body: String) -> Response {
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = status;
    response.headers_mut().insert("content-type", HeaderValue::from_static(kind));
    response
}
