//! Options that only `#[resource]` has.

use super::shared::{ICONS, PERMIT, TIMEOUT};
use super::spec::{OptionForm, OptionSpec, OptionTarget};

pub(super) const OPTIONS: &[OptionSpec] = &[
    ICONS,
    TIMEOUT,
    PERMIT,
    OptionSpec {
        key: "app",
        form: OptionForm::App,
        target: OptionTarget::Info,
        example: "app(connect(\"https://api.example.com\"))",
        about: "Makes the resource the page of an MCP App, an HTML document at a `ui://` URI. In parentheses: the \
                origins that it may use, with `connect(..)`, `resources(..)`, `frames(..)` and `base_uris(..)`; \
                `permissions(\"camera\", \"microphone\", \"geolocation\", \"clipboard-write\")`; `prefers_border`; \
                `domain = \"..\"`.",
    },
    OptionSpec {
        key: "mime_type",
        form: OptionForm::MimeType,
        target: OptionTarget::Definition,
        example: "mime_type = \"text/markdown\"",
        about: "The media type of the content, if it is always the same.",
    },
];
