//! Listening: where a server over HTTP takes connections, and who is told the address.

use std::net::SocketAddr;

use tokio::net::TcpListener;

use super::error::Error as E;

/// Is told the address once.
pub(crate) type ToldAddress = Box<dyn FnOnce(SocketAddr) + Send>;

/// What a builder was told of it.
#[derive(Default)]
pub(crate) struct Listening {
    /// Where, if it was said.
    pub(crate) place: Option<ListenPlace>,
    pub(crate) told: Option<ToldAddress>,
}

pub(crate) enum ListenPlace {
    Address(String),
    Listener(std::net::TcpListener),
}

impl Listening {
    pub(crate) fn is_set(&self) -> bool {
        self.place.is_some() || self.told.is_some()
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
