//! Schemas for Anthropic: nearly all of JSON Schema for tool arguments, a strict subset for output.

mod keywords;
mod output;

#[cfg(test)]
mod tests;

use serde_json::Value;

use super::NAME;
use genkit_core::internal::visible::Logged;
use genkit_schema::internal::{Dialect, RepairedDialect, ToolInput};

/// The schema of a tool's arguments: JSON Schema whose root is an object without a choice.
pub(super) type ToolInputDialect = ToolInput<RepairedDialect>;

/// The schema of a response: closed objects, with limits on numbers and lengths in the
/// descriptions.
pub(super) struct OutputDialect;

impl Dialect for OutputDialect {
    fn convert_schema(exact: &Value, owner: &str) -> Option<Value> {
        match output::rewrite_strict(exact) {
            Ok((schema, left_out)) => {
                if !left_out.is_empty() {
                    tracing::debug!(
                        "{NAME} does not enforce these limits of {}: {}; they are added to the description, and the \
                         response is checked",
                        Logged::name(owner),
                        left_out.join(", ")
                    );
                }
                Some(schema)
            }
            Err(reason) => {
                tracing::warn!(
                    "{NAME} cannot enforce the schema of {} ({reason}), so the schema is added to the prompt; \
                     to enforce it, change the type",
                    Logged::name(owner)
                );
                None
            }
        }
    }
}
