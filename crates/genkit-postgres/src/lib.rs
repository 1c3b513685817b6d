//! A Postgres store for durable runs of [`genkit`]: one database for many machines.
//!
//! ```no_run
//! use genkit::Genkit;
//! use genkit_postgres::PostgresStore;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> genkit::Result<()> {
//! let store = PostgresStore::connect("postgres://agents:secret@db.internal/agents").await?;
//! let genkit = Genkit::builder().durable(store).build()?;
//! genkit.work().await
//! # }
//! ```
//!
//! Each change is one statement, so a step costs one commit and one round trip, regardless of the length of its run.
//! Leases and times use the clock of the server, so the clocks of the machines may differ.

#![forbid(unsafe_code)]

mod connection;
mod hosts;
mod statements;
mod store;

pub use store::PostgresStore;
pub use tokio_postgres;
