//! System prompts for models without a system role.

use super::NextModel;
use super::chain::impl_model_middleware;
use genkit_core::Result;
use genkit_core::{Message, Part, Role};
use genkit_core::{ModelRequest, ModelResponse};
use genkit_model::ChunkSink;

/// Middleware that sends the system prompt as a user message; created by
/// [`simulate_system_prompt()`].
#[derive(Clone, Debug)]
pub struct SimulateSystemPrompt {
    preface: String,
    acknowledgement: String,
}

/// Creates middleware for models without a system role: the system prompt is sent as a user message, followed by a
/// model message that acknowledges it.
///
/// ```
/// use genkit::middleware::simulate_system_prompt;
/// use genkit::testing::ScriptedModel;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> genkit::Result<()> {
/// let model = ScriptedModel::text("Arr!");
/// genkit::generate("hello")
///     .system("Talk like a pirate.")
///     .model(model.clone())
///     .middleware(simulate_system_prompt())
///     .await?;
/// let asked = &model.requests()[0].messages;
/// assert_eq!(asked[0].text(), "SYSTEM INSTRUCTIONS:\nTalk like a pirate.");
/// assert_eq!(asked[1].text(), "Understood.");
/// # Ok(())
/// # }
/// ```
pub fn simulate_system_prompt() -> SimulateSystemPrompt {
    SimulateSystemPrompt {
        preface: "SYSTEM INSTRUCTIONS:\n".to_owned(),
        acknowledgement: "Understood.".to_owned(),
    }
}

impl SimulateSystemPrompt {
    /// Sets the text before the instructions. Default is `"SYSTEM INSTRUCTIONS:\n"`.
    #[must_use]
    pub fn preface(mut self, text: impl Into<String>) -> Self {
        self.preface = text.into();
        self
    }

    /// Sets the acknowledgement: the model's message after the instructions. Default is `"Understood."`.
    #[must_use]
    pub fn acknowledgement(mut self, text: impl Into<String>) -> Self {
        self.acknowledgement = text.into();
        self
    }

    fn rewrite_messages(&self, messages: &[Message]) -> Vec<Message> {
        let mut rewritten = Vec::with_capacity(messages.len() + 1);
        for message in messages {
            if message.role != Role::System {
                rewritten.push(message.clone());
                continue;
            }
            let mut user = message.clone();
            user.role = Role::User;
            match user.content.first_mut() {
                Some(Part::Text { text, .. }) => text.insert_str(0, &self.preface),
                _ => user.content.insert(0, Part::text(&self.preface)),
            }
            rewritten.push(user);
            rewritten.push(Message::model(self.acknowledgement.as_str()));
        }
        rewritten
    }
}

impl SimulateSystemPrompt {
    async fn wrap_model_call(
        &self,
        request: &ModelRequest,
        chunks: &ChunkSink,
        next: NextModel,
    ) -> Result<ModelResponse> {
        if !request.messages.iter().any(|message| message.role == Role::System) {
            return next.run(request, chunks).await;
        }
        let mut request = request.clone();
        request.messages = self.rewrite_messages(&request.messages);
        next.run(&request, chunks).await
    }
}

impl_model_middleware!(SimulateSystemPrompt);
