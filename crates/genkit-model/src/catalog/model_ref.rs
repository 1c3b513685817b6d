//! References to models, by name or by value.

use std::sync::Arc;

use crate::Model;

/// A reference to a model: its name, `"provider/model"`, or a value.
///
/// ```
/// use genkit::model::ModelRef;
/// use genkit::testing::ScriptedModel;
///
/// let named = ModelRef::from("gemini/gemini-2.5-flash");
/// let given = ModelRef::from(ScriptedModel::text("hello").with_name("house/polite"));
/// assert_eq!((named.name(), given.name()), ("gemini/gemini-2.5-flash", "house/polite"));
/// ```
#[derive(Clone)]
pub struct ModelRef(pub(super) Kind);

#[derive(Clone)]
pub(super) enum Kind {
    Name(String),
    Value(Arc<dyn Model>),
}

impl ModelRef {
    /// Returns the name of the model.
    pub fn name(&self) -> &str {
        match &self.0 {
            Kind::Name(name) => name,
            Kind::Value(model) => model.name(),
        }
    }

    /// Returns whether the reference is a value rather than a name.
    #[doc(hidden)]
    pub fn is_value(&self) -> bool {
        matches!(self.0, Kind::Value(_))
    }
}

/// The model argument of `.model(..)`: a name or a value.
///
/// A name is `"provider/model"`. A value is a type that implements [`Model`], an `Arc` of such a type, or a
/// [`ModelRef`]. A provider is not a model: it creates models by name.
///
/// ```
/// use genkit::model::{self, IntoModel};
///
/// async fn ask(model: impl IntoModel) -> genkit::Result<String> {
///     Ok(genkit::generate("hi").model(model).await?.text())
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> genkit::Result<()> {
/// assert_eq!(ask(model::from_fn("polite", |_, _| async { "hello" })).await?, "hello");
/// assert!(ask("house/polite").await.is_err()); // no provider is called `house`
/// # Ok(())
/// # }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a model",
    label = "neither the name of a model nor a model",
    note = "pass a name, such as `\"gemini/gemini-2.5-flash\"`, or a value that implements `genkit::model::Model`",
    note = "a provider creates models: `Gemini::from_env()?.model(\"gemini-2.5-flash\")`, `OpenAi::builder().api_key(key).build()?.model(\"gpt-4o-mini\")`; register it with `Genkit::builder().provider(..)` to refer to its models by name"
)]
pub trait IntoModel {
    /// Converts this value into a reference to a model.
    fn into_model(self) -> ModelRef;
}

#[diagnostic::do_not_recommend]
impl<M: Into<ModelRef>> IntoModel for M {
    fn into_model(self) -> ModelRef {
        self.into()
    }
}

impl std::fmt::Debug for ModelRef {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("ModelRef").field(&self.name()).finish()
    }
}

impl From<&str> for ModelRef {
    fn from(name: &str) -> Self {
        Self(Kind::Name(name.to_owned()))
    }
}

impl From<String> for ModelRef {
    fn from(name: String) -> Self {
        Self(Kind::Name(name))
    }
}

impl<M: Model> From<M> for ModelRef {
    fn from(model: M) -> Self {
        Self(Kind::Value(Arc::new(model)))
    }
}
