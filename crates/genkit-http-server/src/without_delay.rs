//! Connections without Nagle's algorithm.

use axum::serve::{ListenerExt as _, TapIo};
use tokio::net::{TcpListener, TcpStream};

/// Disables Nagle's algorithm for connections of the listener. Otherwise each response waits about 40 ms for the
/// acknowledgement of its first part.
pub fn without_delay(listener: TcpListener) -> TapIo<TcpListener, fn(&mut TcpStream)> {
    listener.tap_io(|stream| {
        let _ = stream.set_nodelay(true);
    })
}
