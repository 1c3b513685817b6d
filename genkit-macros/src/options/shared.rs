//! Options that several macros share.

use super::spec::{OptionForm, OptionSpec, OptionTarget};

/// The options that every macro has.
pub(super) const OPTIONS: &[OptionSpec] = &[
    OptionSpec {
        key: "name",
        form: OptionForm::Text,
        target: OptionTarget::Macro,
        example: "name = \"get-weather\"",
        about: "The name that callers use. Default is the function's name. It can have 1 to 64 \
                characters of `A-Z a-z 0-9 _ -`; for a resource, up to 256 characters in one line.",
    },
    OptionSpec {
        key: "title",
        form: OptionForm::Text,
        target: OptionTarget::Info,
        example: "title = \"Weather\"",
        about: "The display name for users.",
    },
    OptionSpec {
        key: "description",
        form: OptionForm::Text,
        target: OptionTarget::Macro,
        example: "description = \"Gets the weather in a city.\"",
        about: "Replaces the doc comment as the description that callers read.",
    },
    OptionSpec {
        key: "tags",
        form: OptionForm::Texts,
        target: OptionTarget::Info,
        example: "tags(\"weather\", \"public\")",
        about: "Tags that filters can select by.",
    },
    OptionSpec {
        key: "metadata",
        form: OptionForm::Json,
        target: OptionTarget::Info,
        example: "metadata = { \"owner\": \"ops\" }",
        about: "A JSON object for client programs; MCP sends it as `_meta`.",
    },
    OptionSpec {
        key: "crate",
        form: OptionForm::Path,
        target: OptionTarget::Macro,
        example: "crate = \"my_crate::genkit\"",
        about: "The path of the `genkit` crate, for use inside other macros. A renamed \
                dependency is found without this option.",
    },
];

/// The option of macros whose functions can have a time limit.
pub(super) const TIMEOUT: OptionSpec = OptionSpec {
    key: "timeout",
    form: OptionForm::Duration,
    target: OptionTarget::Definition,
    example: "timeout = \"30s\"",
    about: "The time limit of a call, in `ms`, `s`, `m` or `h`.",
};

/// The option of every macro whose function is served over MCP.
pub(super) const PERMIT: OptionSpec = OptionSpec {
    key: "permit",
    form: OptionForm::Scopes,
    target: OptionTarget::Info,
    example: "permit = \"notes:write\"",
    about: "The scope that an MCP client needs; other clients can neither list nor call the item. Separate several \
            scopes with spaces; the client needs all of them.",
};

/// The option of every macro whose definition a client can display.
pub(super) const ICONS: OptionSpec = OptionSpec {
    key: "icons",
    form: OptionForm::Urls,
    target: OptionTarget::Info,
    example: "icons(\"https://example.com/sun.png\")",
    about: "Icons that clients display.",
};
