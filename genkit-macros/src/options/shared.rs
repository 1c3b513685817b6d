//! Options that several macros have.

use super::spec::{OptionForm, OptionSpec, OptionTarget};

/// The options that every macro has.
pub(super) const OPTIONS: &[OptionSpec] = &[
    OptionSpec {
        key: "name",
        form: OptionForm::Text,
        target: OptionTarget::Macro,
        example: "name = \"get-weather\"",
        about: "The name that callers use; the function's own name without it. 1 to 64 of \
                `A-Z a-z 0-9 _ -`.",
    },
    OptionSpec {
        key: "title",
        form: OptionForm::Text,
        target: OptionTarget::Info,
        example: "title = \"Weather\"",
        about: "A name for people.",
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
        about: "Words that filters select by.",
    },
    OptionSpec {
        key: "metadata",
        form: OptionForm::Json,
        target: OptionTarget::Info,
        example: "metadata = { \"owner\": \"ops\" }",
        about: "A JSON object for programs; MCP sends it as `_meta`.",
    },
    OptionSpec {
        key: "crate",
        form: OptionForm::Path,
        target: OptionTarget::Macro,
        example: "crate = \"my_crate::genkit\"",
        about: "Where `genkit` is, for macros that write macros. A renamed dependency is found \
                without it.",
    },
];

/// Of every macro whose function a client waits for.
pub(super) const TIMEOUT: OptionSpec = OptionSpec {
    key: "timeout",
    form: OptionForm::Duration,
    target: OptionTarget::Definition,
    example: "timeout = \"30s\"",
    about: "How long a call may take: `ms`, `s`, `m` or `h`.",
};

/// Of every macro whose function is served over MCP.
pub(super) const PERMIT: OptionSpec = OptionSpec {
    key: "permit",
    form: OptionForm::Scopes,
    target: OptionTarget::Info,
    example: "permit = \"notes:write\"",
    about: "The scope that an MCP client needs: for others it is not there, neither in lists nor for \
            calls. Several stand with blanks between them, and it needs all of them.",
};

/// Of every macro whose definition a client can show.
pub(super) const ICONS: OptionSpec = OptionSpec {
    key: "icons",
    form: OptionForm::Urls,
    target: OptionTarget::Info,
    example: "icons(\"https://example.com/sun.png\")",
    about: "Pictures that clients show.",
};
