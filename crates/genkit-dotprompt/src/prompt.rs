//! A parsed `.prompt` file.

use std::fmt;
use std::sync::{Arc, OnceLock};

use serde_json::{Map, Value};

use crate::error::Error;
use crate::error_kind::ErrorKind;
use crate::frontmatter::{self, FileParts};
use crate::limits::{MAX_FRONTMATTER_BYTES, MAX_SOURCE_BYTES};
use crate::metadata::ExpandedMetadata;
use crate::template::Template;
use crate::text;

/// A `.prompt` file: its frontmatter and its compiled template. Cheap to clone.
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
pub struct PromptFile(Arc<ParsedPrompt>);

struct ParsedPrompt {
    frontmatter: Option<std::ops::Range<usize>>,
    raw: Option<Map<String, Value>>,
    template: Template,
    /// The expanded metadata for the first environment that used the prompt. Usually, there is only one environment.
    expanded: OnceLock<Arc<ExpandedMetadata>>,
}

impl fmt::Debug for PromptFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PromptFile").field("file", &self.file()).finish_non_exhaustive()
    }
}

impl PromptFile {
    /// Parses a file. Errors refer to it as `file`.
    ///
    /// # Errors
    /// Returns an error if the YAML is invalid, a key has the wrong form, the template has an error, or the file is
    /// larger than [`MAX_SOURCE_BYTES`](crate::MAX_SOURCE_BYTES).
    pub fn parse(file: &str, source: &str) -> Result<Self, Error> {
        Self::from_source(file, source.into())
    }

    /// Parses a file without copying the source.
    pub(crate) fn from_source(file: &str, source: Arc<str>) -> Result<Self, Error> {
        let file: Arc<str> = file.into();
        if source.len() > MAX_SOURCE_BYTES {
            return Err(Error::new(ErrorKind::SourceTooLarge).in_file(&file));
        }
        let FileParts { frontmatter, body } = frontmatter::split_file(&source);
        let raw = match &frontmatter {
            Some(range) => {
                let text = &source[range.clone()];
                Some(read_keys(text).map_err(|error| {
                    let above = text::line_and_column(&source, range.start).0 - 1;
                    let (line, column) = (error.line(), error.column());
                    error.move_to((line + above, column)).in_file(&file)
                })?)
            }
            None => None,
        };
        let template = Template::parse_range(file, source, body)?;
        Ok(Self(Arc::new(ParsedPrompt { frontmatter, raw, template, expanded: OnceLock::new() })))
    }

    /// Returns the name of the file in errors.
    pub fn file(&self) -> &str {
        self.0.template.file()
    }

    /// Returns the unprocessed frontmatter, if the file has one.
    pub fn raw(&self) -> Option<&Map<String, Value>> {
        self.0.raw.as_ref()
    }

    /// Returns the default values of the input. As in the reference implementation, a rendering uses them only if they
    /// are applied with [`Data::with_defaults`](crate::Data::with_defaults), or passed in the options of the rendering.
    pub fn input_default(&self) -> Option<&Map<String, Value>> {
        self.raw()?.get("input")?.get("default")?.as_object()
    }

    /// Returns the text of the template, trimmed: the part below the frontmatter, or the whole file if it has no
    /// frontmatter.
    pub fn template(&self) -> &str {
        self.0.template.text()
    }

    /// Returns an error if the file seems to start with a frontmatter that was not recognized.
    pub(crate) fn overlooked_frontmatter(&self) -> Option<Error> {
        let template = self.compiled_template();
        let (why, at) = frontmatter::find_overlooked(template.source())?;
        Some(template.error_at(ErrorKind::FrontmatterOverlooked(why), at))
    }

    pub(crate) fn compiled_template(&self) -> &Template {
        &self.0.template
    }

    pub(crate) fn expanded_metadata(&self) -> &OnceLock<Arc<ExpandedMetadata>> {
        &self.0.expanded
    }

    /// Returns `error` with the position of a key of the frontmatter.
    pub(crate) fn at_key(&self, error: Error, path: &[String]) -> Error {
        let source = self.0.template.source();
        let error = match &self.0.frontmatter {
            Some(range) => {
                let above = text::line_and_column(source, range.start).0 - 1;
                match frontmatter::yaml::find_position(&source[range.clone()], path) {
                    // The key came from the options.
                    (0, _) => error,
                    (line, column) => error.with_place((line + above, column)),
                }
            }
            None => error,
        };
        error.in_file(self.0.template.file_name())
    }
}

fn read_keys(text: &str) -> Result<Map<String, Value>, Error> {
    if text.len() > MAX_FRONTMATTER_BYTES {
        return Err(Error::new(ErrorKind::FrontmatterTooLarge).with_place((1, 1)));
    }
    let raw = frontmatter::yaml::read(text)?;
    match frontmatter::check_keys(&raw) {
        Ok(()) => Ok(raw),
        Err((error, path)) => Err(error.with_place(frontmatter::yaml::find_position(text, &path))),
    }
}
