//! The options that only `#[prompt]` has.

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
        about: "Its version; MCP sends it in `_meta`.",
    },
    OptionSpec {
        key: "model",
        form: OptionForm::Text,
        target: OptionTarget::Run,
        example: "model = \"gemini/gemini-2.5-flash\"",
        about: "The model that the prompt is for, where it runs.",
    },
    OptionSpec {
        key: "config",
        form: OptionForm::Json,
        target: OptionTarget::Run,
        example: "config = { \"temperature\": 0.2 }",
        about: "Settings of the model, as a JSON object.",
    },
    OptionSpec {
        key: "tools",
        form: OptionForm::Tools,
        target: OptionTarget::Run,
        example: "tools = [get_weather, \"remote/search\"]",
        about: "What the model may call: `#[tool]` functions, and in quotes names or patterns of the \
                registry. A function that is none does not compile.",
    },
    OptionSpec {
        key: "tool_choice",
        form: OptionForm::ToolChoice,
        target: OptionTarget::Run,
        example: "tool_choice = \"required\"",
        about: "Whether the model may, must or must not call tools: `\"auto\"`, `\"required\"` or \
                `\"none\"`; or one function of `tools`, which it must call.",
    },
    OptionSpec {
        key: "max_turns",
        form: OptionForm::Number,
        target: OptionTarget::Run,
        example: "max_turns = 3",
        about: "How many rounds of tool calls there may be.",
    },
    OptionSpec {
        key: "return_tool_requests",
        form: OptionForm::Flag,
        target: OptionTarget::Run,
        example: "return_tool_requests",
        about: "Leaves the tools to whoever runs the prompt.",
    },
    OptionSpec {
        key: "output",
        form: OptionForm::Schema,
        target: OptionTarget::Run,
        example: "output = Weather",
        about: "What the model is to answer: a type with `schemars::JsonSchema`, a JSON object \
                `{ .. }`, or a call that gives a schema.",
    },
];
