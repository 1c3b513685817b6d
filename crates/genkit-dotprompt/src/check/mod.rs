//! What can be known of a prompt without data.

mod names;
mod recursion;
mod run;
mod variables;

use crate::environment::Environment;
use crate::error::Error;
use crate::fault::Fault;
use crate::metadata::Metadata;
use crate::picoschema;
use crate::prompt::PromptFile;

impl Environment {
    /// What can be known without data, with its place: unknown helpers, unknown partials (none where a resolver is
    /// set), variables that `input.schema` does not have, a frontmatter that is none (`---` is never closed), partials that include each other without end, and what
    /// [`metadata`](Self::metadata) refuses.
    ///
    /// Variables are only compared where it is certain what they are looked up in: outside of loops, `with` and
    /// partials, and where the schema allows no further fields.
    ///
    /// ```
    /// use genkit_dotprompt::{Environment, PromptFile};
    ///
    /// let prompt = PromptFile::parse("p", "---\ninput: {schema: {city: string}}\n---\n{{> top}}{{ctiy}}")?;
    /// let errors = Environment::default().check(&prompt);
    /// assert_eq!(errors[0].to_string(), "p:4:1: unknown partial `top`: there are none");
    /// assert!(errors[1].to_string().ends_with("did you mean `city`? (by `input.schema`)"));
    /// # Ok::<(), genkit_dotprompt::Error>(())
    /// ```
    pub fn check(&self, prompt: &PromptFile) -> Vec<Error> {
        let mut errors = names::check(self, prompt.compiled());
        errors.extend(recursion::check(self, prompt.compiled()));
        errors.extend(prompt.overlooked_frontmatter());
        match self.expand_without_helpers(prompt) {
            Ok(metadata) => errors.extend(variables::check(self, prompt.compiled(), &metadata)),
            Err(error) => errors.push(error),
        }
        errors.sort_by_key(|error| {
            (error.file() != Some(prompt.file()), error.line(), error.column())
        });
        errors
    }

    /// What is likely to be meant otherwise: a schema that is read as JSON Schema but looks like Picoschema.
    pub fn warnings(&self, prompt: &PromptFile) -> Vec<Error> {
        let Some(raw) = prompt.raw() else { return Vec::new() };
        let metadata = Metadata::from(raw.clone());
        let schemas = [("input", metadata.input_schema()), ("output", metadata.output_schema())];
        let suspect = |(section, schema): (&str, Option<&serde_json::Value>)| {
            let key = picoschema::looks_like_picoschema(schema?)?;
            let path = [section, "schema", key].map(str::to_owned);
            Some(prompt.at_key(Error::new(Fault::LooksLikePicoschema(key.to_owned())), &path))
        };
        schemas.into_iter().filter_map(suspect).collect()
    }
}
