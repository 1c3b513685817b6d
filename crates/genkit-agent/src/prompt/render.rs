//! Rendering: converts the prompt of a run into its messages and options.

use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use serde_json::Value;

use super::merge::place_history;
use super::prompt_ref::{PromptCall, PromptRef};
use crate::Generate;
use crate::instance::Instance;
use crate::prepare::create_cancel_token;
use crate::request::merge_conversation;
use genkit_core::Format;
use genkit_core::GenerateOptions;
use genkit_core::Result;
use genkit_core::internal::action::Earlier;
use genkit_core::internal::action::StaticPromptFiles;
use genkit_core::internal::context::{ContextParts, supervise_run};
use genkit_core::internal::generate::error::Error as E;
use genkit_core::internal::trace::SpanKind;
use genkit_core::{Message, Part, Role};
use genkit_core::{Prompt, PromptReply};

impl Instance {
    #[doc(hidden)]
    pub fn prompt(&self, prompt: impl Into<PromptRef>) -> Generate {
        let source = PromptCall { prompt: prompt.into(), input: Value::Null };
        let options = GenerateOptions::default();
        Generate { source: Some(source), ..self.generate_with(options) }
    }
}
impl Instance {
    #[doc(hidden)]
    pub fn embedded_prompt(&self, files: &'static StaticPromptFiles, name: &str) -> Generate {
        match genkit_core::internal::action::embedded_prompts(files) {
            Ok(prompts) => match prompts.iter().find(|prompt| prompt.name() == name) {
                Some(prompt) => self.prompt(prompt),
                None => self.prompt(name),
            },
            Err(why) => Generate { config_error: Some(E::PromptFiles(why)), ..self.prompt(name) },
        }
    }
}

impl Generate {
    /// Sets the input of the `prompt` that this run starts with: a struct, a map or JSON. When the
    /// run starts, defaults are filled in and the input is checked against the prompt's schema. If the run has no
    /// prompt, it returns an error.
    pub fn input(mut self, input: impl Serialize) -> Self {
        match (&mut self.source, genkit_core::internal::to_finite_value(input)) {
            (Some(source), Ok(input)) => source.input = input,
            (Some(_), Err(why)) => {
                self.config_error = Some(E::InputUnserializable(why.to_string()));
            }
            (None, _) => self.config_error = Some(E::InputWithoutPrompt),
        }
        self
    }

    /// Renders the prompt: returns the request as plain data without calling a model. Patterns and tags of tools and
    /// resources are resolved to the current names. Middleware given as a value is not plain data and is omitted.
    ///
    /// ```
    /// use genkit::{Context, Prompt};
    /// use serde_json::{Map, Value, json};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> genkit::Result<()> {
    /// let poem = Prompt::builder("poem", "Requests a poem.")
    ///     .model("gemini/gemini-2.5-flash")
    ///     .handler(|_: Context, _: Map<String, Value>| async { Ok("A poem, please.") });
    /// let options = genkit::prompt(poem).temperature(0.5).render().await?;
    /// assert_eq!(options.model.as_deref(), Some("gemini/gemini-2.5-flash"));
    /// assert_eq!(options.messages[0].text(), "A poem, please.");
    /// assert_eq!(options.config.unwrap()["temperature"], 0.5);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns the errors of [`Generate`] that can occur before the model is called.
    pub async fn render(self) -> Result<GenerateOptions> {
        let mut rendered = self.render_prompt().await?;
        if let Some(error) = rendered.config_error.take() {
            return Err(error.into());
        }
        let Self { genkit, model, system, prompt, tools, resources, mut options, .. } = rendered;
        let history = std::mem::take(&mut options.messages);
        options.messages = merge_conversation(system, history, prompt)?;
        options.model = model.as_ref().map(|model| model.name().to_owned());
        options.tools.clear();
        for tool in &tools {
            options.tools.extend(tool.tool_names(&genkit.registry).await?);
        }
        for resource in &resources {
            let found = resource.find_resources().await?;
            options.resources.extend(found.iter().map(|resource| resource.uri().to_owned()));
        }
        Ok(*options)
    }

    /// Returns the run with its prompt rendered, if it has one.
    pub(crate) async fn render_prompt(mut self) -> Result<Self> {
        if self.options.resume.is_some() {
            return self.with_prompt_options(); // the conversation already exists
        }
        let Some(source) = self.source.take() else { return Ok(self) };
        if let Some(error) = self.config_error.take() {
            return Err(error.into());
        }
        let prompt = source.prompt.find_prompt(&self.genkit.registry)?;
        let mut earlier = std::mem::take(&mut self.options.messages);
        // A continued history contains its own system message, which the system message of the prompt replaces.
        let is_system = earlier.first().is_some_and(|first| first.role == Role::System);
        let system = is_system.then(|| earlier.remove(0));
        // Boxed, since most runs have no prompt, and the future would make every run large.
        let reply = Box::pin(self.render_reply(&prompt, source.input, &earlier)).await?;
        let mut messages = match reply.has_history {
            true => reply.messages,
            false => place_history(reply.messages, earlier),
        };
        if let Some(system) = system
            && messages.iter().all(|message| message.role != Role::System)
        {
            messages.insert(0, system);
        }
        // A blank prompt is an error, unless the run adds its own prompt to it.
        if self.prompt.is_empty() && messages.iter().all(is_blank) {
            return Err(E::EmptyPrompt { prompt: prompt.name().to_owned() }.into());
        }
        self.options.messages = messages;
        self.apply_prompt_options(reply.options.as_deref().unwrap_or(prompt.options()));
        Ok(self)
    }

    /// Returns the run with the options of its prompt, but without the prompt's messages.
    pub(crate) fn with_prompt_options(mut self) -> Result<Self> {
        if let Some(source) = self.source.take() {
            let prompt = source.prompt.find_prompt(&self.genkit.registry)?;
            self.apply_prompt_options(prompt.options());
        }
        Ok(self)
    }

    /// Renders the prompt within the run's deadline. Stops if the run is cancelled.
    async fn render_reply(
        &self,
        prompt: &Prompt,
        input: Value,
        earlier: &[Message],
    ) -> Result<PromptReply> {
        let settings = &self.settings;
        let deadline = settings.limits.deadline.unwrap_or(Duration::MAX);
        let limit = prompt.timeout().unwrap_or(settings.limits.tool_timeout).min(deadline);
        let mut values = settings.values.clone();
        let own = &self.options.docs;
        let docs = if own.is_empty() { prompt.options().docs().to_vec() } else { own.clone() };
        values.insert(Earlier { messages: earlier.to_vec(), docs });
        let cancel = create_cancel_token(self.cancel.clone());
        let _stop = cancel.clone().drop_guard();
        let context = ContextParts {
            states: self.genkit.states.clone(),
            values,
            action_context: Arc::clone(&settings.action_context),
            client: settings.client,
            limit: Some(limit),
            cancel,
            ..ContextParts::default()
        }
        .build();
        let (kind, how) = (SpanKind::PromptTemplate, settings.strictness());
        supervise_run(&context, prompt.name(), prompt.invoke_as(kind, &context, input, how)).await
    }

    /// Returns the output format of the prompt, if it is known before rendering.
    pub(crate) fn prompt_format(&self) -> Option<Format> {
        let prompt = self.source.as_ref()?.prompt.find_prompt(&self.genkit.registry).ok()?;
        prompt.options().output()?.parse_format().ok().flatten()
    }
}

/// Returns whether a message contains only white space.
fn is_blank(message: &Message) -> bool {
    let is_blank = |part: &Part| part.as_text().is_some_and(|text| text.trim().is_empty());
    message.content.iter().all(is_blank)
}
