//! The reply of a prompt: messages, converted from the return value of the function.

use std::sync::Arc;

use super::options::PromptOptions;
use crate::message::{Message, Part, Role};

/// The reply of a prompt: messages, with an optional description.
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
    #[doc(hidden)]
    pub messages: Vec<Message>,
    #[doc(hidden)]
    pub description: Option<String>,
    /// The options of the run that the prompt starts.
    #[doc(hidden)]
    pub options: Option<Arc<PromptOptions>>,
    /// Whether `messages` already includes the history of the conversation.
    #[doc(hidden)]
    pub has_history: bool,
}

impl PromptReply {
    /// Creates a reply with these `messages`.
    pub fn new(messages: impl IntoIterator<Item = Message>) -> Self {
        Self { messages: messages.into_iter().collect(), ..Self::default() }
    }

    /// Sets the description of the messages.
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

    /// Sets the prompt options of the run that the prompt starts, replacing the options of the prompt.
    ///
    /// ```
    /// use genkit::action::{PromptOptions, PromptReply};
    /// use genkit::{Message, prompt};
    ///
    /// /// Explains a topic with a suitable model.
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

    /// Returns the prompt options of the run that the prompt starts.
    pub fn options(&self) -> Option<&PromptOptions> {
        self.options.as_deref()
    }

    /// Consumes the reply and returns the messages, for `Generate::messages`.
    pub fn into_messages(self) -> Vec<Message> {
        self.messages
    }

    /// Returns the messages.
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// Returns the description of the messages, if there is one.
    pub fn description(&self) -> Option<&str> {
        self.description.as_deref()
    }
}

/// The result of a prompt, converted from the return value of its function.
pub type PromptOutput = PromptReply;

/// A type that a prompt can return, directly or in a `Result` (or an alias of it).
///
/// Text and parts become one user message.
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
/// /// Starts a chat.
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
