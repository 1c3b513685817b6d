//! Listening: where a server over HTTP takes connections, and who is told the address.

use std::net::SocketAddr;

use tokio::net::TcpListener;

use crate::mcp::server::error::Error as E;

/// Is told the address once.
pub(crate) type ToldAddress = Box<dyn FnOnce(SocketAddr) + Send>;

/// What a builder was told of it.
#[derive(Default)]
pub(crate) struct Listening {
    /// Without one the server is on stdio.
    pub(crate) place: Option<ListenPlace>,
    pub(crate) told: Option<ToldAddress>,
}

pub(crate) enum ListenPlace {
    Address(String),
    Listener(std::net::TcpListener),
}

impl Listening {
    /// Tells of settings that have no effect where nothing listens.
    pub(crate) fn warn_unused(&self) {
        if self.place.is_some() || self.told.is_some() {
            tracing::warn!(
                "`.http(..)`, `.listener(..)` and `.on_listening(..)` have no effect here: they are \
                 for a server over HTTP that is awaited. A router or a handler listens nowhere, and \
                 without an address the server is on stdio"
            );
        }
    }
}

impl ListenPlace {
    pub(crate) async fn listen(self) -> Result<(TcpListener, SocketAddr), E> {
        let given = |source| E::GivenListener { source };
        let listener = match self {
            Self::Listener(listener) => {
                listener.set_nonblocking(true).map_err(given)?;
                TcpListener::from_std(listener).map_err(given)?
            }
            Self::Address(address) => match TcpListener::bind(&address).await {
                Ok(listener) => listener,
                Err(source) => return Err(E::Listen { address, source }),
            },
        };
        let address = listener.local_addr().map_err(given)?;
        Ok((listener, address))
    }
}
