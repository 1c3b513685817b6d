//! The finish reasons of OpenAI and of compatible servers.

use genkit_core::FinishReason;

/// Converts a finish reason. Letter case, prefixes such as `FINISH_REASON_`, and word separators
/// are ignored.
pub(super) fn finish_reason(sent: Option<&str>) -> FinishReason {
    normalize(sent).map_or(FinishReason::Unknown, |reason| classify(&reason))
}

/// Returns the kind of a normalized reason.
fn classify(reason: &str) -> FinishReason {
    match reason {
        _ if STOP.contains(&reason) => FinishReason::Stop,
        _ if LENGTH.contains(&reason) => FinishReason::Length,
        _ if BLOCKED.contains(&reason) => FinishReason::Blocked,
        // Gemini's server adds its own reason: `content_filter: RECITATION`.
        _ if reason.starts_with("contentfilter") => FinishReason::Blocked,
        _ => FinishReason::Other,
    }
}

/// Returns whether a response with this reason ended before the model had finished.
pub(super) fn is_incomplete(sent: &str) -> bool {
    normalize(Some(sent)).is_some_and(|reason| match classify(&reason) {
        FinishReason::Length | FinishReason::Blocked => true,
        FinishReason::Other => FAILED.contains(&reason.as_str()),
        _ => false,
    })
}

/// Returns whether this is not an actual finish reason: some servers send an empty reason in every chunk.
pub(super) fn is_placeholder(sent: &str) -> bool {
    normalize(Some(sent)).is_none()
}

/// Returns the letters and digits of a reason, in lower case, or `None` without a reason.
fn normalize(sent: Option<&str>) -> Option<String> {
    let letters = sent?.chars().filter(char::is_ascii_alphanumeric);
    let text: String = letters.map(|c| c.to_ascii_lowercase()).take(100).collect();
    let reason = ["finishreason", "reason"].iter().find_map(|prefix| text.strip_prefix(prefix));
    let reason = reason.unwrap_or(&text);
    let is_none =
        matches!(reason, "" | "null" | "none" | "unspecified" | "unknown" | "notfinished");
    (!is_none).then(|| reason.to_owned())
}

/// The response is complete, or it calls tools.
const STOP: &[&str] = &[
    "stop",         // OpenAI, and most servers
    "toolcalls",    // OpenAI
    "functioncall", // OpenAI, before tools
    "toolcall",     // Cohere
    "tooluse",      // Anthropic and Bedrock behind gateways
    "endturn",      // Anthropic and Bedrock behind gateways, xAI
    "stopsequence", // Anthropic, Cohere, Text Generation Inference
    "stopsequencereached",
    "complete",  // Cohere
    "completed", // gateways of the Responses API
    "eos",       // Together, llama.cpp
    "eostoken",  // Text Generation Inference, watsonx
    "eosfound",  // LM Studio
    "stopstringfound",
    "endid", // TensorRT-LLM in NVIDIA NIM
    "stopwords",
    "stopword", // llama.cpp
    "word",
    "endoftext",     // AI21, Aleph Alpha
    "endofsentence", // SambaNova
    "done",          // Cerebras, Ollama
    "normal",        // Baidu
    "finish",        // Bedrock
];

/// The limit of tokens or of the context was reached.
const LENGTH: &[&str] = &[
    "length",      // OpenAI, and most servers
    "modellength", // Mistral
    "maxtokens",   // Anthropic, Cohere, Gemini
    "maxtoken",
    "maxoutputtokens", // the Responses API
    "maximumtokens",   // Aleph Alpha
    "maxlength",
    "maxlen",     // xAI
    "maxcontext", // xAI
    "modelcontextwindowexceeded",
    "contextlengthexceeded",
    "contextlengthreached", // LM Studio
    "maxpredictedtokensreached",
    "limit",      // llama.cpp
    "tokenlimit", // watsonx
    "errorlimit", // Cohere
];

/// A filter blocked the response, or the model refused to answer.
const BLOCKED: &[&str] = &[
    "contentfilter",   // OpenAI and Azure
    "contentfiltered", // Bedrock
    "guardrailintervened",
    "refusal",   // Anthropic
    "sensitive", // Zhipu, Hunyuan
    "safety",    // Gemini
    "recitation",
    "blocklist",
    "prohibitedcontent",
    "spii",
    "imagesafety",
    "language",
    "errortoxic", // Cohere
    "toxic",
    "moderation",
];

/// The server stopped because of an error. The response has the reason [`FinishReason::Other`].
const FAILED: &[&str] = &[
    "error", // Mistral, OpenRouter, vLLM, Cohere
    "abort", // vLLM, SGLang, Zhipu
    "aborted",
    "cancelled", // TensorRT-LLM, watsonx
    "canceled",
    "usercancel",  // Cohere
    "userstopped", // LM Studio
    "modelunloaded",
    "failed",
    "networkerror",               // Zhipu
    "insufficientsystemresource", // DeepSeek
    "timeout",                    // Cohere
    "timedout",                   // TensorRT-LLM
    "timelimit",                  // xAI, watsonx
    "repetition",                 // vLLM
    "malformedfunctioncall",      // Gemini
    "functioncallfiltermalformedfunctioncall",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_known_reason_is_mapped() {
        use FinishReason::{Blocked, Length, Other, Stop, Unknown};
        for (reason, sent) in [
            (Stop, &["stop", "tool_calls", "function_call", "eos", "EOS_TOKEN", "end_turn"][..]),
            (Stop, &["COMPLETE", "STOP_SEQUENCE", "TOOL_CALL", "tool_use", "STOP", "toolCalls"]),
            (Stop, &["eosFound", "stopStringFound", "REASON_STOP", "FINISH_REASON_STOP", "finish"]),
            (Length, &["length", "model_length", "MAX_TOKENS", "max_output_tokens", "max-tokens"]),
            (Length, &["REASON_MAX_LEN", "contextLengthReached", "model_context_window_exceeded"]),
            (Blocked, &["content_filter", "content-filter", "SAFETY", "sensitive", "refusal"]),
            (Blocked, &["content_filter: RECITATION", "guardrail_intervened", "ERROR_TOXIC"]),
            (Other, &["error", "abort", "network_error", "insufficient_system_resource", "odd"]),
            (Unknown, &["", " ", "null", "None", "FINISH_REASON_UNSPECIFIED"]),
        ] {
            for sent in sent {
                assert_eq!(finish_reason(Some(sent)), reason, "{sent}");
            }
        }
        assert_eq!(finish_reason(None), Unknown);
    }

    #[test]
    fn limits_filters_and_errors_cut_a_response() {
        for cut in ["length", "model_length", "content_filter", "error", "abort", "time_limit"] {
            assert!(is_incomplete(cut), "{cut}");
        }
        for complete in ["stop", "tool_calls", "", "odd"] {
            assert!(!is_incomplete(complete), "{complete}");
        }
    }

    #[test]
    fn each_reason_is_listed_once() {
        let mut all: Vec<&str> = [STOP, LENGTH, BLOCKED, FAILED].concat();
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
    }
}
