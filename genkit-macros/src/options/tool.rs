//! The options that only `#[tool]` has.

use super::shared::{ICONS, PERMIT, TIMEOUT};
use super::spec::{OptionForm, OptionSpec, OptionTarget};

pub(super) const OPTIONS: &[OptionSpec] = &[
    ICONS,
    hint("read_only", "Says that it changes nothing."),
    hint("destructive", "Says that it may destroy something."),
    hint("idempotent", "Says that calling it twice is calling it once."),
    hint("open_world", "Says that it reaches out of this program: the web, another system."),
    hint("needs_approval", "Asks the user before each call."),
    hint(
        "at_most_once",
        "In a durable run, a call that may have happened is never made again by itself: a person is asked what became \
         of it.",
    ),
    OptionSpec {
        key: "task",
        form: OptionForm::Task,
        target: OptionTarget::Definition,
        example: "task = \"5s\"",
        about: "A call becomes a task, for MCP clients that know tasks, once it has run for so long: 1 second without a \
                value, `\"now\"` for at once. `\"always\"` refuses clients that know none.",
    },
    TIMEOUT,
    PERMIT,
    OptionSpec {
        key: "max_output",
        form: OptionForm::Size,
        target: OptionTarget::Definition,
        example: "max_output = \"64KiB\"",
        about: "How much text a call may give before it is cut, with a mark: bytes, or `B`, \
                `KiB` or `MiB`.",
    },
    OptionSpec {
        key: "output_schema",
        form: OptionForm::Schema,
        target: OptionTarget::Definition,
        example: "output_schema = Weather",
        about: "Replaces the schema of the returned type, for example of a `serde_json::Value`: a \
                type with `schemars::JsonSchema`, a JSON object `{ .. }`, or a call that gives a \
                schema. The result is checked against it.",
    },
];

const fn hint(key: &'static str, about: &'static str) -> OptionSpec {
    let (form, target) = (OptionForm::Flag, OptionTarget::Definition);
    OptionSpec { key, form, target, example: key, about }
}
