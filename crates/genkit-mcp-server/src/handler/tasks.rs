//! Checks of task requests, and of calls that can become tasks.

use std::sync::Arc;

use rmcp::model::{ClientCapabilities, ErrorData, TASKS_EXTENSION_ID};
use serde_json::Map;

use super::method_names;
use crate::caller::Request;
use crate::error::Error as E;
use crate::session::{ClientDescription, Era};
use crate::state::SharedState;
use genkit_core::internal::warnings::WarningBudget;
use genkit_core::{Tool, ToolTask};

/// The methods of the tasks extension.
const METHODS: [&str; 3] = ["tasks/get", "tasks/update", "tasks/cancel"];

/// Checks whether this server handles a request of `method` from this client. Methods outside `tasks/` always
/// pass.
pub(crate) fn check_method(
    shared: &Arc<SharedState>,
    method: &str,
    era: Era,
    client: &ClientDescription,
) -> Result<(), ErrorData> {
    if !method.starts_with("tasks/") {
        return Ok(());
    }
    let makes_tasks = shared.makes_tasks();
    // The program can declare the extension, and handle its methods in a layer before this server.
    let is_declared = shared.settings.extensions.contains_key(TASKS_EXTENSION_ID);
    let is_known = METHODS.contains(&method) && era == Era::Modern;
    match is_known && (makes_tasks || is_declared) {
        true if !client.tasks => Err(missing_extension()),
        true if makes_tasks => Ok(()),
        _ if is_known => {
            Err(method_names::undeclared_method(method, "no tool of this server runs as a task"))
        }
        _ => Err(method_names::unknown_method(method, era)),
    }
}

/// Checks whether this client can listen for task notifications. The server sends none: the acknowledgement
/// contains no `taskIds`, so the client polls.
pub(crate) fn check_listening(client: &ClientDescription) -> Result<(), ErrorData> {
    if client.tasks { Ok(()) } else { Err(missing_extension()) }
}

/// Returns the error for a client that does not declare the extension in its request.
fn missing_extension() -> ErrorData {
    let mut tasks = ClientCapabilities::default();
    tasks.extensions = Some([(TASKS_EXTENSION_ID.to_owned(), Map::new())].into());
    ErrorData::missing_required_client_capability(tasks)
}

/// Returns the delay after which a call to the tool becomes a task; `None` if it runs as a normal call.
///
/// # Errors
/// Returns an error if the tool always runs as a task, and the client does not support tasks or
/// has too many tasks.
pub(super) fn task_delay(
    shared: &Arc<SharedState>,
    tool: &Tool,
    request: &Request,
) -> Result<Option<ToolTask>, ErrorData> {
    let Some(task) = tool.task().filter(|_| shared.makes_tasks()) else { return Ok(None) };
    if request.era == Era::Legacy || !request.client.tasks {
        return if task.is_required() { Err(missing_extension()) } else { Ok(None) };
    }
    if shared.tasks.has_room(request.quota.key()) {
        return Ok(Some(task));
    }
    if task.is_required() {
        return Err(request.record_refusal("tools/call", tool.name(), E::TooManyTasks));
    }
    static WARNINGS: WarningBudget = WarningBudget::new();
    if let Some(warnings) = WARNINGS.count_warning() {
        let tool = tool.name();
        tracing::warn!(tool, warnings, "the client has too many tasks; running the call directly");
    }
    Ok(None)
}
