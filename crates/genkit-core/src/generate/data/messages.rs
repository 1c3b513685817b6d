//! Conversions into the messages of a history.

use super::response::GenerateResponse;
use crate::action::PromptReply;
use crate::message::Message;

/// A conversion into messages of a history, from a list or slice of [`Message`]s, a response, a chat or a rendered
/// prompt.
///
/// ```
/// use genkit::action::PromptReply;
/// use genkit::generate::IntoMessages;
/// use genkit::Message;
///
/// assert_eq!([Message::user("hi"), Message::model("hello")].into_messages().len(), 2);
/// assert_eq!(Message::user("hi").into_messages().len(), 1);
/// assert_eq!([Message::user("hi")].as_slice().into_messages().len(), 1);
/// assert_eq!(PromptReply::new([Message::user("hi")]).into_messages().len(), 1);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a conversation",
    label = "not a list of messages",
    note = "pass a `Message`, a list or slice of them, a `GenerateResponse`, a `&Chat`, or a rendered prompt",
    note = "to run a prompt that is not rendered yet, use `genkit::prompt(..)`"
)]
pub trait IntoMessages {
    /// Converts this value into messages.
    fn into_messages(self) -> Vec<Message>;
}

#[diagnostic::do_not_recommend]
impl<I: IntoIterator<Item: IntoMessage>> IntoMessages for I {
    fn into_messages(self) -> Vec<Message> {
        self.into_iter().map(IntoMessage::into_message).collect()
    }
}

/// An item in a list of messages: a message, or a reference to one.
pub trait IntoMessage {
    #[doc(hidden)]
    fn into_message(self) -> Message;
}

impl IntoMessage for Message {
    fn into_message(self) -> Message {
        self
    }
}

impl IntoMessage for &Message {
    fn into_message(self) -> Message {
        self.clone()
    }
}

macro_rules! into_messages {
    ($($given:ty: |$value:ident| $messages:expr;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl IntoMessages for $given {
            fn into_messages(self) -> Vec<Message> {
                let $value = self;
                $messages
            }
        }
    )*};
}

into_messages! {
    Message: |message| vec![message];
    PromptReply: |reply| reply.messages;
    &PromptReply: |reply| reply.messages.clone();
    GenerateResponse: |response| response.messages();
    &GenerateResponse: |response| response.messages();
}
