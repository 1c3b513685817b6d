//! Testing utilities for programs that use this library, without a model and without a network.
//!
//! To test a function, call it. [`Context::testing`](genkit_core::Context::testing) answers its questions and
//! records its logs and progress, and [`Chunks::collect`](genkit_core::Chunks::collect) records its chunks.
//!
//! [`check`] reports mistakes that the compiler cannot detect. With the feature `testing`, `Client` is
//! an in-memory MCP client:
//!
//! ```
//! # #[cfg(feature = "testing")]
//! # mod with_the_feature {
//! use genkit::testing::Client;
//! use genkit::{Genkit, Registry, tool, tools};
//! use serde_json::json;
//!
//! /// Adds two numbers.
//! #[tool]
//! async fn add(a: i64, b: i64) -> i64 { a + b }
//!
//! # /*
//! #[tokio::test]
//! # */
//! async fn adds() -> genkit::Result<()> {
//!     let genkit = Genkit::builder().registry(Registry::new().add(tools![add])).build()?;
//!     let client = Client::connect(genkit.serve_mcp()).await?;
//!     assert_eq!(client.call_tool("add", json!({"a": 2, "b": 40})).await?.text(), "42");
//!     Ok(())
//! }
//! # #[tokio::main(flavor = "current_thread")]
//! # pub async fn run() { adds().await.unwrap() }
//! # }
//! # #[cfg(feature = "testing")]
//! # with_the_feature::run();
//! ```

#[cfg(feature = "testing")]
#[allow(deprecated, reason = "the earlier name of `Notification`")]
#[doc(inline)]
pub use genkit_mcp_server::testing::{
    Client, ClientBuilder, ListedPrompt, ListedResource, ListedResourceTemplate, ListedTool,
    Notification, Seen, ToolResult,
};

#[doc(inline)]
pub use genkit_core::{AskedKind, AskedQuestion, Reports, TestContext, TestContextBuilder};
#[cfg(feature = "durable")]
#[doc(inline)]
pub use genkit_durable::check_run_store;
#[cfg(feature = "generate")]
#[doc(inline)]
pub use genkit_model::{Scripted, ScriptedModel};

use genkit_core::Registry;
use genkit_core::Result;

/// Checks all annotated functions of the program: see [`Registry::check`].
///
/// In a unit test it reports mistakes that would otherwise be reported when the server starts:
///
/// ```standalone_crate
/// // under #[test]
/// fn registry_is_sound() {
///     genkit::testing::check().unwrap();
/// }
/// # registry_is_sound();
/// ```
///
/// # Errors
/// Returns one error that lists every problem with its location.
pub fn check() -> Result<()> {
    Registry::global().check()
}

/// Disables network access for all models of this process: requests to other machines return an error
/// with the name of the host. Servers on loopback and replayed cassettes still work.
///
/// Call it in the first line of a test, so that the test cannot cause costs by mistake:
///
/// ```standalone_crate
/// # #[cfg(feature = "gemini")]
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> genkit::Result<()> {
/// use genkit::model::{ChunkSink, Gemini, ModelRequest};
///
/// genkit::testing::forbid_network();
/// let model = Gemini::builder().api_key("AIza").build()?.model("gemini-2.5-flash");
/// let request = ModelRequest::new([genkit::Message::user("hi")]);
/// let error = model.generate(&request, &ChunkSink::none()).await.unwrap_err();
/// assert_eq!(error.kind(), genkit::ErrorKind::FailedPrecondition);
/// assert!(error.to_string().contains("generativelanguage.googleapis.com"));
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "gemini"))]
/// # fn main() {}
/// ```
#[cfg(feature = "http-model")]
pub fn forbid_network() {
    genkit_model::internal::forbid_network();
}

#[doc(hidden)]
#[deprecated(note = "renamed to `Reports`")]
pub type Reported = Reports;
