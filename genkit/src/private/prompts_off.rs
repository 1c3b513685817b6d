//! The macro of `prompts.rs`, without the feature `dotprompt`.

pub use crate::__prompt_folder as prompt_folder;

/// Reports that embedding a folder needs the feature `dotprompt`.
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
