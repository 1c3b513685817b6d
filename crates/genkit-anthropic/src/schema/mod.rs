//! Schemas of Anthropic: nearly all of JSON Schema for the arguments of tools, a strict subset for output.

mod keywords;
mod output;
mod root;

#[cfg(test)]
mod tests;

use serde_json::Value;

use super::NAME;
use genkit_core::internal::visible::Logged;
use genkit_schema::internal::Dialect;

/// The schema of a tool's arguments: JSON Schema whose root is an object, and no choice.
pub(super) struct ToolInputDialect;

impl Dialect for ToolInputDialect {
    fn convert(exact: &Value, owner: &str) -> Option<Value> {
        let (schema, is_wider) = root::object_root(exact);
        if is_wider {
            tracing::warn!(
                "the schema of `{}` is a choice at its root, which {NAME} refuses: all of its properties \
                 are offered side by side, and what fits none of the choices is an error of the call; put \
                 the choice into a property",
                Logged::name(owner)
            );
        }
        Some(schema)
    }
}

/// The schema of an answer: closed objects, without limits on numbers and lengths, which stand in the descriptions.
pub(super) struct OutputDialect;

impl Dialect for OutputDialect {
    fn convert(exact: &Value, owner: &str) -> Option<Value> {
        match output::strict(exact) {
            Ok((schema, left_out)) => {
                if !left_out.is_empty() {
                    tracing::debug!(
                        "{NAME} does not bind {} to these limits, which are said in words and checked \
                         afterwards: {}",
                        Logged::name(owner),
                        left_out.join(", ")
                    );
                }
                Some(schema)
            }
            Err(reason) => {
                tracing::warn!(
                    "{NAME} cannot bind {} to its schema, so that it is said in words: {reason}; leave that \
                     out of the type",
                    Logged::name(owner)
                );
                None
            }
        }
    }
}
