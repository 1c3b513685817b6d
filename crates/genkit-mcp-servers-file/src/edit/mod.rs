//! Editing: adds a server to the file of a client, and preserves all other bytes.

mod client_app;
mod new_server;
mod plan;
mod put;
mod replace;

pub use client_app::ClientApp;
pub use new_server::NewServer;
pub use plan::{EditOutcome, EditPlan};
pub use put::add_server;
