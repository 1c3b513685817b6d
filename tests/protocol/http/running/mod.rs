//! The operation of a server: listening, health, shutdown.

mod health;
mod listening;
mod shutdown;
mod sockets;
