//! What `#[prompt]` has of its own.

use crate::options::{ICONS, Sets, Spec};
use crate::values::Form;

pub(crate) const OPTIONS: &[Spec] = &[
    ICONS,
    Spec {
        key: "version",
        form: Form::Text,
        sets: Sets::Definition,
        example: "version = \"2\"",
        about: "Its version; MCP sends it in `_meta`.",
    },
];
