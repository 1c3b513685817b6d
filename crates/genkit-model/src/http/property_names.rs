//! Replaces property names that providers reject in the schemas of tools, and restores them in responses.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::Value;

use crate::ChunkSink;
use genkit_core::{GenerateChunk, ModelRequest, ModelResponse, Part};
use genkit_schema::Schema;
use genkit_schema::internal::PropertyNames;

/// The input schemas with renamed properties, by the name of the tool.
pub(super) struct RenamedTools(Arc<HashMap<String, Schema>>);

impl RenamedTools {
    /// Returns a request with safe property names, or `None` if all names are safe.
    pub(super) fn rename_request(request: &ModelRequest) -> Option<(ModelRequest, Self)> {
        let unsafe_tools = request.tools.iter().filter_map(|tool| {
            let schema = tool.shared_input()?;
            schema.property_names().map(|_| (tool.name.clone(), schema.clone()))
        });
        let tools: HashMap<String, Schema> = unsafe_tools.collect();
        if tools.is_empty() {
            return None;
        }
        let renamed = Self(Arc::new(tools));
        let mut request = request.clone();
        for tool in &mut request.tools {
            if let Some(names) = renamed.find_names(&tool.name) {
                *tool = tool.clone().with_input_schema(names.renamed_schema().clone());
            }
        }
        for message in &mut request.messages {
            renamed.map_calls(&mut message.content, PropertyNames::rename_arguments);
        }
        Some((request, renamed))
    }

    /// Returns a response with the original names.
    pub(super) fn restore_response(&self, mut response: ModelResponse) -> ModelResponse {
        if let Some(message) = &mut response.message {
            self.map_calls(&mut message.content, PropertyNames::restore_arguments);
        }
        response
    }

    /// Returns a sink that restores the original names in each chunk and passes the chunk to `chunks`.
    pub(super) fn restore_chunks(&self, chunks: &ChunkSink) -> ChunkSink {
        if !chunks.is_wanted() {
            return ChunkSink::none();
        }
        let (tools, target) = (Self(Arc::clone(&self.0)), chunks.clone());
        chunks.before(move |mut chunk: GenerateChunk| {
            tools.map_calls(&mut chunk.content, PropertyNames::restore_arguments);
            target.send(chunk);
        })
    }

    fn find_names(&self, tool: &str) -> Option<&PropertyNames> {
        self.0.get(tool)?.property_names()
    }

    fn map_calls(&self, parts: &mut [Part], map: fn(&PropertyNames, Value) -> Value) {
        for part in parts {
            let Part::ToolRequest { tool_request: call, .. } = part else { continue };
            if let Some(names) = self.find_names(&call.name) {
                call.input = map(names, call.input.take());
            }
        }
    }
}
