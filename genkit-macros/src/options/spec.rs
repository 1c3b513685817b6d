//! The description of one option: its name, and the form and the target of its value.

/// One option of a macro.
pub(crate) struct OptionSpec {
    pub(crate) key: &'static str,
    pub(crate) form: OptionForm,
    pub(crate) target: OptionTarget,
    /// An example of its use, for messages and documentation.
    pub(crate) example: &'static str,
    /// The documentation of the option.
    #[cfg_attr(not(test), expect(dead_code, reason = "the documentation is checked against it"))]
    pub(crate) about: &'static str,
}

/// The target of an option's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OptionTarget {
    /// A method of `StaticInfo`.
    Info,
    /// A method of the definition.
    Definition,
    /// A `with_*` method of `PromptOptions`.
    Run,
    /// Used by the macro itself.
    Macro,
}

/// The form of an option's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OptionForm {
    /// `key = "text"`
    Text,
    /// `key`, `key = false`
    Flag,
    /// `key = "30s"`
    Duration,
    /// `key = 65536`, `key = "64KiB"`
    Size,
    /// `key = "notes:write"`
    Scopes,
    /// `key("a", "b")`
    Texts,
    /// `key("https://…")`
    Urls,
    /// `key = "text/plain"`
    MimeType,
    /// `key = { .. }`
    Json,
    /// `key = "a::path"`
    Path,
    /// `key = Type`, `key = { .. }`, `key = expression()`
    Schema,
    /// `key`, `key = "5s"`, `key = "now"`, `key = "always"`
    Task,
    /// `key`, `key(max_retries = 2, initial_delay = "5s")`
    Retry,
    /// `key = 3`
    Number,
    /// `key = [function, "name"]`
    Tools,
    /// `key = "required"`, `key = function`
    ToolChoice,
    /// `key = function`
    Function,
    /// `key("model", "app")`
    Visibility,
    /// `key`, `key(connect("https://.."), permissions("camera"), prefers_border)`
    App,
}

impl OptionForm {
    /// Returns a description of the expected value, for messages.
    pub(crate) fn describe_value(self) -> &'static str {
        match self {
            Self::Text => "a string",
            Self::Flag => "nothing, or `= true` or `= false`",
            Self::Duration => "a duration with its unit in quotes",
            Self::Size => "a number of bytes, or a size with its unit in quotes",
            Self::Scopes => "scopes in quotes, with spaces between them",
            Self::Texts => "strings in parentheses",
            Self::Urls => "URLs in parentheses",
            Self::MimeType => "a media type in quotes",
            Self::Json => "a JSON object",
            Self::Path => "a path in quotes",
            Self::Schema => "a type, a JSON object or a call that returns a schema",
            Self::Task => {
                "nothing, or `\"now\"`, `\"always\"` or a duration with its unit in quotes"
            }
            Self::Retry => {
                "nothing, or settings in parentheses: `max_retries`, `initial_delay`, `backoff`, `max_delay`"
            }
            Self::Number => "a whole number",
            Self::Tools => "functions and names in brackets",
            Self::Function => "a function with `#[resource]`",
            Self::Visibility => "`\"model\"`, `\"app\"` or both in parentheses",
            Self::App => {
                "nothing, or rights in parentheses: `connect(..)`, `resources(..)`, `frames(..)`, `base_uris(..)`, \
                 `permissions(..)`, `prefers_border`, `domain = \"..\"`"
            }
            Self::ToolChoice => {
                "`\"auto\"`, `\"required\"`, `\"none\"` or a function listed in `tools`"
            }
        }
    }
}
