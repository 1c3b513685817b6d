//! Options that only `#[prompt]` has.

use super::shared::{ICONS, PERMIT, TIMEOUT};
use super::spec::{OptionForm, OptionSpec, OptionTarget};

pub(super) const OPTIONS: &[OptionSpec] = &[
    ICONS,
    TIMEOUT,
    PERMIT,
    OptionSpec {
        key: "version",
        form: OptionForm::Text,
        target: OptionTarget::Definition,
        example: "version = \"2\"",
        about: "The version of the prompt; MCP sends it in `_meta`.",
    },
    OptionSpec {
        key: "model",
        form: OptionForm::Text,
        target: OptionTarget::Run,
        example: "model = \"gemini/gemini-2.5-flash\"",
        about: "The model to use when the prompt runs.",
    },
    OptionSpec {
        key: "config",
        form: OptionForm::Json,
        target: OptionTarget::Run,
        example: "config = { \"temperature\": 0.2 }",
        about: "The settings of the model, as a JSON object.",
    },
    OptionSpec {
        key: "tools",
        form: OptionForm::Tools,
        target: OptionTarget::Run,
        example: "tools = [get_weather, \"remote/search\"]",
        about: "The tools of the model: `#[tool]` functions, and quoted names or patterns of the \
                registry. A function without `#[tool]` does not compile.",
    },
    OptionSpec {
        key: "tool_choice",
        form: OptionForm::ToolChoice,
        target: OptionTarget::Run,
        example: "tool_choice = \"required\"",
        about: "Whether the model can, must or must not call tools: `\"auto\"`, `\"required\"` or \
                `\"none\"`; or a function of `tools` that it must call.",
    },
    OptionSpec {
        key: "max_turns",
        form: OptionForm::Number,
        target: OptionTarget::Run,
        example: "max_turns = 3",
        about: "The maximum number of rounds of tool calls.",
    },
    OptionSpec {
        key: "return_tool_requests",
        form: OptionForm::Flag,
        target: OptionTarget::Run,
        example: "return_tool_requests",
        about: "Returns the tool calls to the caller instead of running them.",
    },
    OptionSpec {
        key: "output",
        form: OptionForm::Schema,
        target: OptionTarget::Run,
        example: "output = Weather",
        about: "The schema of the response: a type with `schemars::JsonSchema`, a JSON object \
                `{ .. }`, or a call that returns a schema.",
    },
];
