//! A SQLite store for durable runs of [`genkit`]: one file for many processes on one machine.
//!
//! ```
//! use genkit::Genkit;
//! use genkit_sqlite::SqliteStore;
//!
//! # fn main() -> genkit::Result<()> {
//! # let folder = std::env::temp_dir().join(format!("genkit-sqlite-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder)?;
//! let store = SqliteStore::open(folder.join("runs.db"))?;
//! let genkit = Genkit::builder().durable(store).build()?;
//! # let _ = genkit;
//! # std::fs::remove_dir_all(folder)?;
//! # Ok(())
//! # }
//! ```
//!
//! Once a save has returned, its data survives a crash of the process and of the machine (write-ahead log,
//! `synchronous = FULL`). A step costs one commit regardless of the length of its run: the head is replaced, and new
//! lines are appended to the log. Steps that end at the same time share a commit.

#![forbid(unsafe_code)]

mod rows;
mod schema;
mod store;
mod writer;

pub use store::SqliteStore;
