//! Child processes that serve their parent over pipes, such as language servers and MCP servers.
//!
//! ```
//! use genkit_child_process::{ChildCommand, ChildPipes, ChildProcess};
//! use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let command = ChildCommand::new("cat");
//! let (child, ChildPipes { mut stdin, mut stdout }) = ChildProcess::spawn(&command, None)?;
//! stdin.write_all(b"hello").await?;
//! drop(stdin);
//! let mut echo = String::new();
//! stdout.read_to_string(&mut echo).await?;
//! assert_eq!(echo, "hello");
//! child.shutdown().await;
//! # Ok(())
//! # }
//! ```
//!
//! **Start.** The program is looked up in the child's `PATH`, and errors state what is missing and how to fix it
//! ([`SpawnError`]). The child inherits only the variables that programs need to run; keys and tokens of this process
//! are not passed on.
//!
//! **Standard error.** With a [`StderrLog`], it is read continuously, so that a child with much output never blocks.
//! Its lines are passed to the log, at most 1000 per second; [`ChildProcess::exit_report`] contains the last lines.
//! Without a log, it is inherited.
//!
//! **End.** [`ChildProcess::shutdown`] waits for a child whose input was closed, then sends `SIGTERM`, then `SIGKILL`,
//! to the whole process group. Dropping a child ends it as well, within 200 milliseconds. If this process is killed,
//! the child's input is closed immediately, and a watchdog sends the group `SIGTERM`, and `SIGKILL` 2 seconds later.
//! The watchdog is a `/bin/sh` for each child; without a shell, only the input is closed.
//!
//! **Terminal.** A child runs in its own session, so that it cannot open the terminal of this process. An inherited
//! standard error may still be the terminal.
//!
//! A descendant that starts its own session or group is not ended. Without process groups (Windows), only the child
//! itself is killed when it is dropped.

#![forbid(unsafe_code)]

mod child;
mod command;
mod error;
mod group;
#[cfg_attr(not(unix), path = "group_id_off.rs")]
mod group_id;
mod launch;
mod stderr;
#[cfg(test)]
mod tests;

pub use child::{ChildPipes, ChildProcess};
pub use command::ChildCommand;
pub use error::SpawnError;
pub use stderr::StderrLog;
