//! Items for the expansions of the macros. Not public API; they change without notice.

#![allow(missing_docs, reason = "hidden")]

#[cfg_attr(not(feature = "inventory"), path = "unlinked.rs")]
mod linked;
#[cfg_attr(not(feature = "dotprompt"), path = "prompts_off.rs")]
mod prompts;
#[cfg_attr(not(feature = "skills"), path = "skills_off.rs")]
mod skills;

pub use self::{linked::*, prompts::*, skills::*};
pub use ::schemars;
pub use ::serde;
pub use ::serde_json;
pub use ::serde_json::Value;
#[cfg(feature = "generate")]
pub use genkit_agent::Generate;
pub use genkit_core::BoxFuture;
pub use genkit_core::Context;
pub use genkit_core::Result;
pub use genkit_core::ToolChoice;
pub use genkit_core::internal::action::expansion::*;
pub use genkit_core::internal::skill::expansion::*;
pub use genkit_core::{
    AnnotatedFn, DeclaredFn, FlowFn, IntoContents, IntoOutput, IntoPrompt, Prompt, PromptFn,
    ResourceFn, RetrieverFn, Tool, ToolFn, ToolRetry, ToolTask,
};
// The calling crate may not have the prelude.
pub use ::std::{boxed::Box, option::Option, time::Duration, vec, vec::Vec};

/// The scope of an expansion: traits whose methods are found if no inherent method applies (autoref
/// specialization, which distinguishes types by their traits and not by their spelling), and the items
/// that the derive of schemars needs in a crate without the prelude.
pub mod scope {
    pub use ::std::convert::Into as _;
    pub use ::std::option::Option::Some;
    pub use genkit_core::internal::action::expansion::{
        Described as _, InjectNothing as _, InjectState as _, NotDisplayed as _,
        ReturnedValue as _, ReturnsNothing as _, ReturnsSchema as _, ReturnsValue as _,
        TypedInputFallback as _,
    };
}

/// A type whose default value `#[arg(default)]` can use.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no default value",
    label = "`#[arg(default)]` needs `Default` for this type",
    note = "derive or implement `Default` for `{Self}`, or write the value: `#[arg(default = value)]`"
)]
pub trait OwnDefault {
    fn value() -> Self;
}

#[diagnostic::do_not_recommend]
impl<T: Default> OwnDefault for T {
    fn value() -> Self {
        T::default()
    }
}

/// A type that takes a string literal as its default.
#[diagnostic::on_unimplemented(
    message = "a string cannot be the default of an argument of type `{Self}`",
    label = "not a value of type `{Self}`",
    note = "write a value of the argument's type: `#[arg(default = value)]`"
)]
pub trait TextDefault {
    fn value(text: &'static str) -> Self;
}

#[diagnostic::do_not_recommend]
impl<T: From<&'static str>> TextDefault for T {
    fn value(text: &'static str) -> Self {
        text.into()
    }
}

/// A function that returns suggestions for an argument.
#[diagnostic::on_unimplemented(
    message = "this cannot complete an argument",
    label = "not a completion function",
    note = "write `async fn suggest(asked: genkit::action::CompleteRequest) -> Vec<String>`, or the suggestions themselves: `complete = [\"a\", \"b\"]`"
)]
pub trait Completes {
    fn complete(
        self,
        request: genkit_core::CompleteRequest,
    ) -> BoxFuture<'static, Result<Vec<String>>>;
}

#[diagnostic::do_not_recommend]
impl<F, S> Completes for F
where
    F: Fn(genkit_core::CompleteRequest) -> S,
    S: Future<Output: genkit_core::IntoSuggestions> + Send + 'static,
{
    fn complete(
        self,
        request: genkit_core::CompleteRequest,
    ) -> BoxFuture<'static, Result<Vec<String>>> {
        genkit_core::internal::action::expansion::complete(self(request))
    }
}
