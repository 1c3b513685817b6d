//! What a prompt may cost.

/// The bytes of a `.prompt` file or partial, at most.
pub const MAX_SOURCE_BYTES: usize = 1024 * 1024;

/// The bytes of a frontmatter, at most.
pub const MAX_FRONTMATTER_BYTES: usize = 256 * 1024;

/// The values of a frontmatter, what aliases stand for included, at most.
pub(crate) const MAX_YAML_VALUES: usize = 50_000;

/// The bytes of text of a frontmatter, what aliases stand for included, at most.
pub(crate) const MAX_YAML_BYTES: usize = 4 * 1024 * 1024;

/// Maps and lists within each other in a frontmatter, at most.
pub(crate) const MAX_YAML_DEPTH: usize = 64;

/// Blocks within each other in one template, at most.
pub(crate) const MAX_BLOCKS: usize = 64;

/// Subexpressions within each other, at most.
pub(crate) const MAX_SUBEXPRESSIONS: usize = 16;

/// Maps and lists within each other that `{{json}}` and `{{value}}` print, at most.
pub(crate) const MAX_JSON_DEPTH: usize = 128;

/// How often one template may insert the history.
pub(crate) const MAX_HISTORIES: usize = 16;

/// The entries of a folder of prompts, at most.
pub(crate) const MAX_FILES: usize = 10_000;

/// The bytes of all prompts of a folder, at most.
pub(crate) const MAX_FOLDER_BYTES: usize = 64 * 1024 * 1024;

/// Folders within each other, at most.
pub(crate) const MAX_FOLDERS: usize = 16;

/// The bytes of the data that are copied, compared, counted or made JSON for one step.
pub(crate) const BYTES_PER_STEP: usize = 64;

/// What one rendering may cost: templates may loop over data that somebody else sent.
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
    /// How many texts, values and blocks are rendered, loops included. Data that a tag copies, compares, counts or
    /// makes JSON costs one step more for every 64 bytes. Default is 1,000,000.
    #[must_use]
    pub fn steps(mut self, steps: usize) -> Self {
        self.steps = steps;
        self
    }

    /// The bytes that the template writes, URLs of media included. Default is 64 MiB.
    #[must_use]
    pub fn output_bytes(mut self, bytes: usize) -> Self {
        self.output_bytes = bytes;
        self
    }

    /// The messages and parts that the template writes, together. Default is 10,000.
    #[must_use]
    pub fn parts(mut self, parts: usize) -> Self {
        self.parts = parts;
        self
    }

    /// Partials within each other, at most 64, which is the default.
    #[must_use]
    pub fn partial_depth(mut self, depth: usize) -> Self {
        self.partial_depth = depth.min(64);
        self
    }
}
