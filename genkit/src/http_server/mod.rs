//! HTTP servers: what all of this library have in common. Where they listen, who may call them, and how
//! they end.

mod body;
#[cfg(any(feature = "mcp-http", feature = "flows"))]
mod connections;
#[cfg(any(feature = "mcp-http", feature = "flows"))]
mod cors;
#[cfg(any(feature = "mcp-http", feature = "flows"))]
mod drain;
#[cfg(any(feature = "mcp-http", feature = "flows"))]
mod error;
#[cfg_attr(
    not(any(feature = "mcp-http", feature = "flows")),
    allow(dead_code, reason = "the developer tools warn of no host")
)]
mod host;
#[cfg(any(feature = "mcp-http", feature = "flows"))]
mod listening;
#[cfg(any(feature = "mcp-http", feature = "flows"))]
mod origin;
mod room;
#[cfg(any(feature = "mcp-http", feature = "flows"))]
mod secret;
#[cfg(any(feature = "mcp-http", feature = "flows"))]
mod serving;
#[cfg(any(feature = "mcp-http", feature = "flows"))]
mod stream;
#[cfg(all(unix, any(feature = "mcp-http", feature = "flows")))]
mod unix_socket;
#[cfg(any(feature = "mcp-http", feature = "flows"))]
mod until_sent;
#[cfg(feature = "dev-tools")]
mod without_delay;

pub(crate) use self::body::{BodyError, BodyRoom, read_body};
#[cfg(feature = "mcp-http")]
pub(crate) use self::connections::Connection;
#[cfg(any(feature = "mcp-http", feature = "flows"))]
pub(crate) use self::cors::Cors;
#[cfg(any(feature = "mcp-http", feature = "flows"))]
pub(crate) use self::drain::Drain;
#[cfg(feature = "mcp-http")]
pub(crate) use self::drain::RunningRequest;
pub(crate) use self::host::AllowedHosts;
#[cfg(any(feature = "mcp-http", feature = "flows"))]
pub(crate) use self::host::HostRefusal;
#[cfg(feature = "mcp-http")]
pub(crate) use self::listening::ToldAddress;
#[cfg(any(feature = "mcp-http", feature = "flows"))]
pub(crate) use self::listening::{ListenPlace, Listening};
#[cfg(any(feature = "mcp-http", feature = "flows"))]
pub(crate) use self::secret::is_the_secret;
#[cfg(any(feature = "mcp-http", feature = "flows"))]
pub(crate) use self::serving::{GRACE, HttpServing};
#[cfg(feature = "mcp-http")]
pub(crate) use self::serving::{HttpApp, Peer};
#[cfg(feature = "mcp-http")]
pub(crate) use self::stream::Acceptor;
#[cfg(feature = "mcp-http")]
pub use self::stream::HttpStream;
#[cfg(feature = "dev-tools")]
pub(crate) use self::without_delay::without_delay;
