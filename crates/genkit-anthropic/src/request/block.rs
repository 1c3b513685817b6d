//! Content blocks of the Messages API.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::{Map, Value};

use genkit_model::internal::arguments::ArgumentsObject;

/// A block with its cache breakpoint, if the prompt is cached up to it.
#[derive(Serialize)]
pub(super) struct MessageBlock<'a> {
    #[serde(flatten)]
    pub(super) kind: BlockKind<'a>,
    #[serde(rename = "cache_control", skip_serializing_if = "Option::is_none")]
    pub(super) cache: Option<&'a Value>,
}

#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum BlockKind<'a> {
    Known(BlockContent<'a>),
    /// An Anthropic-specific block, sent back unchanged.
    Given(&'a Map<String, Value>),
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum BlockContent<'a> {
    Text {
        text: Cow<'a, str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        citations: Option<&'a Value>,
    },
    Thinking {
        thinking: &'a str,
        signature: &'a str,
    },
    RedactedThinking {
        data: &'a Value,
    },
    Image {
        source: FileSource<'a>,
    },
    Document {
        source: FileSource<'a>,
        #[serde(skip_serializing_if = "Option::is_none")]
        title: Option<&'a Value>,
        #[serde(skip_serializing_if = "Option::is_none")]
        context: Option<&'a Value>,
        #[serde(skip_serializing_if = "Option::is_none")]
        citations: Option<&'a Value>,
    },
    ToolUse {
        id: String,
        name: Cow<'a, str>,
        input: ArgumentsObject<'a>,
        #[serde(skip_serializing_if = "Option::is_none")]
        caller: Option<&'a Value>,
    },
    ToolResult {
        tool_use_id: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        content: Option<ResultContent<'a>>,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        is_error: bool,
    },
}

/// The source of an image or a document.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum FileSource<'a> {
    Base64 { media_type: Cow<'a, str>, data: Cow<'a, str> },
    Url { url: &'a str },
    Text { media_type: &'static str, data: Cow<'a, str> },
    File { file_id: &'a str },
}

#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum ResultContent<'a> {
    Text(Cow<'a, str>),
    List(Vec<MessageBlock<'a>>),
}

impl<'a> MessageBlock<'a> {
    pub(super) fn new(block: BlockContent<'a>) -> Self {
        Self { kind: BlockKind::Known(block), cache: None }
    }

    pub(super) fn text_block(text: impl Into<Cow<'a, str>>) -> Self {
        Self::new(BlockContent::Text { text: text.into(), citations: None })
    }

    /// Returns whether the block can have a cache breakpoint. Thoughts and blocks that are sent
    /// back unchanged cannot.
    pub(super) fn can_be_marked(&self) -> bool {
        match &self.kind {
            BlockKind::Known(block) => !matches!(
                block,
                BlockContent::Thinking { .. } | BlockContent::RedactedThinking { .. }
            ),
            BlockKind::Given(_) => false,
        }
    }

    pub(super) fn is_thinking(&self) -> bool {
        use BlockContent::{RedactedThinking, Thinking};
        matches!(&self.kind, BlockKind::Known(Thinking { .. } | RedactedThinking { .. }))
    }
}
