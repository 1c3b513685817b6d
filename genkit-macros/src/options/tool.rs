//! Options that only `#[tool]` has.

use super::shared::{ICONS, PERMIT, TIMEOUT};
use super::spec::{OptionForm, OptionSpec, OptionTarget};

pub(super) const OPTIONS: &[OptionSpec] = &[
    ICONS,
    hint_option("read_only", "Declares that the tool does not modify anything."),
    hint_option("destructive", "Declares that the tool can delete or overwrite data."),
    hint_option("idempotent", "Declares that repeated calls have the same effect as one."),
    hint_option("open_world", "Declares that the tool accesses external systems, such as the web."),
    hint_option(
        "needs_approval",
        "Asks the user before each call, and reads its arguments strictly, so that the call runs exactly as shown.",
    ),
    hint_option(
        "at_most_once",
        "In a durable run, a call that may already have run is never repeated automatically; the run \
         asks the user for its outcome instead.",
    ),
    hint_option(
        "lazy",
        "Lets the model find the tool with a search; until then, the tool's description and schema cost no tokens.",
    ),
    OptionSpec {
        key: "task",
        form: OptionForm::Task,
        target: OptionTarget::Definition,
        example: "task = \"5s\"",
        about: "Converts a call into a task after this time, for MCP clients that support tasks. Without a \
                value, the time is 1 second; `\"now\"` converts the call immediately, and `\"always\"` also rejects \
                clients without task support.",
    },
    OptionSpec {
        key: "retry",
        form: OptionForm::Retry,
        target: OptionTarget::Definition,
        example: "retry(max_retries = 4, initial_delay = \"1s\", backoff = 4, max_delay = \"5m\")",
        about: "In durable runs, retries a call that failed with a temporary error before the model reads the error. \
                The example shows the defaults; each value is optional.",
    },
    TIMEOUT,
    PERMIT,
    OptionSpec {
        key: "max_output",
        form: OptionForm::Size,
        target: OptionTarget::Definition,
        example: "max_output = \"64KiB\"",
        about: "The maximum size of the text of a result, in bytes, or with `B`, `KiB` or `MiB`. \
                Longer text is truncated with a marker for models, and replaced with an \
                error for MCP clients.",
    },
    OptionSpec {
        key: "ui",
        form: OptionForm::Function,
        target: OptionTarget::Info,
        example: "ui = cart",
        about: "The page that clients with MCP Apps show with the result: a function with \
                `#[resource(\"ui://..\", app)]`.",
    },
    OptionSpec {
        key: "visibility",
        form: OptionForm::Visibility,
        target: OptionTarget::Info,
        example: "visibility(\"app\")",
        about: "Who can use the tool in clients with MCP Apps: `\"model\"`, `\"app\"` (the pages of this server), or \
                both, which is the default. Other clients do not see tools that are not for the model.",
    },
    OptionSpec {
        key: "output_schema",
        form: OptionForm::Schema,
        target: OptionTarget::Definition,
        example: "output_schema = Weather",
        about: "Replaces the schema of the returned type, such as `serde_json::Value`. Takes a type with \
                `schemars::JsonSchema`, a JSON object `{ .. }`, or a call that returns a schema. Each result is \
                checked against the schema.",
    },
];

const fn hint_option(key: &'static str, about: &'static str) -> OptionSpec {
    let (form, target) = (OptionForm::Flag, OptionTarget::Definition);
    OptionSpec { key, form, target, example: key, about }
}
