//! Elicitation: asks the user to fill in a form.

use std::future::IntoFuture;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::super::Context;
use super::answer::CallerAnswer;
use super::data::QuestionKind;
use super::results::Elicited;
use crate::context::capability::Capability;
use crate::context::error::Error as E;
use crate::error::Result;
use crate::future::BoxFuture;
use crate::visible;
use genkit_schema::internal::{Bounds, Shape};

impl Context {
    /// Elicitation: asks the user for a `T`, an object of plain fields (text, numbers, booleans,
    /// enums).
    ///
    /// ```
    /// use genkit::{Context, Elicited, Result, tool};
    ///
    /// #[derive(serde::Deserialize, schemars::JsonSchema)]
    /// struct Name { name: String }
    ///
    /// /// Greets the user.
    /// #[tool]
    /// async fn greet(ctx: &Context) -> Result<String> {
    ///     Ok(match ctx.elicit::<Name>("What is your name?").await? {
    ///         Elicited::Accepted(answer) => format!("Hello, {}!", answer.name),
    ///         Elicited::Declined | Elicited::Cancelled => "Hello, stranger!".into(),
    ///     })
    /// }
    /// ```
    ///
    /// Where the caller can answer live the function waits. Where it cannot, the function is
    /// dropped here and run again with the answer: what must not happen twice goes through
    /// [`once`](Self::once). Ask from the function itself, not from a task that it spawned.
    ///
    /// A form is flat: a field that is a struct, or a list of structs, is an error where it is
    /// asked, [`Context::testing`] included. Move its fields up, or ask a second question.
    pub fn elicit<T: ElicitForm>(&self, message: impl Into<String>) -> Elicit<'_, T> {
        Elicit::new(self, message.into(), genkit_schema::internal::input_of::<T>(), Shape::Read)
    }

    /// Elicitation with a schema that is written by hand: asks the user to fill in a form; the
    /// answer is JSON.
    ///
    /// ```
    /// use genkit::{Context, Result, tool};
    /// use serde_json::json;
    ///
    /// /// Asks for a colour.
    /// #[tool]
    /// async fn colour(ctx: &Context) -> Result<String> {
    ///     let form = json!({"type": "object", "properties": {"colour": {"type": "string"}}});
    ///     Ok(format!("{:?}", ctx.elicit_form("Which colour?", form).await?))
    /// }
    /// ```
    pub fn elicit_form(&self, message: impl Into<String>, schema: Value) -> Elicit<'_, Value> {
        Elicit::new(self, message.into(), schema, Shape::Written)
    }

    /// Whether the caller can be asked [`elicit`](Self::elicit) and [`confirm`](Self::confirm).
    ///
    /// ```
    /// use genkit::{Context, Result, tool};
    ///
    /// /// Saves a note, and asks before it replaces one where somebody can be asked.
    /// #[tool]
    /// async fn save(ctx: &Context, text: String) -> Result<String> {
    ///     if ctx.can_elicit() {
    ///         ctx.confirm("Replace the note?").await?;
    ///     }
    ///     Ok(text)
    /// }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<()> {
    /// let nobody = Context::detached();
    /// assert!(!nobody.can_elicit() && !nobody.can_sample() && !nobody.can_list_roots());
    /// assert_eq!(save(&nobody, "milk".into()).await?, "milk");
    /// # Ok(())
    /// # }
    /// ```
    pub fn can_elicit(&self) -> bool {
        self.0.parts.caller.can(Capability::Elicitation)
    }
}

/// A type that [`Context::elicit`] can ask for: a struct of plain fields (text, numbers, booleans,
/// enums, lists of enums) with `serde::Deserialize` and `schemars::JsonSchema`.
///
/// ```
/// use genkit::context::ElicitForm;
/// use genkit::{Context, Result};
///
/// /// Asks again until the user gives something.
/// async fn insist<T: ElicitForm>(ctx: &Context, message: &str) -> Result<T> {
///     loop {
///         if let Ok(answer) = ctx.elicit::<T>(message).await?.accepted() {
///             return Ok(answer);
///         }
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be asked for in a form",
    label = "not a form",
    note = "derive `serde::Deserialize` and `schemars::JsonSchema` for it; its fields are text, numbers, booleans, enums or lists of enums, never structs",
    note = "where it is `!`, no type was named: write `ctx.elicit::<Name>(message)`",
    note = "`ctx.elicit_form(message, schema)` takes a schema written by hand and gives JSON, and `ctx.confirm(message)` asks for a yes"
)]
pub trait ElicitForm: DeserializeOwned + JsonSchema {}

#[diagnostic::do_not_recommend]
impl<T: DeserializeOwned + JsonSchema> ElicitForm for T {}

/// Elicitation, about to be asked: a form for the user, see [`Context::elicit`].
///
/// Awaiting it asks. The answer is an [`Elicited`].
///
/// ```
/// use genkit::{Context, ErrorKind, Result, tool};
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Address { city: String }
///
/// /// Sends a parcel.
/// #[tool]
/// async fn send(ctx: &Context) -> Result<String> {
///     let to = ctx.elicit::<Address>("Where to?").key("address").await?.accepted()?;
///     Ok(format!("sent to {}", to.city))
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let error = send(&Context::detached()).await.unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::FailedPrecondition); // nobody can be asked
/// # }
/// ```
///
/// # Errors
/// Awaiting it fails with [`ErrorKind::FailedPrecondition`](crate::error::ErrorKind::FailedPrecondition)
/// where the caller cannot be asked, with
/// [`ErrorKind::InvalidArgument`](crate::error::ErrorKind::InvalidArgument) where the answer does not fit
/// `T`, and with what the caller
/// answers with.
#[must_use = "a question is asked when it is awaited: add `.await`"]
pub struct Elicit<'a, T> {
    context: &'a Context,
    key: Option<String>,
    message: String,
    schema: Value,
    shape: Shape,
    takes_unasked: bool,
    /// Reads the answer; with it awaiting needs no bound that a type without traits would miss again.
    read: fn(CallerAnswer, Option<&Bounds>) -> Result<Elicited<T>, E>,
}

impl<'a, T> Elicit<'a, T> {
    fn new(context: &'a Context, message: String, schema: Value, shape: Shape) -> Self
    where
        T: DeserializeOwned,
    {
        let read =
            |answer: CallerAnswer, bounds: Option<&Bounds>| answer.decision()?.elicited(bounds);
        Self { context, key: None, message, schema, shape, takes_unasked: false, read }
    }

    /// Key of the question: names it. Without, questions are told apart by their order: name those
    /// whose order may differ from run to run.
    pub fn key(mut self, key: impl Into<String>) -> Self {
        self.key = Some(key.into());
        self
    }

    /// Answers in advance: whether an answer counts that a client of the 2026-07-28 protocol gives under the
    /// [`key`](Self::key) with its first call, before it was asked. Default is `false`: only what was asked
    /// can be answered.
    ///
    /// ```
    /// use genkit::{Context, Result, tool};
    ///
    /// #[derive(serde::Deserialize, schemars::JsonSchema)]
    /// struct City { name: String }
    ///
    /// /// Tells the weather.
    /// #[tool]
    /// async fn weather(ctx: &Context) -> Result<String> {
    ///     let city = ctx.elicit::<City>("Where?").key("city").allow_unasked(true).await?.accepted()?;
    ///     Ok(format!("sunny in {}", city.name))
    /// }
    /// ```
    pub fn allow_unasked(mut self, allow: bool) -> Self {
        self.takes_unasked = allow;
        self
    }
}

impl<'a, T: 'a> IntoFuture for Elicit<'a, T> {
    type Output = Result<Elicited<T>>;
    type IntoFuture = BoxFuture<'a, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        let bounds = Bounds::compile(&self.schema, self.shape);
        let kind = QuestionKind::Elicitation {
            message: visible::text(&self.message).into_owned(),
            schema: visible::form(self.schema),
        };
        Box::pin(async move {
            let bounds = bounds?;
            let read = |answer| (self.read)(answer, bounds.as_ref());
            self.context.ask_with(self.key, kind, self.takes_unasked, read).await
        })
    }
}

crate::becomes_a_future!(Elicit<'a, T>, Result<Elicited<T>>, 'a, T);
