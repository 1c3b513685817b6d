//! The address or listener of an HTTP server, and the function that receives the address.

pub(crate) mod stream;
#[cfg_attr(not(unix), path = "unix_socket_off.rs")]
mod unix_socket;

use std::fmt;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};

use tokio::net::TcpListener;

use self::stream::{Acceptor, HttpStream};
use self::unix_socket::UnixSocket;
use super::error::Error as E;

/// A function that receives the listening address once.
pub type OnListening = Box<dyn FnOnce(SocketAddr) + Send>;

/// The prefix of the address of a Unix socket, as in `unix:/run/notes.sock`.
const UNIX: &str = "unix:";

/// The settings of a builder for listening.
#[derive(Default)]
pub struct Listening {
    /// The address or listener, if set.
    pub listen_address: Option<ListenAddress>,
    pub on_listening: Option<OnListening>,
    /// Wraps each connection before HTTP, for example in TLS.
    pub acceptor: Option<Acceptor>,
}

pub enum ListenAddress {
    Address(String),
    Listener(std::net::TcpListener),
    #[cfg(unix)]
    UnixListener(std::os::unix::net::UnixListener),
}

impl Listening {
    pub fn is_set(&self) -> bool {
        self.listen_address.is_some() || self.on_listening.is_some() || self.acceptor.is_some()
    }
}

impl ListenAddress {
    pub async fn listen(self) -> Result<BoundListener, E> {
        let given = |source| E::InvalidListener { source };
        let listener = match self {
            Self::Listener(listener) => {
                listener.set_nonblocking(true).map_err(given)?;
                TcpListener::from_std(listener).map_err(given)?
            }
            #[cfg(unix)]
            Self::UnixListener(listener) => {
                return Ok(BoundListener::Unix(
                    UnixSocket::from_listener(listener).map_err(given)?,
                ));
            }
            Self::Address(address) => match address.strip_prefix(UNIX) {
                // The operating system would create a socket without a name, which no client could find.
                Some("") => {
                    let source = io::ErrorKind::InvalidInput.into();
                    return Err(E::InvalidAddress { address, source });
                }
                Some(path) => return BoundListener::at_path(path),
                None => match TcpListener::bind(&address).await {
                    Ok(listener) => listener,
                    Err(source) if source.kind() == io::ErrorKind::InvalidInput => {
                        return Err(E::InvalidAddress { address, source });
                    }
                    Err(source) => return Err(E::Listen { address, source }),
                },
            },
        };
        let address = listener.local_addr().map_err(given)?;
        Ok(BoundListener::Tcp(listener, address))
    }
}

/// A bound listener with its address.
pub enum BoundListener {
    Tcp(TcpListener, SocketAddr),
    Unix(UnixSocket),
}

impl BoundListener {
    fn at_path(path: &str) -> Result<Self, E> {
        let listen = |source| E::Listen { address: format!("{UNIX}{path}"), source };
        UnixSocket::bind(path.as_ref()).map(Self::Unix).map_err(listen)
    }

    /// Returns the network address; `None` for a Unix socket.
    pub fn address(&self) -> Option<SocketAddr> {
        match self {
            Self::Tcp(_, address) => Some(*address),
            Self::Unix(_) => None,
        }
    }

    /// Accepts the next connection. Connections over a Unix socket have the loopback address.
    pub(super) async fn accept(&self) -> io::Result<(HttpStream, SocketAddr)> {
        match self {
            Self::Tcp(listener, _) => {
                let (stream, address) = listener.accept().await?;
                Ok((HttpStream::tcp(stream), address))
            }
            Self::Unix(socket) => {
                let stream = socket.accept().await?;
                Ok((HttpStream::unix(stream), (Ipv4Addr::LOCALHOST, 0).into()))
            }
        }
    }
}

/// Writes the origin: `http://127.0.0.1:8000`, `unix:/run/notes.sock`.
impl fmt::Display for BoundListener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(_, address) => write!(f, "http://{address}"),
            Self::Unix(socket) => write!(f, "{UNIX}{}", socket.path()),
        }
    }
}
