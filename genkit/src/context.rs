//! The context of a call: how a function communicates with its caller.
//!
//! A function takes its context as `ctx: &Context`. A [`Context`] reports progress and logs, observes cancellation and
//! time limits, provides state and the values of a request, and asks questions: a form ([`Context::elicit`]), an approval
//! ([`Context::confirm`]), text from the client's model ([`Context::sample`]), the client's folders
//! ([`Context::roots`]).
//!
//! ```
//! use genkit::context::Progress;
//! use genkit::{Context, tool};
//!
//! /// Imports the rows of a file.
//! #[tool]
//! async fn import(ctx: &Context, rows: Vec<String>) -> usize {
//!     for (done, _row) in rows.iter().enumerate() {
//!         ctx.progress(Progress::new(done as f64)).await;
//!     }
//!     rows.len()
//! }
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! assert_eq!(import(&Context::detached(), vec!["a".to_owned()]).await, 1);
//! # }
//! ```

#[doc(inline)]
pub use genkit_core::{
    ClientInfo, Context, Elicit, ElicitForm, ElicitUrl, Elicited, LogLevel, Progress, Root, Roots,
    Sample, SampleRequest, Sampled,
};
