//! Capabilities: checks before a call that the model supports the request.

use std::collections::BTreeSet;
use std::sync::Mutex;

use genkit_core::Result;
use genkit_core::internal::generate::error::Error as E;
use genkit_core::internal::run_options::{misspelt_settings, wrong_setting};
use genkit_core::internal::sync::lock;
use genkit_core::internal::visible::Logged;
use genkit_core::{ModelRequest, ToolChoice};
use genkit_core::{Part, Role};
use genkit_model::{Constrained, Model, Supports};
use genkit_schema::internal::truncate::excerpt;

/// The maximum number of tools in one request. Default is 1,024: providers accept far fewer, and no model chooses well
/// among so many.
const MAX_TOOLS: usize = 1_024;

/// The maximum number of misspelled settings that are logged. Default is 100.
const MAX_REPORTED: usize = 100;

/// The maximum length of a setting in an error, in characters.
const MAX_SHOWN: usize = 100;

/// Checks that `model` supports `request`. If the model declares no capabilities, only the settings and the number and
/// choice of tools are checked.
pub(crate) fn check_capabilities(model: &dyn Model, request: &ModelRequest) -> Result<()> {
    if request.tools.len() > MAX_TOOLS {
        return Err(E::TooManyTools { count: request.tools.len(), most: MAX_TOOLS }.into());
    }
    if let Some((name, value, must_be)) = wrong_setting(&request.config) {
        let value = excerpt(&value.to_string(), MAX_SHOWN);
        return Err(E::Setting { name, value, must_be }.into());
    }
    for (name, near) in misspelt_settings(&request.config).filter(|(name, _)| is_first_report(name))
    {
        let (name, model) = (Logged::name(name), Logged::name(model.name()));
        tracing::warn!(
            "the setting `{name}` is sent to {model} unchanged; did you mean `{near}`, which every provider supports?"
        );
    }
    let info = model.info();
    if let Some(lacking) =
        info.supports.as_ref().and_then(|supports| missing_capability(supports, request))
    {
        return Err(E::Unsupported { model: model.name().to_owned(), lacking }.into());
    }
    if let Some(ToolChoice::Tool(name)) = &request.tool_choice {
        let names = || request.tools.iter().map(|tool| tool.name.as_str());
        if !names().any(|offered| offered == name) {
            let unknown = genkit_core::internal::suggest::unknown_name("tool", name, names());
            return Err(E::ChosenToolNotOffered(unknown).into());
        }
    }
    if let Some(version) = request.config.get("version").and_then(|version| version.as_str())
        && !info.versions.is_empty()
        && !info.versions.iter().any(|known| known == version)
    {
        let (model, version) = (model.name().to_owned(), version.to_owned());
        return Err(E::UnknownVersion { model, version, known: info.versions }.into());
    }
    Ok(())
}

/// Returns whether this setting has not been reported yet.
fn is_first_report(setting: &str) -> bool {
    static TOLD: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let mut logged = lock(&TOLD);
    logged.len() < MAX_REPORTED && logged.insert(setting.to_owned())
}

fn missing_capability(supports: &Supports, request: &ModelRequest) -> Option<&'static str> {
    let has_part = |is_it: fn(&Part) -> bool| {
        request.messages.iter().flat_map(|message| &message.content).any(is_it)
    };
    let messages =
        |system: bool| request.messages.iter().filter(move |m| (m.role == Role::System) == system);
    let bound = request.output.constrained == Some(true) && request.output.schema.is_some();
    let other_choice =
        request.tool_choice.as_ref().is_some_and(|choice| *choice != ToolChoice::Auto);
    let lacks = [
        (
            !supports.tools && !request.tools.is_empty(),
            "tools; use another model, or remove `.tools(..)`",
        ),
        (
            !supports.tool_choice && other_choice,
            "a tool choice other than `auto`; use another model, or remove `.tool_choice(..)`",
        ),
        (
            !supports.media && has_part(|part| matches!(part, Part::Media { .. })),
            "media; send text, or use another model",
        ),
        (!supports.multiturn && messages(false).count() > 1, "more than one message"),
        (
            !supports.system_role && messages(true).count() > 0,
            "a system message; add the middleware `simulate_system_prompt()`",
        ),
        (bound && !can_constrain(supports, request), "output constrained to a schema"),
    ];
    lacks.into_iter().find_map(|(is_lacking, what)| is_lacking.then_some(what))
}

/// Returns whether the model's provider can enforce the schema.
pub(super) fn can_constrain(supports: &Supports, request: &ModelRequest) -> bool {
    match supports.constrained {
        Constrained::All => true,
        Constrained::NoTools => request.tools.is_empty(),
        // `Constrained::None`
        _ => false,
    }
}
