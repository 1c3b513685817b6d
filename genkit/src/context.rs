//! The context of a call: what a function may ask of whoever called it.
//!
//! [`Context`] is taken as `ctx: &Context`. It tells progress and logs, sees cancellation and time
//! limits, holds state and the values of a request, and asks: a form ([`Context::elicit`]), a yes
//! ([`Context::confirm`]), a model ([`Context::sample`]), the folders ([`Context::roots`]).
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
    ClientInfo, Context, Elicit, ElicitForm, Elicited, LogLevel, Progress, Root, Roots, Sample,
    SampleRequest, Sampled,
};
