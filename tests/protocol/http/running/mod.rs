//! What runs a server: probes that ask how it is, sockets, what stands before HTTP.

mod health;
mod sockets;
