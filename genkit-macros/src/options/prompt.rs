//! The options that only `#[prompt]` has.

use super::shared::{ICONS, TIMEOUT};
use super::spec::{OptionForm, OptionSpec, OptionTarget};

pub(super) const OPTIONS: &[OptionSpec] = &[
    ICONS,
    TIMEOUT,
    OptionSpec {
        key: "version",
        form: OptionForm::Text,
        target: OptionTarget::Definition,
        example: "version = \"2\"",
        about: "Its version; MCP sends it in `_meta`.",
    },
];
