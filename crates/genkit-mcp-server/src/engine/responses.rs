//! Serializes results in the form that clients of each era expect.

use rmcp::model::{CallToolResult, ErrorCode, ErrorData, RequestId};
use serde::Serialize;

use super::{Reply, message};
use crate::error::Error as E;
use crate::handler::ToolReply;
use crate::results;
use crate::rounds::InputRequired;
use crate::session::Era;

impl Era {
    /// Adapts an error to the era.
    pub(super) fn adapt_error(self, mut error: ErrorData) -> ErrorData {
        if self == Self::Modern && error.code == ErrorCode::RESOURCE_NOT_FOUND {
            error.code = ErrorCode::INVALID_PARAMS;
        }
        error
    }

    pub(super) fn tool_reply(self, id: &RequestId, reply: ToolReply) -> Result<Reply, ErrorData> {
        let (tool, result, limit) = match reply {
            ToolReply::InputRequired(required) => return self.input_required(id, &required),
            ToolReply::Task(created) => return Ok(message::result_reply(id, &created)),
            ToolReply::Complete { tool, result, limit } => (tool, result, limit),
        };
        let shown = |mut result: CallToolResult| {
            result.result_type = result.result_type.filter(|_| self == Self::Modern);
            result
        };
        let result = shown(result);
        let mut tool_failed = result.is_error == Some(true);
        let reply = message::limited_reply(id, &result, limit, |size| {
            tool_failed = true;
            message::result_reply(id, &shown(results::too_large(&tool, size, limit)))
        });
        Ok(Reply { tool_failed, ..reply })
    }

    pub(super) fn input_required(
        self,
        id: &RequestId,
        required: &InputRequired,
    ) -> Result<Reply, ErrorData> {
        if self == Self::Legacy {
            return Err(E::NotSealed.into());
        }
        Ok(message::result_reply(id, required))
    }
}

/// Serializes the result of `name`, or an error if it exceeds `limit` bytes of JSON.
pub(super) fn write_result(
    id: &RequestId,
    result: &impl Serialize,
    name: &str,
    limit: usize,
) -> Reply {
    message::limited_reply(id, result, limit, |size| {
        message::error_reply(Some(id), &results::too_large_error(name, size, limit))
    })
}
