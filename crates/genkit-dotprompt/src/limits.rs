//! Limits on the size and the cost of a prompt.

/// The maximum size of a `.prompt` file or partial, in bytes.
pub const MAX_SOURCE_BYTES: usize = 1024 * 1024;

/// The maximum size of a frontmatter, in bytes.
pub const MAX_FRONTMATTER_BYTES: usize = 256 * 1024;

/// The maximum number of values in a frontmatter. An alias counts as the value that it refers to.
pub(crate) const MAX_YAML_VALUES: usize = 50_000;

/// The maximum number of bytes of text in a frontmatter. An alias counts as the value that it refers to.
pub(crate) const MAX_YAML_BYTES: usize = 4 * 1024 * 1024;

/// The maximum nesting depth of maps and lists in a frontmatter.
pub(crate) const MAX_YAML_DEPTH: usize = 64;

/// The maximum nesting depth of blocks in a template.
pub(crate) const MAX_BLOCKS: usize = 64;

/// The maximum nesting depth of subexpressions.
pub(crate) const MAX_SUBEXPRESSIONS: usize = 16;

/// The maximum nesting depth of maps and lists that `{{json}}` and `{{value}}` print.
pub(crate) const MAX_JSON_DEPTH: usize = 128;

/// The maximum number of times that a template may insert the history.
pub(crate) const MAX_HISTORIES: usize = 16;

/// The maximum number of entries in a folder of prompts.
pub(crate) const MAX_FILES: usize = 10_000;

/// The maximum total size of the prompts in a folder, in bytes.
pub(crate) const MAX_FOLDER_BYTES: usize = 64 * 1024 * 1024;

/// The maximum nesting depth of folders.
pub(crate) const MAX_FOLDERS: usize = 16;

/// The number of bytes of data that may be copied, compared, counted or converted to JSON for one step.
pub(crate) const BYTES_PER_STEP: usize = 64;

/// Limits on the cost of a rendering. Templates may loop over data from untrusted sources.
///
/// ```
/// use genkit_dotprompt::{Data, Environment, Limits, PromptFile};
///
/// let environment = Environment::builder().limits(Limits::default().steps(100)).build();
/// let prompt = PromptFile::parse("p", "{{#each l}}{{#each @root.l}}x{{/each}}{{/each}}")?;
/// let data = Data::from_input(serde_json::json!({"l": vec![0; 1000]}));
/// let error = environment.render(&prompt, &data, &Default::default()).unwrap_err();
/// assert!(error.to_string().contains("more than 100 steps"), "{error}");
/// # Ok::<(), genkit_dotprompt::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Limits {
    pub(crate) steps: usize,
    pub(crate) output_bytes: usize,
    pub(crate) parts: usize,
    pub(crate) partial_depth: usize,
    pub(crate) depth: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            steps: 1_000_000,
            output_bytes: 64 * 1024 * 1024,
            parts: 10_000,
            partial_depth: 64,
            depth: 150,
        }
    }
}

impl Limits {
    /// Sets the maximum number of steps. Each piece of text, value or block that is rendered is a step, and so is each
    /// iteration of a loop. If a tag copies, compares or counts data, or converts data to JSON, every 64 bytes cost one
    /// more step. Default is 1,000,000.
    #[must_use]
    pub fn steps(mut self, steps: usize) -> Self {
        self.steps = steps;
        self
    }

    /// Sets the maximum size of the output, in bytes, including the URLs of media. Default is 64 MiB.
    #[must_use]
    pub fn output_bytes(mut self, bytes: usize) -> Self {
        self.output_bytes = bytes;
        self
    }

    /// Sets the maximum number of messages and parts in the output, in total. Default is 10,000.
    #[must_use]
    pub fn parts(mut self, parts: usize) -> Self {
        self.parts = parts;
        self
    }

    /// Sets the maximum nesting depth of partials. Default is 64; a higher value is reduced to 64.
    #[must_use]
    pub fn partial_depth(mut self, depth: usize) -> Self {
        self.partial_depth = depth.min(64);
        self
    }
}
