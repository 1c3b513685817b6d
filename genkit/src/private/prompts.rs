//! Embedded folders of `.prompt` files.

use genkit_core::internal::action::expansion::StaticPromptFiles;
pub use genkit_macros::prompt_folder;

/// Starts a run with a prompt of an embedded folder.
pub fn embedded_prompt(files: &'static StaticPromptFiles, name: &str) -> genkit_agent::Generate {
    genkit_agent::Instance::default().embedded_prompt(files, name)
}

/// Returns all prompts of an embedded folder.
pub fn embedded_prompts(files: &'static StaticPromptFiles) -> Vec<genkit_core::Prompt> {
    genkit_core::internal::action::embedded_prompts(files)
        .expect("the macro checked every file of the folder")
        .to_vec()
}
