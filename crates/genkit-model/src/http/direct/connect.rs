//! Establishing connections: all addresses of a host name are tried, and TLS is used for `https`.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use http::Uri;
use hyper::service::Service as _;
use hyper_rustls::{HttpsConnector, MaybeHttpsStream};
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use rustls::ClientConfig;
use tokio::net::TcpStream;

use genkit_core::internal::error::BoxError;
use genkit_http_client::internal::net::{CONNECT_TIMEOUT, KEEPALIVE};

/// The interval between TCP keepalive probes that are not acknowledged. Default is 15 seconds.
const PROBE_INTERVAL: Duration = Duration::from_secs(15);

/// The number of unacknowledged probes after which a connection is closed. Default is 3.
const PROBES: u32 = 3;

/// An open connection, encrypted or not.
pub(super) type ProviderStream = MaybeHttpsStream<TokioIo<TcpStream>>;

#[derive(Clone)]
pub(super) enum ModelConnector {
    Plain(TowerToHyperService<HttpConnector>),
    Tls(TowerToHyperService<HttpsConnector<HttpConnector>>),
}

impl ModelConnector {
    /// Creates a connector, which uses TLS if `tls` is a configuration.
    pub(super) fn new(tls: Option<Arc<ClientConfig>>) -> Self {
        let mut tcp = HttpConnector::new();
        tcp.enforce_http(false);
        tcp.set_nodelay(true);
        tcp.set_connect_timeout(Some(CONNECT_TIMEOUT));
        tcp.set_keepalive(Some(KEEPALIVE));
        tcp.set_keepalive_interval(Some(PROBE_INTERVAL));
        tcp.set_keepalive_retries(Some(PROBES));
        match tls {
            None => Self::Plain(TowerToHyperService::new(tcp)),
            Some(tls) => Self::Tls(TowerToHyperService::new(HttpsConnector::from((tcp, tls)))),
        }
    }

    /// Connects to the host and port of `origin`.
    pub(super) async fn connect_to(&self, origin: Uri) -> Result<ProviderStream, BoxError> {
        let connecting = async {
            match self {
                Self::Plain(tcp) => Ok(MaybeHttpsStream::Http(tcp.call(origin).await?)),
                Self::Tls(tls) => tls.call(origin).await,
            }
        };
        let timed_out = |_| io::Error::new(io::ErrorKind::TimedOut, "operation timed out");
        tokio::time::timeout(CONNECT_TIMEOUT, connecting).await.map_err(timed_out)?
    }
}
