//! The reply of a prompt: messages, from whatever the function returns.

use std::sync::Arc;

use super::options::PromptOptions;
use crate::message::{Message, Part, Role};

/// Prompt reply: messages, and perhaps a description of them.
///
/// ```
/// use genkit::action::PromptReply;
/// use genkit::{Message, prompt};
///
/// /// Reviews code.
/// #[prompt]
/// async fn review(code: String) -> PromptReply {
///     PromptReply::new([
///         Message::user(format!("Review this code:\n{code}")),
///         Message::model("I will look for mistakes first, then for style."),
///     ])
///     .with_description("A review in two steps")
/// }
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PromptReply {
    pub messages: Vec<Message>,
    pub description: Option<String>,
    /// What the prompt says of the run that it begins.
    pub options: Option<Arc<PromptOptions>>,
    /// Whether earlier messages stand among them already.
    pub has_history: bool,
}

impl PromptReply {
    /// A reply of `messages`.
    pub fn new(messages: impl IntoIterator<Item = Message>) -> Self {
        Self { messages: messages.into_iter().collect(), ..Self::default() }
    }

    /// Sets the description of its messages.
    ///
    /// ```
    /// use genkit::action::PromptReply;
    /// use genkit::Message;
    ///
    /// let reply = PromptReply::new([Message::user("Hi!")]).with_description("A greeting");
    /// assert_eq!(reply.description(), Some("A greeting"));
    /// assert_eq!(PromptReply::default().description(), None);
    /// ```
    #[must_use]
    pub fn with_description(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// Sets the prompt options: what it says of the run that it begins, instead of what its prompt
    /// says.
    ///
    /// ```
    /// use genkit::action::{PromptOptions, PromptReply};
    /// use genkit::{Message, prompt};
    ///
    /// /// Asks a model that is up to it.
    /// #[prompt]
    /// async fn explain(topic: String, hard: bool) -> PromptReply {
    ///     let model = if hard { "gemini/gemini-2.5-pro" } else { "gemini/gemini-2.5-flash" };
    ///     PromptReply::new([Message::user(format!("Explain {topic}."))])
    ///         .with_options(PromptOptions::default().with_model(model))
    /// }
    /// ```
    #[must_use]
    pub fn with_options(mut self, options: PromptOptions) -> Self {
        self.options = Some(Arc::new(options));
        self
    }

    /// Prompt options: what it says of the run that it begins.
    pub fn options(&self) -> Option<&PromptOptions> {
        self.options.as_deref()
    }

    /// The messages, for `Generate::messages`.
    pub fn into_messages(self) -> Vec<Message> {
        self.messages
    }

    /// The messages.
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// Description of the messages, if there is one.
    pub fn description(&self) -> Option<&str> {
        self.description.as_deref()
    }
}

/// The result of a prompt after its type is gone.
pub type PromptOutput = PromptReply;

/// A type that a prompt can return, bare or in a `Result` of any alias.
///
/// Text and parts are one message of the user.
///
/// ```
/// use genkit::{Message, Result, prompt};
///
/// /// Asks for a poem.
/// #[prompt]
/// async fn poem(topic: String) -> String {
///     format!("Write a poem about {topic}.")
/// }
///
/// /// Begins a chat.
/// #[prompt]
/// async fn chat(name: String) -> Result<Vec<Message>> {
///     Ok(vec![Message::user(format!("I am {name}.")), Message::model("How can I help?")])
/// }
/// # assert_eq!(genkit::prompts![poem, chat].len(), 2);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be returned from a prompt",
    label = "not messages",
    note = "return `String`, `Part`, `Vec<Part>`, `Message`, `Vec<Message>` or `PromptReply`"
)]
pub trait IntoPrompt {
    #[doc(hidden)]
    fn into_prompt(self) -> PromptReply;
}

macro_rules! into_prompt {
    ($($returned:ty: |$value:ident| $reply:expr;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl IntoPrompt for $returned {
            fn into_prompt(self) -> PromptReply {
                let $value = self;
                $reply
            }
        }
    )*};
}

into_prompt! {
    PromptReply: |reply| reply;
    String: |text| PromptReply::new([Message::user(text)]);
    &str: |text| PromptReply::new([Message::user(text)]);
    Part: |part| PromptReply::new([Message::user(part)]);
    Vec<Part>: |parts| PromptReply::new([Message::new(Role::User, parts)]);
    Message: |message| PromptReply::new([message]);
    Vec<Message>: |messages| PromptReply::new(messages);
}

#[diagnostic::do_not_recommend]
impl<const N: usize> IntoPrompt for [Message; N] {
    fn into_prompt(self) -> PromptReply {
        PromptReply::new(self)
    }
}
