//! Serves flows: checks the settings, then handles requests until shutdown.

use std::future::IntoFuture;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use axum::response::IntoResponse as _;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::builder::FlowServer;
use super::error::Error as E;
use super::shared::FlowEndpoint;
use genkit_core::BoxFuture;
use genkit_core::Flow;
use genkit_core::Result;
use genkit_core::internal::glob::matches_glob;
use genkit_core::internal::shutdown::{cancel_at_shutdown, wait_for_signal};
use genkit_http_server::internal::{
    BoundListener, Drain, HttpServing, ListenAddress, Listening, OnListening,
};

/// The default port.
const PORT: u16 = 3400;

impl FlowServer {
    /// Serves until shutdown, as awaiting the server does. Use it where a future is required, as in `tokio::spawn`,
    /// `block_on` and `select!`.
    ///
    /// ```no_run
    /// fn main() -> genkit::Result<()> {
    ///     let runtime = tokio::runtime::Runtime::new()?;
    ///     runtime.block_on(genkit::serve_flows().run())
    /// }
    /// ```
    ///
    /// # Errors
    /// Returns the same errors as awaiting the [`FlowServer`].
    pub async fn run(mut self) -> Result<()> {
        let shutdown = self.shutdown.take();
        let listening = std::mem::take(&mut self.listening);
        let flows = self.check()?;
        let started = StartedServer::start(listening, shutdown).await?;
        let (prefix, grace) = (self.settings.prefix.clone(), self.settings.grace);
        started.default_hosts(&mut self.settings.hosts);
        if let Some(on_start) = &self.on_start {
            on_start(&self.genkit);
        }
        let endpoint = FlowEndpoint::new(
            self.genkit,
            self.settings,
            started.drain.clone(),
            started.end.clone(),
        );
        let app = router(Arc::new(endpoint), &prefix).fallback(|| async {
            super::answer::FlowErrorResponse::from(E::FlowNotFound).into_response()
        });
        tracing::debug!(flows = flows.len(), "serving flows");
        let path = if started.has_address() { prefix.as_str() } else { "" };
        started.serve(app, path, grace).await
    }

    /// Returns the flows as a router, to mount in an existing `axum` app:
    ///
    /// ```
    /// # use genkit::{Genkit, Registry, flow, flows};
    /// # /// Greets a person.
    /// # #[flow] async fn greet(who: String) -> String { format!("hello {who}") }
    /// # fn main() -> genkit::Result<()> {
    /// # let genkit = Genkit::builder().registry(Registry::new().add(flows![greet])).build()?;
    /// let flows = genkit.serve_flows().allowed_hosts(["app.example.com"]).router()?;
    /// let app = axum::Router::<()>::new().nest("/api", flows);
    /// // `POST https://app.example.com/api/greet`
    /// # let _ = app;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// A router accepts requests only for `localhost`, `127.0.0.1` and `::1`, because it has no information about the
    /// hosts that it is served on. Set the hosts of your app with [`allowed_hosts`](Self::allowed_hosts), or `"*"` for
    /// any; otherwise requests to them are rejected with 403.
    ///
    /// Extensions that your layers add to a request are available through `ctx.extension::<T>()` and
    /// [`FlowRequest::extension`](crate::FlowRequest::extension). Set `TCP_NODELAY` on your listener
    /// (`listener.tap_io(..)`); otherwise chunks of a stream can be delayed by about 40 ms. A router does not shut down
    /// on its own: running streams end when your server stops.
    ///
    /// # Errors
    /// Returns an error if the registry or a setting is invalid, as awaiting the [`FlowServer`] does.
    pub fn router(self) -> Result<Router> {
        self.check()?;
        if self.listening.is_set() || self.shutdown.is_some() {
            tracing::warn!(
                "`.http(..)`, `.listener(..)`, `.on_listening(..)` and `.shutdown(..)` have no effect on a \
                 router; await the server instead to use them"
            );
        }
        let prefix = self.settings.prefix.clone();
        let (drain, end) = (Drain::default(), CancellationToken::new());
        let endpoint = FlowEndpoint::new(self.genkit, self.settings, drain, end);
        Ok(router(Arc::new(endpoint), &prefix))
    }

    /// Checks the settings and the registry before serving, and returns the flows to serve.
    fn check(&self) -> Result<Vec<Flow>> {
        self.genkit.registry.check_with(&self.genkit.states)?;
        let flows = self.genkit.registry.flows();
        if flows.is_empty() {
            return Err(E::NothingLinked.into());
        }
        let only = &self.settings.only;
        for name in only {
            if !flows.iter().any(|flow| matches_glob(name, flow.name())) {
                let unknown = genkit_core::internal::suggest::unknown_name(
                    "flow",
                    name,
                    flows.iter().map(Flow::name),
                );
                return Err(E::OnlyUnknown(unknown).into());
            }
        }
        let is_served =
            |flow: &Flow| only.is_empty() || only.iter().any(|it| matches_glob(it, flow.name()));
        Ok(flows.into_iter().filter(is_served).collect())
    }
}

impl IntoFuture for FlowServer {
    type Output = Result<()>;
    type IntoFuture = BoxFuture<'static, Result<()>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.run())
    }
}

genkit_core::becomes_a_future!(FlowServer, Result<()>);

fn router(endpoint: Arc<FlowEndpoint>, prefix: &str) -> Router {
    let answer = move |request: Request| {
        let endpoint = Arc::clone(&endpoint);
        async move { endpoint.answer(request).await }
    };
    Router::new().route(&format!("{prefix}/{{flow}}"), axum::routing::any(answer))
}

/// A server that listens, before its application is built.
pub struct StartedServer {
    listener: BoundListener,
    told: Option<OnListening>,
    stop: CancellationToken,
    /// The requests to wait for during shutdown.
    pub drain: Drain,
    /// Cancelled to end streams that never end on their own.
    pub end: CancellationToken,
    signals: JoinHandle<()>,
}

impl StartedServer {
    /// Listens on the given address until `shutdown` or a signal. Default is loopback with the port in the environment
    /// variable `PORT`.
    ///
    /// # Errors
    /// Returns an error if the address is invalid or not available.
    pub async fn start(
        listening: Listening,
        shutdown: Option<BoxFuture<'static, ()>>,
    ) -> Result<Self> {
        let place = match listening.listen_address {
            Some(place) => place,
            None => default_place(std::env::var("PORT").ok().as_deref())?,
        };
        let listener = place.listen().await?;
        let (stop, end, drain) =
            (CancellationToken::new(), CancellationToken::new(), Drain::default());
        let signals = tokio::spawn(cancel_at_shutdown(shutdown, wait_for_signal(), stop.clone()));
        Ok(Self { listener, told: listening.on_listening, stop, drain, end, signals })
    }

    /// Allows any host if none was set and the server does not listen on loopback.
    pub fn default_hosts(&self, hosts: &mut Option<Vec<String>>) {
        let local = self.listener.address();
        if hosts.is_none() && local.is_some_and(|local| !local.ip().is_loopback()) {
            *hosts = Some(vec!["*".to_owned()]);
        }
    }

    /// Returns whether the server listens on a network address, not on a Unix socket.
    pub fn has_address(&self) -> bool {
        self.listener.address().is_some()
    }

    /// Serves until shutdown.
    ///
    /// # Errors
    /// Returns an error if connections can no longer be accepted.
    pub async fn serve(self, app: Router, path: &str, grace: Duration) -> Result<()> {
        let Self { listener, told, stop, drain, end, signals } = self;
        tracing::info!("listening on {listener}{path}");
        if let (Some(notify), Some(local)) = (told, listener.address()) {
            notify(local);
        }
        let served =
            HttpServing { listener, acceptor: None, stop, drain, grace, end }.run(app).await;
        signals.abort();
        served
    }
}

/// Returns the loopback address with `port`, the value of the environment variable `PORT`, or with the default port.
fn default_place(port: Option<&str>) -> Result<ListenAddress> {
    let port = match port.map(str::trim).filter(|port| !port.is_empty()) {
        Some(port) => port.parse::<u16>().map_err(|_| E::Port(port.to_owned()))?,
        None => PORT,
    };
    Ok(ListenAddress::Address(format!("127.0.0.1:{port}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_port_is_that_of_the_environment() {
        let place = |port| match default_place(port) {
            Ok(ListenAddress::Address(address)) => address,
            Ok(_) => unreachable!("the place is an address"),
            Err(error) => error.to_string(),
        };
        for (port, at) in [
            (None, "127.0.0.1:3400"),
            (Some(" "), "127.0.0.1:3400"),
            (Some("8080"), "127.0.0.1:8080"),
            (Some("x"), "`PORT` is not a port number: `x`"),
            (Some("65536"), "`PORT` is not a port number: `65536`"),
        ] {
            assert_eq!(place(port), at, "{port:?}");
        }
    }
}
