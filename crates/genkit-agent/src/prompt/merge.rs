//! Merges the options of a run with the options of its prompt. The options of the run take precedence.

use crate::Generate;
use genkit_core::OutputOptions;
use genkit_core::ToolRef;
use genkit_core::{Message, Role};
use genkit_core::{PromptOptions, PromptTool};
use genkit_model::ModelRef;

impl Generate {
    /// Copies the options of the prompt that this run does not set. Model settings are merged key by key; tools,
    /// documents and named middleware of the run replace those of the prompt.
    pub(super) fn apply_prompt_options(&mut self, prompt: &PromptOptions) {
        let options = &mut self.options;
        if self.model.is_none() {
            self.model = prompt.model().map(ModelRef::from);
        }
        if !prompt.config().is_empty() {
            let own = options.config.take().unwrap_or_default();
            let mut config = prompt.config().clone();
            config.extend(own);
            options.config = Some(config);
        }
        if self.tools.is_empty() {
            self.tools = prompt.tools().iter().map(tool_ref).collect();
        }
        if options.docs.is_empty() {
            options.docs = prompt.docs().to_vec();
        }
        if options.middleware.is_empty() {
            options.middleware = prompt.middleware().to_vec();
        }
        options.tool_choice = options.tool_choice.take().or_else(|| prompt.tool_choice().cloned());
        options.max_turns = options.max_turns.or(prompt.max_turns());
        options.return_tool_requests =
            options.return_tool_requests.or(prompt.return_tool_requests());
        options.output = merge_output(options.output.take(), prompt.output());
    }
}

fn tool_ref(tool: &PromptTool) -> ToolRef {
    match tool {
        PromptTool::Value(tool) => tool.into(),
        // `PromptTool::Name`
        other => other.name().into(),
    }
}

/// Merges the output settings. Fields that the run does not set are taken from the prompt, except that a schema of the
/// run also replaces the prompt's format.
fn merge_output(
    own: Option<OutputOptions>,
    prompt: Option<&OutputOptions>,
) -> Option<OutputOptions> {
    let (Some(own), Some(prompt)) = (&own, prompt) else { return own.or_else(|| prompt.cloned()) };
    let (own, prompt) = (own.clone(), prompt.clone());
    let replaced = own.json_schema.is_some();
    let kept = if replaced { OutputOptions::default() } else { prompt.clone() };
    let mut options = own;
    options.format = options.format.or(kept.format);
    options.content_type = options.content_type.or(kept.content_type);
    options.json_schema = options.json_schema.or(kept.json_schema);
    options.instructions = options.instructions.or(prompt.instructions);
    options.constrained = options.constrained.or(prompt.constrained);
    Some(options)
}

/// Inserts the history into the messages of a prompt without `{{history}}`: before a final user message, or else at
/// the end.
pub(super) fn place_history(mut rendered: Vec<Message>, earlier: Vec<Message>) -> Vec<Message> {
    let asks = rendered.last().is_some_and(|last| last.role == Role::User);
    let at = rendered.len() - usize::from(asks);
    rendered.splice(at..at, earlier);
    rendered
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn schema_of_the_run_takes_no_format_of_the_prompt() {
        let prompt = OutputOptions::default()
            .with_json_schema(json!({"enum": ["a"]}))
            .with_format(genkit_core::Format::Enum)
            .with_constrained(false);
        let own = OutputOptions::default().with_json_schema(json!({"type": "object"}));
        let merged = merge_output(Some(own.clone()), Some(&prompt)).expect("both set options");
        assert_eq!(merged, own.with_constrained(false));
        let own = OutputOptions::default().with_instructions("Be brief.");
        let merged = merge_output(Some(own), Some(&prompt)).expect("both set options");
        assert_eq!(merged, prompt.clone().with_instructions("Be brief."));
        assert_eq!(merge_output(None, Some(&prompt)), Some(prompt));
    }

    #[test]
    fn history_precedes_the_new_user_message() {
        let earlier = || vec![Message::user("a"), Message::model("b")];
        let texts = |messages: Vec<Message>| {
            place_history(messages, earlier()).iter().map(Message::text).collect::<Vec<_>>()
        };
        assert_eq!(texts(vec![]), ["a", "b"]);
        assert_eq!(texts(vec![Message::system("S"), Message::user("U")]), ["S", "a", "b", "U"]);
        assert_eq!(texts(vec![Message::user("U"), Message::model("M")]), ["U", "M", "a", "b"]);
    }
}
