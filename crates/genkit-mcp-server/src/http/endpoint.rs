//! The HTTP endpoint, which checks each request before the engine handles it.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::SystemTime;

use axum::extract::ConnectInfo;
use bytes::Bytes;
use http::header::{ACCESS_CONTROL_REQUEST_METHOD, AUTHORIZATION, ORIGIN};
use http::{Extensions, HeaderMap, Method, Request, Response, StatusCode};
use hyper::body::{Body, Incoming};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::PATH;
use super::health::Health;
use super::parameter_cache::ParameterCache;
use super::rejection::{HttpRejection, record_refusal};
use super::responses;
use super::sessions::{Owner, SessionTable};
use super::streams::AnswerBody;
use crate::engine::Engine;
use crate::http::auth::{
    AuthError, Authentication, Challenges, ProtectedResource, document_answer,
};
use crate::http::session_store::SessionStore;
use crate::principal::Principal;
use crate::quota::{ClientKey, ClientQuota};
use crate::session::Visibility;
use crate::state::SharedState;
use genkit_http_server::internal::{
    AllowedHosts, BodyBudget, Connection, Cors, Drain, FairLimit, HttpApp, Peer,
};

/// The methods that web pages can use.
const METHODS: &str = "GET, POST, DELETE, OPTIONS";

/// The response headers that web pages can read.
const EXPOSED: &str = "mcp-session-id, www-authenticate";

/// The maximum number of tokens that are verified at the same time. Default is 256.
const MAX_VERIFYING: usize = 256;

/// The endpoint of a server, shared by all connections.
#[derive(Clone)]
pub(super) struct McpEndpoint(Arc<EndpointState>);

pub(super) struct EndpointState {
    hosts: AllowedHosts,
    cors: Cors,
    authentication: Authentication,
    pub(super) challenges: Challenges,
    /// Whether step-up authorization is enabled.
    pub(super) steps_up: bool,
    required_scopes: Vec<String>,
    metadata: Option<Metadata>,
    /// The header in which a trusted proxy reports the client address.
    client_address_from: Option<http::HeaderName>,
    pub(super) max_body: usize,
    pub(super) room: Arc<BodyBudget>,
    /// Limits the tokens that are verified at the same time, and divides the limit fairly among clients.
    verifying: Arc<FairLimit<ClientKey>>,
    /// Limits the memory of running requests, and divides it fairly among clients.
    pub(super) memory: Arc<FairLimit<ClientKey>>,
    pub(super) engine: Engine,
    /// `None` if the server keeps no sessions.
    pub(super) sessions: Option<Arc<SessionTable>>,
    pub(super) store: Option<Arc<dyn SessionStore>>,
    /// Set when the periodic sweep of the store has started.
    pub(super) swept: std::sync::Once,
    pub(super) parameters: ParameterCache,
    pub(super) drain: Drain,
    health: Option<Health>,
    /// Ends streams that never end on their own.
    pub(super) end: CancellationToken,
}

/// The metadata of the resource, and its path.
struct Metadata {
    path: String,
    document: Bytes,
}

impl Metadata {
    fn new(resource: &ProtectedResource) -> Self {
        Self { path: resource.metadata_path(), document: resource.metadata().to_string().into() }
    }
}

/// The sender of a request.
pub(super) struct RequestSender<'a> {
    pub(super) client: Arc<ClientQuota>,
    pub(super) owner: Owner,
    /// The resources for which the session can receive change notifications.
    pub(super) visibility: Visibility,
    pub(super) address: Option<IpAddr>,
    /// The expiry of the token, at which the streams also end.
    pub(super) expiry: Option<Instant>,
    connection: Option<&'a Connection>,
}

impl RequestSender<'_> {
    /// Marks the request as completely received.
    pub(super) fn mark_received(&self) {
        if let Some(connection) = self.connection {
            connection.record_request();
        }
    }
}

impl McpEndpoint {
    pub(super) fn new(shared: Arc<SharedState>, drain: Drain, end: CancellationToken) -> Self {
        let settings = shared.settings.http.clone();
        let sessions =
            settings.sessions.then(|| SessionTable::new(end.clone(), settings.session_timeout));
        // The settings were checked before the server started.
        let client_address_from = settings.client_address_header().unwrap_or_default();
        Self(Arc::new(EndpointState {
            hosts: AllowedHosts::new(settings.hosts),
            cors: Cors::new(settings.origins, METHODS, EXPOSED),
            challenges: Challenges::new(settings.resource.as_ref()),
            steps_up: settings.resource.as_ref().is_some_and(ProtectedResource::steps_up),
            required_scopes: settings
                .resource
                .as_ref()
                .map(|resource| resource.required_scopes().to_vec())
                .unwrap_or_default(),
            metadata: settings.resource.as_ref().map(Metadata::new),
            authentication: settings.authentication,
            client_address_from,
            max_body: settings.max_body,
            room: BodyBudget::new(settings.max_body),
            verifying: FairLimit::new(MAX_VERIFYING),
            memory: FairLimit::for_memory(settings.max_body),
            health: Health::new(&shared),
            engine: Engine { shared },
            sessions,
            store: settings.session_store,
            swept: std::sync::Once::new(),
            parameters: ParameterCache::default(),
            drain,
            end,
        }))
    }

    /// Returns the path of the resource's metadata, if there is any.
    pub(super) fn metadata_path(&self) -> Option<&str> {
        self.0.metadata.as_ref().map(|metadata| metadata.path.as_str())
    }

    /// Ends all sessions and their running requests.
    pub(super) fn end_sessions(&self) {
        if let Some(sessions) = &self.0.sessions {
            sessions.end_all();
        }
    }

    /// Returns the paths of the health routes.
    pub(super) fn health_paths(&self) -> Vec<String> {
        self.0.health.iter().flat_map(Health::route_paths).map(str::to_owned).collect()
    }

    /// Responds to a request that an app received.
    pub(super) async fn answer_in_app<B>(&self, request: Request<B>) -> Response<AnswerBody>
    where
        B: Body<Data = Bytes> + Unpin,
    {
        // If the app nests the router, it has already removed the prefix of the path.
        if let Some(answer) = self.0.answer_health(request.method(), request.uri().path()).await {
            return answer;
        }
        let client = self.0.find_client(request.headers(), request.extensions());
        let from = request.extensions().get::<ConnectInfo<SocketAddr>>();
        let address = from.map(|from| from.0.ip());
        let owner = find_owner(request.extensions());
        let sees = Visibility::default();
        let (expiry, connection) = (None, None);
        let sender = RequestSender { client, owner, visibility: sees, address, expiry, connection };
        self.0.answer_request(request, sender).await
    }
}

/// Returns the owner of the sessions that a request opens.
fn find_owner(extensions: &Extensions) -> Owner {
    Owner::for_principal(
        extensions.get::<Principal>().map(Principal::id).filter(|id| !id.is_empty()),
    )
}

impl HttpApp for McpEndpoint {
    type Body = AnswerBody;
    type Client = Arc<ClientQuota>;

    fn meet(&self, address: SocketAddr) -> Arc<ClientQuota> {
        self.0.engine.shared.quotas.client(ClientKey::address(address.ip()))
    }

    async fn answer(
        &self,
        mut request: Request<Incoming>,
        from: Peer<'_, Arc<ClientQuota>>,
    ) -> Response<AnswerBody> {
        if let Some(answer) = self.0.answer_health(request.method(), request.uri().path()).await {
            return answer;
        }
        let path = request.uri().path();
        if path != PATH && self.metadata_path() != Some(path) {
            const BODY: Bytes = Bytes::from_static(br#"{"error":"Not Found: MCP is at /mcp"}"#);
            return responses::json_response(StatusCode::NOT_FOUND, BODY);
        }
        request.extensions_mut().insert(ConnectInfo(from.address));
        let client = match &self.0.client_address_from {
            None => Arc::clone(from.client),
            // One connection of a proxy can carry requests from many clients.
            Some(_) => self.0.find_client(request.headers(), request.extensions()),
        };
        let address = Some(from.address.ip());
        // No layer can have set a principal; it is identified later, by the token.
        let owner = Owner::default();
        let sees = Visibility::default();
        let (expiry, connection) = (None, Some(from.connection));
        let sender = RequestSender { client, owner, visibility: sees, address, expiry, connection };
        self.0.answer_request(request, sender).await
    }
}

impl EndpointState {
    async fn answer_health(&self, method: &Method, path: &str) -> Option<Response<AnswerBody>> {
        self.health.as_ref()?.answer(method, path).await
    }

    fn find_client(&self, headers: &HeaderMap, extensions: &Extensions) -> Arc<ClientQuota> {
        let shared = &self.engine.shared;
        let header = self.client_address_from.as_ref();
        shared.quotas.client(ClientKey::of_http(headers, extensions, header))
    }

    async fn answer_request<B>(
        &self,
        mut request: Request<B>,
        mut sender: RequestSender<'_>,
    ) -> Response<AnswerBody>
    where
        B: Body<Data = Bytes> + Unpin,
    {
        let (headers, uri) = (request.headers(), request.uri());
        if let Err(refusal) = self.hosts.check(headers, uri) {
            return refuse_request(request.method(), uri.path(), &sender, refusal.into());
        }
        if let Some(metadata) = self.metadata.as_ref().filter(|it| it.path == uri.path()) {
            // Clients without a token can read the metadata, including web pages of any origin.
            let answer = document_answer(request.method(), metadata.document.clone());
            return answer.map(AnswerBody::from);
        }
        let Some(rights) = self.cors.check(headers, uri) else {
            return refuse_request(request.method(), uri.path(), &sender, HttpRejection::Origin);
        };
        if is_preflight(request.method(), headers) {
            // Browsers send preflight requests without the token.
            let mut response = responses::empty_response(StatusCode::NO_CONTENT);
            self.cors.preflight(headers, response.headers_mut());
            self.cors.grant(rights, response.headers_mut());
            return response;
        }
        let is_page = headers.contains_key(ORIGIN);
        let method = request.method().clone();
        let answered = match self.identify_sender(&mut request, &mut sender).await {
            Err(refusal) => Err(refusal),
            Ok(()) => match method {
                Method::POST => self.handle_post(request, &sender).await,
                Method::GET => self.handle_get(request.headers(), &sender).await,
                Method::DELETE => self.handle_delete(request.headers(), &sender).await,
                _ => Err(HttpRejection::Method(self.allowed_methods())),
            },
        };
        let mut response =
            answered.unwrap_or_else(|refusal| refuse_request(&method, PATH, &sender, refusal));
        if is_page {
            self.cors.grant(rights, response.headers_mut());
        }
        response
    }

    /// Determines the sender of a request, and the items that it has access to.
    async fn identify_sender<B>(
        &self,
        request: &mut Request<B>,
        sender: &mut RequestSender<'_>,
    ) -> Result<(), HttpRejection> {
        if self.authentication.is_required() {
            self.authenticate_sender(request, sender).await?;
        }
        let principal = request.extensions().get::<Principal>();
        sender.visibility = self.engine.shared.seen_by(principal);
        sender.expiry = principal.and_then(Principal::expiry).and_then(|expiry| {
            let left = expiry.duration_since(SystemTime::now()).unwrap_or_default();
            Instant::now().checked_add(left)
        });
        Ok(())
    }

    async fn authenticate_sender<B>(
        &self,
        request: &mut Request<B>,
        sender: &mut RequestSender<'_>,
    ) -> Result<(), HttpRejection> {
        let place = self.verifying.take_slot(sender.client.key().clone());
        let _place = place.ok_or(HttpRejection::Busy)?;
        let admitted =
            self.authentication.verify_request(request.headers()).await.and_then(|principal| {
                let has = |scope: &String| principal.as_ref().is_none_or(|it| it.has_scope(scope));
                if self.required_scopes.iter().all(has) {
                    Ok(principal)
                } else {
                    Err(AuthError::Scope)
                }
            });
        let principal = admitted.map_err(|denial| {
            let challenge = self.challenges.for_denial(&denial);
            HttpRejection::Denied { denial, challenge }
        })?;
        // The token is meant only for this server; functions must not forward it.
        request.headers_mut().remove(AUTHORIZATION);
        if let Some(principal) = principal {
            request.extensions_mut().insert(principal);
            sender.owner = find_owner(request.extensions());
            sender.client = self.find_client(request.headers(), request.extensions());
        }
        Ok(())
    }

    fn allowed_methods(&self) -> &'static str {
        if self.sessions.is_some() { "GET, POST, DELETE" } else { "POST" }
    }
}

fn refuse_request(
    method: &Method,
    path: &str,
    sender: &RequestSender<'_>,
    refusal: HttpRejection,
) -> Response<AnswerBody> {
    let (method, path) = match &refusal {
        HttpRejection::StepUp { method, name, .. } => (*method, &**name),
        _ => (method.as_str(), path),
    };
    record_refusal(method, path, sender.client.key(), refusal.reason(), refusal.denial());
    refusal.into_response()
}

/// Returns whether this is a CORS preflight request.
fn is_preflight(method: &Method, headers: &HeaderMap) -> bool {
    *method == Method::OPTIONS
        && headers.contains_key(ORIGIN)
        && headers.contains_key(ACCESS_CONTROL_REQUEST_METHOD)
}
