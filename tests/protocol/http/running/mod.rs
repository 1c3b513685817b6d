//! How a server runs: where it listens, whether it is well, how it ends.

mod health;
mod listening;
mod shutdown;
mod sockets;
