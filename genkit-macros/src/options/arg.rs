//! Options of one parameter, in `#[arg]`.

use super::spec::{OptionForm, OptionSpec, OptionTarget};

pub(crate) const OPTIONS: &[OptionSpec] = &[
    OptionSpec {
        key: "default",
        form: OptionForm::Flag,
        target: OptionTarget::Macro,
        example: "#[arg(default = 3)]",
        about: "The value if the caller omits the argument; without `= ..`, the value of `Default`.",
    },
    OptionSpec {
        key: "complete",
        form: OptionForm::Texts,
        target: OptionTarget::Macro,
        example: "#[arg(complete = suggest_city)]",
        about: "Completions while a user types: an `async fn(CompleteRequest) -> Vec<String>`, or a \
                list `[\"a\", \"b\"]`. Only for prompts and resource templates.",
    },
    OptionSpec {
        key: "extension",
        form: OptionForm::Flag,
        target: OptionTarget::Macro,
        example: "#[arg(extension)]",
        about: "On a reference parameter: injects a value of the request instead of state, such as the \
                caller's `&Principal`. A request without the value fails as unauthenticated.",
    },
];
