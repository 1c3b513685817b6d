//! Options that only `#[resource]` has.

use super::shared::{ICONS, PERMIT, TIMEOUT};
use super::spec::{OptionForm, OptionSpec, OptionTarget};

pub(super) const OPTIONS: &[OptionSpec] = &[
    ICONS,
    TIMEOUT,
    PERMIT,
    OptionSpec {
        key: "mime_type",
        form: OptionForm::MimeType,
        target: OptionTarget::Definition,
        example: "mime_type = \"text/markdown\"",
        about: "The media type of the content, if it is always the same.",
    },
];
