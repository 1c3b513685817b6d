//! The options that only `#[prompt]` has.

use super::shared::ICONS;
use super::spec::{OptionForm, OptionSpec, OptionTarget};

pub(super) const OPTIONS: &[OptionSpec] = &[
    ICONS,
    OptionSpec {
        key: "version",
        form: OptionForm::Text,
        target: OptionTarget::Definition,
        example: "version = \"2\"",
        about: "Its version; MCP sends it in `_meta`.",
    },
];
