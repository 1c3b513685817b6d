//! Items that the sibling crates of genkit use. They are not part of the public API and change without notice.

pub use crate::catalog::Models;
#[cfg(feature = "http")]
pub use crate::http::{download, forbid_network};
#[cfg(feature = "http")]
pub use crate::settings::left_out;
#[cfg(feature = "http")]
pub mod arguments {
    pub use crate::arguments::ArgumentsObject;
}
#[cfg(feature = "http")]
pub mod data_url {
    pub use crate::data_url::DataUrl;
}
pub mod documents {
    pub use crate::documents::*;
}
pub mod estimate {
    pub use crate::estimate::*;
}
#[cfg(feature = "http")]
pub mod http {
    pub use crate::http::{
        ApiEndpoint, EmbedBatch, EmbedWire, Error, HttpEmbedder, HttpModel, ProviderSettings,
        bearer_headers, duration_from_seconds, env_var, error_text, is_web_page, kind_of_status,
        message_text, retry_after, should_retry, with_reported,
    };
}
#[cfg(feature = "http")]
pub mod lenient {
    pub use crate::lenient::{as_json_text, deserialize_count, deserialize_text, json_text};
}
pub mod provider {
    pub use crate::provider::LinkedProvider;
}
pub mod sampling {
    pub use crate::sampling::*;
}
#[cfg(feature = "http")]
pub mod signature {
    pub use crate::signature::{
        GEMINI, SIGNED_BY, SKIP_VALIDATION, add_signature, find_signature, *,
    };
}
#[cfg(feature = "http")]
pub mod wire {
    pub use crate::wire::{HttpCall, Next, StreamFormat, WireFormat, WireStream};
}
