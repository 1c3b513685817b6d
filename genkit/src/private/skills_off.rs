//! The macro of `skills.rs`, without the feature `skills`.

pub use crate::__skill_folder as skill_folder;

/// Reports that embedding a folder needs the feature `skills`.
#[doc(hidden)]
#[macro_export]
macro_rules! __skill_folder {
    ($($folder:tt)*) => {
        ::core::compile_error!(
            "`skills!(\"..\")` needs the feature `skills` of `genkit`\nhelp: enable it in `Cargo.toml`: `genkit = { .., features = [\"skills\"] }`"
        );
    };
}
