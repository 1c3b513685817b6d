//! The keys of data that is sent back to Gemini unchanged.

/// The keys of Gemini's custom parts, and the fields of Gemini's parts that they come from.
pub(super) const CUSTOM: [(&str, &str); 4] = [
    ("executableCode", "executableCode"),
    ("codeExecutionResult", "codeExecutionResult"),
    ("geminiToolCall", "toolCall"),
    ("geminiToolResponse", "toolResponse"),
];

/// The key of a custom part that holds an unknown kind of Gemini part, unchanged.
pub(super) const UNKNOWN: &str = "geminiPart";
