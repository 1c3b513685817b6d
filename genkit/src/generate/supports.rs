//! What a model cannot do is said before it is called.

use crate::error::{Error, Result};
use crate::message::{Part, Role};
use crate::model::{Constrained, Model, ModelRequest, Supports, ToolChoice};

/// Whether `model` can do what `request` wants; a model that declares nothing is not checked.
pub(super) fn check(model: &dyn Model, request: &ModelRequest) -> Result<()> {
    let info = model.info();
    let name = model.name();
    if let Some(supports) = &info.supports
        && let Some(lacking) = lacking(supports, request)
    {
        return Err(Error::invalid_argument(format!(
            "the model `{name}` does not support {lacking}"
        )));
    }
    if let Some(version) = request.config.get("version").and_then(|version| version.as_str())
        && !info.versions.is_empty()
        && !info.versions.iter().any(|known| known == version)
    {
        return Err(Error::invalid_argument(format!(
            "the model `{name}` has no version `{version}`; it has: {}",
            info.versions.join(", ")
        )));
    }
    Ok(())
}

fn lacking(supports: &Supports, request: &ModelRequest) -> Option<&'static str> {
    let parts = || request.messages.iter().flat_map(|message| &message.content);
    let constrained = request.output.constrained == Some(true) && request.output.schema.is_some();
    let system = |role| role == Role::System;
    if !supports.tools && !request.tools.is_empty() {
        return Some("tools: take another model, or leave `.tools(..)` out");
    }
    if !supports.tool_choice && request.tool_choice.is_some_and(|choice| choice != ToolChoice::Auto)
    {
        return Some("a tool choice other than `auto`");
    }
    if !supports.media && parts().any(|part| matches!(part, Part::Media { .. })) {
        return Some("media: send text, or take another model");
    }
    let turns = request.messages.iter().filter(|message| !system(message.role)).count();
    if !supports.multiturn && turns > 1 {
        return Some("more than one message");
    }
    if !supports.system_role && request.messages.iter().any(|message| system(message.role)) {
        return Some("a system message: add the middleware `simulate_system_prompt()`");
    }
    if constrained && !can_constrain(supports, request) {
        return Some("output that is bound to a schema");
    }
    None
}

/// Whether the model's provider can bind the answer to a schema.
pub(super) fn can_constrain(supports: &Supports, request: &ModelRequest) -> bool {
    match supports.constrained {
        Constrained::All => true,
        Constrained::NoTools => request.tools.is_empty(),
        Constrained::None => false,
    }
}
