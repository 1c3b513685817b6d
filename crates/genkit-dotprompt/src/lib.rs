//! Dotprompt: renders `.prompt` files into messages.
//!
//! ```
//! use genkit_dotprompt::{Data, Environment, PromptFile, Role};
//! use serde_json::json;
//!
//! let prompt = PromptFile::parse(
//!     "trip.prompt",
//!     r#"---
//! model: vendor/name
//! input: {schema: {city: string, days?: integer}, default: {days: 3}}
//! ---
//! {{role "system"}}You plan trips.
//! {{role "user"}}{{city}} for {{days}} days
//! "#,
//! )?;
//! let data = Data::from_input(json!({"city": "Rome"})).with_defaults(&prompt);
//! let rendered = Environment::default().render(&prompt, &data, &Default::default())?;
//! assert_eq!(rendered.messages[0].role, Role::System);
//! assert_eq!(rendered.messages[1].text(), "Rome for 3 days");
//! assert_eq!(rendered.metadata.model(), Some("vendor/name"));
//! # Ok::<(), genkit_dotprompt::Error>(())
//! ```
//!
//! Values never become structure: roles, media, sections and the history are written only by the template, and printed
//! values are text. The cost of a rendering is bounded by [`Limits`], so neither a template nor its data can make a
//! program hang.

#![forbid(unsafe_code)]

mod check;
mod environment;
mod error;
mod error_kind;
mod folder;
mod frontmatter;
mod limits;
mod message;
mod metadata;
mod picoschema;
mod prompt;
mod render;
mod template;
mod text;

pub use environment::{Environment, EnvironmentBuilder, HelperCall};
pub use error::Error;
pub use folder::{Folder, FolderFingerprint, Library, PartialSource, PromptSource};
pub use frontmatter::{yaml, yaml_place, yaml_within};
pub use limits::{Limits, MAX_FRONTMATTER_BYTES, MAX_SOURCE_BYTES};
pub use message::{Data, Rendered, RenderedMessage, RenderedPart, Role};
pub use metadata::Metadata;
pub use picoschema::picoschema;
pub use prompt::PromptFile;
