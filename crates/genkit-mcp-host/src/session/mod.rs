//! A connection to a server: requests in flight, notifications, and requests from the server.

pub(crate) mod client_state;
pub(crate) mod connection;
pub(crate) mod error;
pub(crate) mod in_flight;
pub(crate) mod interceptor;
pub(crate) mod message_rate;
pub(crate) mod notifications;
pub(crate) mod server_requests;
pub(crate) mod state;
pub(crate) mod subscriptions;
