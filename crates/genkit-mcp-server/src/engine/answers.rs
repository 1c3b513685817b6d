//! Serializes results in the form that clients of each era expect.

use rmcp::model::{CallToolResult, ErrorCode, ErrorData};
use serde::Serialize;

use super::call::Written;
use super::{Reply, message};
use crate::error::Error as E;
use crate::handler::ToolReply;
use crate::results;
use crate::rounds::InputRequired;
use crate::session::Era;

impl Era {
    /// Adapts an error to the era.
    pub(super) fn error(self, mut error: ErrorData) -> ErrorData {
        if self == Self::Modern && error.code == ErrorCode::RESOURCE_NOT_FOUND {
            error.code = ErrorCode::INVALID_PARAMS;
        }
        error
    }

    pub(super) fn tool_reply(self, reply: ToolReply) -> Result<Written, ErrorData> {
        let (tool, result, limit) = match reply {
            ToolReply::InputRequired(required) => return self.input_required(required),
            ToolReply::Task(created) => {
                return Ok(Box::new(move |id| message::result(id, &created)));
            }
            ToolReply::Complete { tool, result, limit } => (tool, result, limit),
        };
        let shown = move |mut result: CallToolResult| {
            result.result_type = result.result_type.filter(|_| self == Self::Modern);
            result
        };
        let result = shown(result);
        Ok(Box::new(move |id| {
            let mut tool_failed = result.is_error == Some(true);
            let reply = message::limited(id, &result, limit, |size| {
                tool_failed = true;
                message::result(id, &shown(results::too_large(&tool, size, limit)))
            });
            Reply { tool_failed, ..reply }
        }))
    }

    pub(super) fn input_required(self, required: InputRequired) -> Result<Written, ErrorData> {
        if self == Self::Legacy {
            return Err(E::NotSealed.into());
        }
        Ok(Box::new(move |id| message::result(id, &required)))
    }
}

/// Serializes the result of `name`, or an error if it exceeds `limit` bytes of JSON.
pub(super) fn result(
    result: impl Serialize + Send + 'static,
    name: String,
    limit: usize,
) -> Written {
    Box::new(move |id| {
        message::limited(id, &result, limit, |size| {
            message::error(Some(id), &results::no_room(&name, size, limit))
        })
    })
}
