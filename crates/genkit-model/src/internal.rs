//! Items that the sibling crates of genkit use. They are not part of the public API and change without notice.

pub use crate::catalog::{Models, embed_in_span, embedding_list};
pub mod documents {
    pub use crate::documents::*;
}
pub mod estimate {
    pub use crate::estimate::*;
}
pub mod provider {
    pub use crate::provider::LinkedProvider;
}
pub mod sampling {
    pub use crate::sampling::*;
}

#[cfg(feature = "http")]
pub use for_providers::*;

/// Items for the crates of HTTP providers.
#[cfg(feature = "http")]
mod for_providers {
    pub use crate::http::{download, forbid_network};
    pub use crate::wire::settings::warn_omitted;
    pub mod arguments {
        pub use crate::wire::arguments::ArgumentsObject;
    }
    pub mod data_url {
        pub use crate::wire::data_url::DataUrl;
    }
    pub mod http {
        pub use crate::http::{
            ApiEndpoint, EmbedBatch, EmbedWire, Error, HttpEmbedder, HttpModel, ProviderSettings,
            bearer_headers, env_var, error_text, is_web_page, kind_of_status, message_text,
            with_reported,
        };
        pub use crate::wire::retry_after::{duration_from_seconds, retry_after, should_retry};
    }
    pub mod lazy {
        pub use crate::wire::lazy::deferred_tools;
    }
    pub mod lenient {
        pub use crate::wire::lenient::{
            as_json_text, deserialize_count, deserialize_text, json_text,
        };
    }
    pub mod signature {
        pub use crate::wire::signature::{
            GEMINI, SIGNED_BY, SKIP_VALIDATION, add_signature, find_signature, *,
        };
    }
    pub mod wire {
        pub use crate::wire::{HeaderLookup, HttpCall, Next, StreamFormat, WireFormat, WireStream};
    }
}
