//! Connections whose answers are sent at once.

use axum::serve::{ListenerExt as _, TapIo};
use tokio::net::{TcpListener, TcpStream};

/// The same listener, without Nagle's algorithm: with it every answer waits some 40 ms for the
/// acknowledgement of its first half.
pub fn without_delay(listener: TcpListener) -> TapIo<TcpListener, fn(&mut TcpStream)> {
    listener.tap_io(|stream| {
        let _ = stream.set_nodelay(true);
    })
}
