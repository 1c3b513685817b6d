//! Completion: suggestions for prompt arguments and template variables while a user types.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::future::Future;
use std::sync::Arc;

use disqualified::ShortName;

use super::error::Error as E;
use crate::context::Context;
use crate::error::{BoxError, Error, Result};
use crate::future::BoxFuture;

/// A completion request: the argument, and the text typed so far.
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
    #[doc(hidden)]
    pub argument: String,
    #[doc(hidden)]
    pub value: String,
    #[doc(hidden)]
    pub others: BTreeMap<String, String>,
    #[doc(hidden)]
    pub context: Context,
}

impl CompleteRequest {
    /// Creates a request with a detached context.
    #[doc(hidden)]
    pub fn for_argument(argument: &str, value: &str) -> Self {
        let (argument, value) = (argument.to_owned(), value.to_owned());
        Self { argument, value, others: BTreeMap::new(), context: Context::detached() }
    }

    /// Returns the name of the argument being typed.
    pub fn argument(&self) -> &str {
        &self.argument
    }

    /// Returns the value typed so far, possibly empty.
    pub fn value(&self) -> &str {
        &self.value
    }

    /// Returns the value of another argument of the same prompt or template, if the client sent it.
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

    /// Returns the state that was set with `.state(value)`.
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
    /// Returns an error if there is no state of type `T`.
    pub fn state<T: Send + Sync + 'static>(&self) -> Result<&T> {
        self.context.state::<T>().ok_or_else(|| E::MissingState(ShortName::of::<T>()).into())
    }
}

/// The type-erased completion functions of an annotated function, each with the name of its argument.
pub type StaticCompleters =
    &'static [(&'static str, fn(CompleteRequest) -> BoxFuture<'static, Result<Vec<String>>>)];

/// A type that a completion function can return as its suggestions.
///
/// Implemented for lists of strings, best first, and for a `Result` with a list.
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
    /// Returns the suggestions, best first.
    ///
    /// # Errors
    /// Returns the error of the completion function.
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

/// A completion function, annotated or created at run time.
type Completer =
    Arc<dyn Fn(CompleteRequest) -> BoxFuture<'static, Result<Vec<String>>> + Send + Sync>;

impl Completers {
    /// Creates the completers of an annotated function.
    pub(crate) fn from_annotations(completers: StaticCompleters) -> Self {
        let boxed = completers.iter().map(|(argument, function)| {
            (Cow::Borrowed(*argument), Arc::new(*function) as Completer)
        });
        Self(boxed.collect())
    }

    /// Adds a closure or an `async fn`.
    pub(crate) fn add<F, Fut>(&mut self, argument: Cow<'static, str>, function: F)
    where
        F: Fn(CompleteRequest) -> Fut + Send + Sync + 'static,
        Fut: Future<Output: IntoSuggestions> + Send + 'static,
    {
        self.0.push((argument, Arc::new(move |request| complete(function(request)))));
    }

    /// Returns suggestions for the argument of the request: the result of its completion function, or otherwise the
    /// values listed in its schema. Returns `None` if there is no such argument.
    pub(crate) fn complete_argument(
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
        Some(ready_suggestions(starting_with(request.value(), values.iter().map(String::as_str))))
    }
}

/// Generates the method of a builder that adds a completion function to its `completers`.
macro_rules! completing {
    ($builder:ident) => {
        impl $builder {
            /// Adds a completion function, which suggests values for one argument or for one variable of a template.
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

/// Runs a completion function. Called by macro expansions.
pub fn complete<F>(suggestions: F) -> BoxFuture<'static, Result<Vec<String>>>
where
    F: Future<Output: IntoSuggestions> + Send + 'static,
{
    Box::pin(async move { suggestions.await.into_suggestions() })
}

/// Returns the values of a fixed list that start with the typed text. Called by macro expansions.
pub fn suggest_values(
    request: &CompleteRequest,
    from: &[&str],
) -> BoxFuture<'static, Result<Vec<String>>> {
    ready_suggestions(starting_with(request.value(), from.iter().copied()))
}

fn ready_suggestions(suggestions: Vec<String>) -> BoxFuture<'static, Result<Vec<String>>> {
    Box::pin(std::future::ready(Ok(suggestions)))
}

/// Returns the values that start with `typed`, ignoring case.
pub(crate) fn starting_with<'a>(typed: &str, from: impl Iterator<Item = &'a str>) -> Vec<String> {
    let typed = typed.to_lowercase();
    from.filter(|s| s.to_lowercase().starts_with(&typed)).map(String::from).collect()
}
