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
use crate::future::{Asked, BoxFuture};
use genkit_schema::internal::{Bounds, Shape};
use genkit_untrusted::form::secret_field;
use genkit_untrusted::visible;

impl Context {
    /// Asks the user to fill in a form for a `T` (elicitation). `T` is a struct of plain fields: text, numbers,
    /// booleans, enums and lists of enums.
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
    /// If the caller can answer while the call is open, the function waits. Otherwise the function is dropped at this
    /// point and run again with the answer, so use [`once`](Self::once) for work that must not happen twice. Ask from
    /// the function itself, not from a task that it spawned.
    ///
    /// The question fails if a field asks for a secret, by its name or title (`password`, `token`, `api_key`, `pin`) or
    /// with `format: "password"`, even with [`Context::testing`]. Use [`elicit_url`](Self::elicit_url) for secrets.
    ///
    /// A form must be flat. The question fails if a field is a struct or a list of structs, even with
    /// [`Context::testing`]. Move such fields to the top level, or ask a second question.
    pub fn elicit<T: ElicitForm>(&self, message: impl Into<String>) -> Elicit<'_, T> {
        Elicit::new(self, message.into(), genkit_schema::internal::input_of::<T>(), Shape::Read)
    }

    /// Asks the user to fill in a form with a hand-written schema (elicitation), and returns the answer as JSON.
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

    /// Returns whether the caller supports [`elicit`](Self::elicit) and [`confirm`](Self::confirm).
    ///
    /// ```
    /// use genkit::{Context, Result, tool};
    ///
    /// /// Saves a note. Asks before it replaces one, if the client supports questions.
    /// #[tool]
    /// async fn save(ctx: &Context, text: String) -> Result<String> {
    ///     if ctx.can_elicit() {
    ///         ctx.confirm("Replace the note?").await?;
    ///     }
    ///     Ok(text)
    /// }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<()> {
    /// let ctx = Context::detached();
    /// assert!(!ctx.can_elicit() && !ctx.can_sample() && !ctx.can_list_roots());
    /// assert_eq!(save(&ctx, "milk".into()).await?, "milk");
    /// # Ok(())
    /// # }
    /// ```
    pub fn can_elicit(&self) -> bool {
        self.0.parts.caller.has_capability(Capability::Elicitation)
    }
}

/// A type that [`Context::elicit`] can ask for: a struct of plain fields (text, numbers, booleans, enums, lists of
/// enums) that implements `serde::Deserialize` and `schemars::JsonSchema`.
///
/// ```
/// use genkit::context::ElicitForm;
/// use genkit::{Context, Result};
///
/// /// Asks again until the user accepts.
/// async fn insist<T: ElicitForm>(ctx: &Context, message: &str) -> Result<T> {
///     loop {
///         if let Ok(answer) = ctx.elicit::<T>(message).await?.accepted() {
///             return Ok(answer);
///         }
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be used as an elicitation form",
    label = "not an elicitation form",
    note = "derive `serde::Deserialize` and `schemars::JsonSchema` for it; its fields are text, numbers, booleans, enums or lists of enums, never structs",
    note = "if the type is shown as `!`, it was not specified; write `ctx.elicit::<Name>(message)`",
    note = "use `ctx.elicit_form(message, schema)` for a hand-written schema and a JSON answer, or `ctx.confirm(message)` for an approval"
)]
pub trait ElicitForm: DeserializeOwned + JsonSchema {}

#[diagnostic::do_not_recommend]
impl<T: DeserializeOwned + JsonSchema> ElicitForm for T {}

/// An elicitation that is ready to be sent: a form for the user. Created by [`Context::elicit`].
///
/// Await it to ask the user. The output is an [`Elicited`].
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
/// assert_eq!(error.kind(), ErrorKind::FailedPrecondition); // no user to ask
/// # }
/// ```
///
/// # Errors
/// Awaiting it returns [`FailedPrecondition`](crate::error::ErrorKind::FailedPrecondition) if the caller does not
/// support elicitation or a field asks for a secret, [`InvalidArgument`](crate::error::ErrorKind::InvalidArgument) if
/// the answer does not match the form, or the error that the caller responds with.
#[must_use = "a question is only asked when awaited; add `.await`"]
pub struct Elicit<'a, T> {
    context: &'a Context,
    key: Option<String>,
    message: String,
    schema: Value,
    shape: Shape,
    takes_unasked: bool,
    /// Decodes the answer. A function pointer, so that `IntoFuture` needs no bounds on `T`, which would make the
    /// compiler report the same error twice.
    read: fn(CallerAnswer, Option<&Bounds>) -> Result<Elicited<T>, E>,
}

impl<'a, T> Elicit<'a, T> {
    fn new(context: &'a Context, message: String, schema: Value, shape: Shape) -> Self
    where
        T: DeserializeOwned,
    {
        let read = |answer: CallerAnswer, bounds: Option<&Bounds>| {
            answer.into_decision()?.into_elicited(bounds)
        };
        Self { context, key: None, message, schema, shape, takes_unasked: false, read }
    }

    /// Sets the key of the question. Without a key, questions are identified by their order, so set a key if the order
    /// can differ between runs.
    pub fn key(mut self, key: impl Into<String>) -> Self {
        self.key = Some(key.into());
        self
    }

    /// Sets whether to accept an answer that a client of the 2026-07-28 protocol sends under this [`key`](Self::key)
    /// with its first call, before the question is asked. Default is `false`.
    ///
    /// ```
    /// use genkit::{Context, Result, tool};
    ///
    /// #[derive(serde::Deserialize, schemars::JsonSchema)]
    /// struct City { name: String }
    ///
    /// /// Gets the weather.
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
        let secret = secret_field(&self.schema).map(|name| visible::escape_name(name).into_owned());
        let bounds = Bounds::compile(&self.schema, self.shape);
        let kind = QuestionKind::Elicitation {
            message: visible::escape_prose(&self.message).into_owned(),
            schema: visible::escape_form(self.schema),
        };
        Box::pin(async move {
            if let Some(field) = secret {
                return Err(E::SecretField(field).into());
            }
            let bounds = bounds?;
            let read = |answer| (self.read)(answer, bounds.as_ref());
            self.context.ask_with(self.key, kind, self.takes_unasked, read).await
        })
    }
}

/// A method that produces a compiler error if `.await` was forgotten.
#[doc(hidden)]
impl<T> Elicit<'_, T> {
    pub fn accepted(self) -> Result<T>
    where
        for<'never> Self: Asked<'never>,
    {
        Err(E::Declined.into())
    }
}

crate::becomes_a_future!(Elicit<'a, T>, Result<Elicited<T>>, 'a, T);
