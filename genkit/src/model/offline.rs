//! A model without a network.

use crate::model::{
    ChunkSink, Generating, Model, ModelInfo, ModelRequest, ModelResponse, Supports,
};

/// A model that is none: deterministic, offline, honest about what it is.
#[derive(Clone, Debug, Default)]
pub struct Offline(());

impl Offline {
    /// The name under which `.model("offline")` finds it.
    pub const NAME: &'static str = "offline";

    /// Makes one.
    pub fn new() -> Self {
        Self(())
    }
}

impl Model for Offline {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn info(&self) -> ModelInfo {
        let mut info = ModelInfo::default();
        info.supports = Some(Supports::all());
        info
    }

    fn generate<'a>(&'a self, request: &'a ModelRequest, _: &'a ChunkSink) -> Generating<'a> {
        let said = request.messages.last().map(crate::message::Message::text).unwrap_or_default();
        Box::pin(async move { Ok(ModelResponse::text(said)) })
    }
}
