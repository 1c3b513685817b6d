//! Completion: suggestions for prompt arguments and template variables while a user types.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::future::Future;
use std::sync::Arc;

use super::error::Error as E;
use crate::context::Context;
use crate::error::{BoxError, Error, Result};
use crate::future::BoxFuture;

/// Completion request: the argument, and what is typed of it so far.
///
/// ```
/// use genkit::action::CompleteRequest;
/// use genkit::prompt;
///
/// async fn departments(asked: CompleteRequest) -> Vec<String> {
///     ["Engineering", "Sales", "Support"]
///         .into_iter()
///         .filter(|name| name.to_lowercase().starts_with(&asked.value().to_lowercase()))
///         .map(String::from)
///         .collect()
/// }
///
/// /// Greets a department.
/// #[prompt]
/// async fn greet(#[arg(complete = departments)] department: String) -> String {
///     format!("Write a greeting for {department}.")
/// }
/// ```
#[derive(Clone)]
pub struct CompleteRequest {
    pub argument: String,
    pub value: String,
    pub others: BTreeMap<String, String>,
    pub context: Context,
}

impl CompleteRequest {
    /// A completion that a program asks for.
    pub fn typed(argument: &str, value: &str) -> Self {
        let (argument, value) = (argument.to_owned(), value.to_owned());
        Self { argument, value, others: BTreeMap::new(), context: Context::detached() }
    }

    /// Name of the argument that is being typed.
    pub fn argument(&self) -> &str {
        &self.argument
    }

    /// Value typed so far, possibly empty.
    pub fn value(&self) -> &str {
        &self.value
    }

    /// Value of another argument of the same prompt or template, if the client sent it.
    ///
    /// ```
    /// use genkit::action::CompleteRequest;
    ///
    /// async fn cities(asked: CompleteRequest) -> Vec<&'static str> {
    ///     match asked.other("country") {
    ///         Some("Norway") => vec!["Oslo", "Bergen"],
    ///         _ => vec![],
    ///     }
    /// }
    ///
    /// /// A guide to a city.
    /// #[genkit::prompt]
    /// async fn guide(country: String, #[arg(complete = cities)] city: String) -> String {
    ///     format!("Write a guide to {city} in {country}.")
    /// }
    /// ```
    pub fn other(&self, argument: &str) -> Option<&str> {
        self.others.get(argument).map(String::as_str)
    }

    /// State that was given with `.state(value)`.
    ///
    /// ```
    /// use genkit::action::CompleteRequest;
    /// use genkit::Result;
    ///
    /// struct Cities(Vec<String>);
    ///
    /// async fn cities(asked: CompleteRequest) -> Result<Vec<String>> {
    ///     Ok(asked.state::<Cities>()?.0.clone())
    /// }
    /// ```
    ///
    /// # Errors
    /// Nobody gave a `T`.
    pub fn state<T: Send + Sync + 'static>(&self) -> Result<&T> {
        self.context.state::<T>().ok_or_else(|| E::NoState(std::any::type_name::<T>()).into())
    }
}

/// The completion functions of an annotated function, with their types erased, each with the name
/// of its argument.
pub type StaticCompleters =
    &'static [(&'static str, fn(CompleteRequest) -> BoxFuture<'static, Result<Vec<String>>>)];

/// Suggestions: what a completion function may return.
///
/// A list of strings, best first, or a `Result` of one.
///
/// ```
/// use genkit::action::IntoSuggestions;
///
/// assert_eq!(vec!["red", "green"].into_suggestions()?, ["red", "green"]);
/// assert!(Err::<Vec<String>, _>("the database is gone").into_suggestions().is_err());
/// # Ok::<(), genkit::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a list of suggestions",
    label = "a completion function returns this",
    note = "return `Vec<String>`, `Vec<&'static str>`, or a `Result` of one of them"
)]
pub trait IntoSuggestions {
    /// The suggestions, best first.
    ///
    /// # Errors
    /// They could not be made.
    fn into_suggestions(self) -> Result<Vec<String>>;
}

impl<S: Into<String>> IntoSuggestions for Vec<S> {
    fn into_suggestions(self) -> Result<Vec<String>> {
        Ok(self.into_iter().map(Into::into).collect())
    }
}

impl<S: Into<String>, const N: usize> IntoSuggestions for [S; N] {
    fn into_suggestions(self) -> Result<Vec<String>> {
        Ok(self.into_iter().map(Into::into).collect())
    }
}

impl<S: IntoSuggestions, E: Into<BoxError>> IntoSuggestions for std::result::Result<S, E> {
    fn into_suggestions(self) -> Result<Vec<String>> {
        self.map_err(Error::from_failure)?.into_suggestions()
    }
}

/// The completion functions of an action, each with the name of its argument.
#[derive(Clone, Default)]
pub(crate) struct Completers(Vec<(Cow<'static, str>, Completer)>);

/// A completion function: annotated or made at run time.
type Completer =
    Arc<dyn Fn(CompleteRequest) -> BoxFuture<'static, Result<Vec<String>>> + Send + Sync>;

impl Completers {
    /// Those of an annotated function.
    pub(crate) fn annotated(completers: StaticCompleters) -> Self {
        let boxed = completers.iter().map(|(argument, function)| {
            (Cow::Borrowed(*argument), Arc::new(*function) as Completer)
        });
        Self(boxed.collect())
    }

    /// Adds one that was written as a closure or an `async fn`.
    pub(crate) fn add<F, Fut>(&mut self, argument: Cow<'static, str>, function: F)
    where
        F: Fn(CompleteRequest) -> Fut + Send + Sync + 'static,
        Fut: Future<Output: IntoSuggestions> + Send + 'static,
    {
        self.0.push((argument, Arc::new(move |request| complete(function(request)))));
    }

    /// Suggestions for the argument of the request: its completion function, else the values that
    /// its schema lists; `None` where there is no such argument.
    pub(crate) fn complete(
        &self,
        schema: &serde_json::Value,
        request: CompleteRequest,
    ) -> Option<BoxFuture<'static, Result<Vec<String>>>> {
        if let Some((_, completer)) = self.0.iter().find(|(name, _)| *name == request.argument) {
            return Some(completer(request));
        }
        let property =
            genkit_schema::internal::properties(schema).find(|p| p.name == request.argument)?;
        let values = property.values();
        Some(ready(starting_with(request.value(), values.iter().map(String::as_str))))
    }
}

/// The method of a builder that adds a completion function to its `completers`.
macro_rules! completing {
    ($builder:ident) => {
        impl $builder {
            /// Completion: a function that suggests values for one argument, or for one variable of
            /// a template.
            pub fn complete<F, Fut>(
                mut self,
                argument: impl Into<std::borrow::Cow<'static, str>>,
                function: F,
            ) -> Self
            where
                F: Fn($crate::action::CompleteRequest) -> Fut + Send + Sync + 'static,
                Fut: Future<Output: $crate::action::IntoSuggestions> + Send + 'static,
            {
                self.completers.add(argument.into(), function);
                self
            }
        }
    };
}

pub(super) use completing;

/// Runs a completion function; expansions call it.
pub fn complete<F>(suggestions: F) -> BoxFuture<'static, Result<Vec<String>>>
where
    F: Future<Output: IntoSuggestions> + Send + 'static,
{
    Box::pin(async move { suggestions.await.into_suggestions() })
}

/// Those of a fixed list that begin with what is typed; expansions call it.
pub fn suggest(
    request: &CompleteRequest,
    from: &[&str],
) -> BoxFuture<'static, Result<Vec<String>>> {
    ready(starting_with(request.value(), from.iter().copied()))
}

fn ready(suggestions: Vec<String>) -> BoxFuture<'static, Result<Vec<String>>> {
    Box::pin(std::future::ready(Ok(suggestions)))
}

/// Those that begin with `typed`, whatever the case.
pub(crate) fn starting_with<'a>(typed: &str, from: impl Iterator<Item = &'a str>) -> Vec<String> {
    let typed = typed.to_lowercase();
    from.filter(|s| s.to_lowercase().starts_with(&typed)).map(String::from).collect()
}
