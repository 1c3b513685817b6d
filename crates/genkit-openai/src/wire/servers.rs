//! The known servers with a Chat Completions API: their URLs and deviations.

use std::borrow::Cow;

/// A server with a known name.
pub(crate) struct KnownServer {
    /// The prefix of its models' names, before the `/`.
    pub(crate) name: &'static str,
    pub(crate) base_url: &'static str,
    /// The environment variable of its API key.
    pub(crate) key: &'static str,
    /// Whether it requires an API key.
    pub(crate) needs_key: bool,
    pub(crate) deviations: Deviations,
}

/// The field names and capabilities that differ between servers.
#[derive(Clone, Debug)]
pub(crate) struct Deviations {
    /// The name of the token limit.
    pub(crate) max_tokens: Cow<'static, str>,
    /// Whether reasoning models use the role `developer` instead of `system`.
    pub(crate) developer: bool,
    /// Whether the usage of a stream must be requested.
    pub(crate) stream_options: bool,
    pub(crate) strict_tools: bool,
    pub(crate) strict_output: bool,
    /// Whether it supports `response_format: json_object`.
    pub(crate) json_object: bool,
    /// Whether it supports `response_format: json_schema`.
    pub(crate) json_schema: bool,
    /// Whether an output schema must describe an object.
    pub(crate) object_root: bool,
    /// Whether it supports JSON output in a request with tools.
    pub(crate) json_with_tools: bool,
    /// Whether it supports `tool_choice`.
    pub(crate) tool_choice: bool,
    /// Whether `tool_choice` may name a tool.
    pub(crate) named_tool_choice: bool,
    pub(crate) top_k: bool,
    pub(crate) reasoning: ReasoningBack,
    pub(crate) tool_ids: ToolIds,
    /// Whether messages may contain fields that OpenAI does not support.
    pub(crate) extra_fields: bool,
}

/// The field in which the model's earlier thoughts are sent back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ReasoningBack {
    No,
    /// In `reasoning_content`.
    Content,
    /// In `reasoning_details`, unchanged and in order; in `reasoning` if there are none.
    Details,
}

/// The ids of tool calls that a server accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ToolIds {
    Any,
    /// At most 40 characters.
    Forty,
    /// At most 64 characters, as in the Responses API.
    SixtyFour,
    /// Exactly nine letters and digits.
    NineAlphanumeric,
}

/// The deviations that most OpenAI-compatible servers share.
const COMPATIBLE: Deviations = Deviations {
    max_tokens: Cow::Borrowed("max_tokens"),
    developer: false,
    stream_options: true,
    strict_tools: false,
    strict_output: false,
    json_object: true,
    json_schema: true,
    object_root: false,
    json_with_tools: true,
    tool_choice: true,
    named_tool_choice: true,
    top_k: false,
    reasoning: ReasoningBack::No,
    tool_ids: ToolIds::Any,
    extra_fields: true,
};

const OPENAI: Deviations = Deviations {
    max_tokens: Cow::Borrowed("max_completion_tokens"),
    developer: true,
    strict_tools: true,
    strict_output: true,
    object_root: true,
    tool_ids: ToolIds::Forty,
    extra_fields: false,
    ..COMPATIBLE
};

/// The deviations of local servers, which convert a schema to a grammar and therefore do not need strict mode.
const LOCAL: Deviations =
    Deviations { top_k: true, reasoning: ReasoningBack::Content, ..COMPATIBLE };

/// The deviations of servers whose `tool_choice` cannot name a tool: LM Studio responds with status 400, and
/// llama.cpp silently treats it as `auto`.
const NO_NAMED_TOOL: Deviations = Deviations { named_tool_choice: false, ..LOCAL };

/// The known servers, OpenAI first.
pub(crate) static SERVERS: &[KnownServer] = &[
    needs_key("openai", "https://api.openai.com/v1", "OPENAI_API_KEY", OPENAI),
    needs_key(
        "openrouter",
        "https://openrouter.ai/api/v1",
        "OPENROUTER_API_KEY",
        Deviations {
            top_k: true,
            strict_output: true,
            reasoning: ReasoningBack::Details,
            ..COMPATIBLE
        },
    ),
    needs_key(
        "groq",
        "https://api.groq.com/openai/v1",
        "GROQ_API_KEY",
        Deviations {
            max_tokens: Cow::Borrowed("max_completion_tokens"),
            json_with_tools: false,
            extra_fields: false,
            ..COMPATIBLE
        },
    ),
    needs_key(
        "mistral",
        "https://api.mistral.ai/v1",
        "MISTRAL_API_KEY",
        Deviations {
            stream_options: false,
            strict_output: true,
            tool_ids: ToolIds::NineAlphanumeric,
            extra_fields: false,
            ..COMPATIBLE
        },
    ),
    needs_key(
        "deepseek",
        "https://api.deepseek.com",
        "DEEPSEEK_API_KEY",
        Deviations { json_schema: false, reasoning: ReasoningBack::Content, ..COMPATIBLE },
    ),
    needs_key(
        "xai",
        "https://api.x.ai/v1",
        "XAI_API_KEY",
        Deviations {
            max_tokens: Cow::Borrowed("max_completion_tokens"),
            strict_output: true,
            ..COMPATIBLE
        },
    ),
    needs_key(
        "gemini-openai",
        "https://generativelanguage.googleapis.com/v1beta/openai",
        "GEMINI_API_KEY",
        COMPATIBLE,
    ),
    needs_key(
        "together",
        "https://api.together.xyz/v1",
        "TOGETHER_API_KEY",
        Deviations { top_k: true, ..COMPATIBLE },
    ),
    needs_key(
        "fireworks",
        "https://api.fireworks.ai/inference/v1",
        "FIREWORKS_API_KEY",
        Deviations { top_k: true, ..COMPATIBLE },
    ),
    needs_key(
        "cerebras",
        "https://api.cerebras.ai/v1",
        "CEREBRAS_API_KEY",
        Deviations {
            max_tokens: Cow::Borrowed("max_completion_tokens"),
            strict_output: true,
            json_with_tools: false,
            ..COMPATIBLE
        },
    ),
    needs_key(
        "moonshot",
        "https://api.moonshot.ai/v1",
        "MOONSHOT_API_KEY",
        Deviations { reasoning: ReasoningBack::Content, ..COMPATIBLE },
    ),
    needs_key(
        "perplexity",
        "https://api.perplexity.ai",
        "PERPLEXITY_API_KEY",
        Deviations { json_object: false, ..COMPATIBLE },
    ),
    needs_key("deepinfra", "https://api.deepinfra.com/v1/openai", "DEEPINFRA_API_KEY", COMPATIBLE),
    needs_key("nvidia", "https://integrate.api.nvidia.com/v1", "NVIDIA_API_KEY", COMPATIBLE),
    needs_key("huggingface", "https://router.huggingface.co/v1", "HF_TOKEN", COMPATIBLE),
    local_server(
        "ollama",
        "http://localhost:11434/v1",
        "OLLAMA_API_KEY",
        Deviations { top_k: false, reasoning: ReasoningBack::No, tool_choice: false, ..LOCAL },
    ),
    local_server(
        "lmstudio",
        "http://localhost:1234/v1",
        "LMSTUDIO_API_KEY",
        Deviations { json_object: false, reasoning: ReasoningBack::No, ..NO_NAMED_TOOL },
    ),
    local_server("vllm", "http://localhost:8000/v1", "VLLM_API_KEY", LOCAL),
    local_server("llamacpp", "http://localhost:8080/v1", "LLAMA_API_KEY", NO_NAMED_TOOL),
];

const fn needs_key(
    name: &'static str,
    base_url: &'static str,
    key: &'static str,
    deviations: Deviations,
) -> KnownServer {
    KnownServer { name, base_url, key, needs_key: true, deviations }
}

const fn local_server(
    name: &'static str,
    base_url: &'static str,
    key: &'static str,
    deviations: Deviations,
) -> KnownServer {
    KnownServer { name, base_url, key, needs_key: false, deviations }
}

/// The names of the servers.
pub(crate) const NAMES: [&str; SERVERS.len()] = {
    let mut names = [""; SERVERS.len()];
    let mut at = 0;
    while at < names.len() {
        names[at] = SERVERS[at].name;
        at += 1;
    }
    names
};

impl KnownServer {
    pub(crate) fn openai_server() -> &'static Self {
        &SERVERS[0]
    }

    /// Returns the server with this name.
    pub(crate) fn find_named(name: &str) -> Option<&'static Self> {
        SERVERS.iter().find(|server| server.name == name)
    }

    /// Returns the server at this URL, ignoring the path.
    pub(crate) fn find_by_url(base_url: &str) -> Option<&'static Self> {
        let place = host_and_port(base_url);
        SERVERS.iter().find(|server| self::host_and_port(server.base_url) == place)
    }

    /// Returns the environment variable that overrides its base URL, such as `GROQ_BASE_URL`.
    pub(crate) fn base_url_variable(&self) -> String {
        format!("{}_BASE_URL", self.name.to_ascii_uppercase().replace('-', "_"))
    }
}

/// Returns the host and port of a URL.
fn host_and_port(url: &str) -> String {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let host = rest.split(['/', '?']).next().unwrap_or_default().to_ascii_lowercase();
    match host.strip_prefix("127.0.0.1") {
        Some(port) => format!("localhost{port}"),
        None => host,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_addresses_are_unique() {
        assert_eq!(KnownServer::openai_server().name, "openai");
        for (at, server) in SERVERS.iter().enumerate() {
            assert_eq!(NAMES[at], server.name);
            assert!(
                std::ptr::eq(KnownServer::find_named(server.name).unwrap(), server),
                "{}",
                server.name
            );
            assert!(
                std::ptr::eq(KnownServer::find_by_url(server.base_url).unwrap(), server),
                "{}",
                server.name
            );
            assert!(!server.base_url.ends_with('/'), "{at}");
        }
    }

    #[test]
    fn server_is_known_by_its_address() {
        assert_eq!(KnownServer::find_by_url("http://127.0.0.1:11434/v1/").unwrap().name, "ollama");
        assert_eq!(
            KnownServer::find_by_url("https://API.deepseek.com/beta").unwrap().name,
            "deepseek"
        );
        assert!(KnownServer::find_by_url("http://localhost:4000/v1").is_none());
        assert_eq!(KnownServer::find_named("groq").unwrap().base_url_variable(), "GROQ_BASE_URL");
    }
}
