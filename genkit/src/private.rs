//! Items for the expansions of the macros. Not public API; they change without notice.

#![allow(missing_docs, reason = "hidden")]

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
#[cfg(feature = "skills")]
pub use genkit_core::internal::skill::expansion::*;
pub use genkit_core::{
    AnnotatedFn, FlowFn, IntoContents, IntoOutput, IntoPrompt, Prompt, PromptFn, ResourceFn, Tool,
    ToolFn, ToolTask,
};
// The calling crate can be without the prelude.
pub use ::std::{boxed::Box, option::Option, time::Duration, vec, vec::Vec};

/// The scope of an expansion: traits whose methods are found if no inherent method applies (autoref
/// specialization, which distinguishes types by their traits and not by their spelling), and the items
/// that the derive of schemars needs in a crate without the prelude.
pub mod scope {
    pub use ::std::convert::Into as _;
    pub use ::std::option::Option::Some;
    pub use genkit_core::internal::action::expansion::{
        Described as _, InjectNothing as _, InjectState as _, NotShown as _, ReturnedValue as _,
        ReturnsNothing as _, ReturnsSchema as _, ReturnsValue as _, TypedInputFallback as _,
    };
}

/// Starts a run with a prompt of an embedded folder.
#[cfg(feature = "dotprompt")]
pub fn embedded_prompt(files: &'static StaticPromptFiles, name: &str) -> genkit_agent::Generate {
    genkit_agent::Instance::default().embedded_prompt(files, name)
}

/// Returns all prompts of an embedded folder.
#[cfg(feature = "dotprompt")]
pub fn embedded_prompts(files: &'static StaticPromptFiles) -> Vec<genkit_core::Prompt> {
    genkit_core::internal::action::embedded_prompts(files)
        .expect("the macro checked every file of the folder")
        .to_vec()
}

/// Returns all skills of an embedded folder.
#[cfg(feature = "skills")]
pub fn embedded_skills(skills: &'static StaticSkills) -> Vec<Skill> {
    genkit_core::internal::skill::embedded_skills(skills).to_vec()
}

/// A type with a value for `#[arg(default)]`.
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

/// Registers a definition at link time, if the feature `inventory` is enabled.
#[cfg(feature = "inventory")]
#[doc(hidden)]
#[macro_export]
macro_rules! __submit {
    ($function:ty) => {
        $crate::__private::inventory::submit! {
            <$function as $crate::__private::AnnotatedFn>::LINKED
        }
    };
}

/// Does nothing without the feature `inventory`.
#[cfg(not(feature = "inventory"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __submit {
    ($function:ty) => {};
}

/// Registers a folder of `.prompt` files at link time, if the feature `inventory` is enabled.
#[cfg(all(feature = "inventory", feature = "dotprompt"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __submit_files {
    ($files:path) => {
        $crate::__private::inventory::submit! {
            $crate::__private::Linked::PromptFiles(&$files)
        }
    };
}

/// Does nothing without the feature `inventory`.
#[cfg(all(not(feature = "inventory"), feature = "dotprompt"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __submit_files {
    ($files:path) => {};
}

/// Registers a folder of skills at link time, if the feature `inventory` is enabled.
#[cfg(all(feature = "inventory", feature = "skills"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __submit_skills {
    ($skills:path) => {
        $crate::__private::inventory::submit! {
            $crate::__private::Linked::Skills(&$skills)
        }
    };
}

/// Does nothing without the feature `inventory`.
#[cfg(all(not(feature = "inventory"), feature = "skills"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __submit_skills {
    ($skills:path) => {};
}

/// Reports that embedding a folder needs the feature `skills`.
#[cfg(not(feature = "skills"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __skill_folder {
    ($($folder:tt)*) => {
        ::core::compile_error!(
            "`skills!(\"..\")` needs the feature `skills` of `genkit`\nhelp: enable it in `Cargo.toml`: `genkit = { .., features = [\"skills\"] }`"
        );
    };
}

/// Reports that embedding a folder needs the feature `dotprompt`.
#[cfg(not(feature = "dotprompt"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __prompt_folder {
    ([$library:tt] $($name:ident)*) => {
        ::core::compile_error!("`prompts![..]` lists `#[prompt]` functions\nhelp: separate them with commas");
    };
    ([$library:tt] $($folder:tt)*) => {
        ::core::compile_error!(
            "`prompts!(\"..\")` needs the feature `dotprompt` of `genkit`\nhelp: enable it in `Cargo.toml`: `genkit = { .., features = [\"dotprompt\"] }`"
        );
    };
}

#[cfg(feature = "inventory")]
pub use ::inventory;

#[cfg(not(feature = "dotprompt"))]
pub use crate::__prompt_folder as prompt_folder;
#[cfg(not(feature = "skills"))]
pub use crate::__skill_folder as skill_folder;
pub use crate::__submit as submit;
#[cfg(feature = "dotprompt")]
pub use crate::__submit_files as submit_files;
#[cfg(feature = "skills")]
pub use crate::__submit_skills as submit_skills;
#[cfg(feature = "dotprompt")]
pub use genkit_macros::prompt_folder;
#[cfg(feature = "skills")]
pub use genkit_macros::skill_folder;
