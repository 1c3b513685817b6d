//! A `.prompt` file, read.

use std::fmt;
use std::sync::{Arc, OnceLock};

use serde_json::{Map, Value};

use crate::error::Error;
use crate::fault::Fault;
use crate::frontmatter::{self, Split};
use crate::limits::{MAX_FRONTMATTER_BYTES, MAX_SOURCE_BYTES};
use crate::metadata::Expanded;
use crate::template::Template;
use crate::text;

/// A `.prompt` file: its frontmatter and its template, compiled. Cheap to clone.
///
/// ```
/// use genkit_dotprompt::PromptFile;
///
/// let prompt = PromptFile::parse("greet.prompt", "---\nmodel: vendor/name\n---\nHello {{name}}\n")?;
/// assert_eq!(prompt.template(), "Hello {{name}}");
/// assert_eq!(prompt.raw().unwrap()["model"], "vendor/name");
/// # Ok::<(), genkit_dotprompt::Error>(())
/// ```
#[derive(Clone)]
pub struct PromptFile(Arc<Parsed>);

struct Parsed {
    frontmatter: Option<std::ops::Range<usize>>,
    raw: Option<Map<String, Value>>,
    template: Template,
    /// The expanded metadata for the environment that asked first: nearly always the only one.
    expanded: OnceLock<Arc<Expanded>>,
}

impl fmt::Debug for PromptFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PromptFile").field("file", &self.file()).finish_non_exhaustive()
    }
}

impl PromptFile {
    /// Reads a file; `file` is what errors call it.
    ///
    /// # Errors
    /// Broken YAML, a key of the wrong shape, a mistake in the template, a file over
    /// [`MAX_SOURCE_BYTES`](crate::MAX_SOURCE_BYTES).
    pub fn parse(file: &str, source: &str) -> Result<Self, Error> {
        Self::of_source(file, source.into())
    }

    /// The same, without a copy of the source.
    pub(crate) fn of_source(file: &str, source: Arc<str>) -> Result<Self, Error> {
        let file: Arc<str> = file.into();
        if source.len() > MAX_SOURCE_BYTES {
            return Err(Error::new(Fault::SourceTooLarge).in_file(&file));
        }
        let Split { frontmatter, body } = frontmatter::split(&source);
        let raw = match &frontmatter {
            Some(range) => {
                let text = &source[range.clone()];
                Some(read_keys(text).map_err(|error| {
                    let above = text::place(&source, range.start).0 - 1;
                    let (line, column) = (error.line(), error.column());
                    error.moved((line + above, column)).in_file(&file)
                })?)
            }
            None => None,
        };
        let template = Template::parse(file, source, body)?;
        Ok(Self(Arc::new(Parsed { frontmatter, raw, template, expanded: OnceLock::new() })))
    }

    /// What errors call the file.
    pub fn file(&self) -> &str {
        self.0.template.file()
    }

    /// The frontmatter as it was written; none where the file has none.
    pub fn raw(&self) -> Option<&Map<String, Value>> {
        self.0.raw.as_ref()
    }

    /// The defaults of the input as the file says them. A rendering takes them only where
    /// [`Data::with_defaults`](crate::Data::with_defaults) or its options give them: so the reference has it.
    pub fn input_default(&self) -> Option<&Map<String, Value>> {
        self.raw()?.get("input")?.get("default")?.as_object()
    }

    /// The text of the template: what stands below the frontmatter, without blanks around it; the whole file where
    /// it has no frontmatter.
    pub fn template(&self) -> &str {
        self.0.template.text()
    }

    /// The mistake of a file that begins like one with frontmatter.
    pub(crate) fn overlooked_frontmatter(&self) -> Option<Error> {
        let template = self.compiled();
        let (why, at) = frontmatter::overlooked(template.source())?;
        Some(template.error(Fault::FrontmatterOverlooked(why), at))
    }

    pub(crate) fn compiled(&self) -> &Template {
        &self.0.template
    }

    pub(crate) fn expanded(&self) -> &OnceLock<Arc<Expanded>> {
        &self.0.expanded
    }

    /// `error` at a key of the frontmatter.
    pub(crate) fn at_key(&self, error: Error, path: &[String]) -> Error {
        let source = self.0.template.source();
        let error = match &self.0.frontmatter {
            Some(range) => {
                let above = text::place(source, range.start).0 - 1;
                match frontmatter::yaml::place_of(&source[range.clone()], path) {
                    // It came with the options.
                    (0, _) => error,
                    (line, column) => error.at((line + above, column)),
                }
            }
            None => error,
        };
        error.in_file(self.0.template.file_name())
    }
}

fn read_keys(text: &str) -> Result<Map<String, Value>, Error> {
    if text.len() > MAX_FRONTMATTER_BYTES {
        return Err(Error::new(Fault::FrontmatterTooLarge).at((1, 1)));
    }
    let raw = frontmatter::yaml::read(text)?;
    match frontmatter::check(&raw) {
        Ok(()) => Ok(raw),
        Err((error, path)) => Err(error.at(frontmatter::yaml::place_of(text, &path))),
    }
}
