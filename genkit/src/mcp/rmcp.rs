//! rmcp, the underlying SDK, and all functions of this library that accept or return its types.
//!
//! The module re-exports the crate `rmcp`, so that a program uses the same version as this library: any version from
//! 3.9 up to, but not including, 4.0. No other module uses types of rmcp in its signatures.
//!
//! ```
//! use genkit::mcp::rmcp::model::ProtocolVersion;
//!
//! assert_eq!(ProtocolVersion::V_2026_07_28.to_string(), "2026-07-28");
//! ```

#[doc(no_inline)]
pub use ::rmcp::*;

#[cfg(feature = "mcp-host")]
#[doc(inline)]
pub use genkit_mcp_host::{FromMcp, custom_transport, peer, peer_tools, tool_definitions};
#[cfg(feature = "testing")]
#[doc(inline)]
pub use genkit_mcp_server::testing::{RawClient, RawItem};
