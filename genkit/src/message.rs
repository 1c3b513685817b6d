//! Messages and their parts: plain data with Genkit's JSON form, for use with serde.
//!
//! ```
//! use genkit::{Message, Part};
//!
//! let question = Message::user("What is in this picture?")
//!     .with(Part::media("https://example.com/cat.png", "image/png"));
//! assert_eq!(question.content.len(), 2);
//! let stored = serde_json::to_string(&question)?;
//! assert_eq!(serde_json::from_str::<Message>(&stored)?, question);
//! # Ok::<(), serde_json::Error>(())
//! ```

#[doc(inline)]
pub use genkit_core::{
    Annotations, Media, Message, Part, ResourcePart, Role, ToolRequest, ToolResponse,
};
