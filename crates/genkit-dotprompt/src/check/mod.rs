//! Checks of a prompt that need no data.

mod keys;
mod names;
mod recursion;
mod run;
mod variables;

use crate::environment::Environment;
use crate::error::Error;
use crate::error_kind::ErrorKind;
use crate::metadata::Metadata;
use crate::picoschema;
use crate::prompt::PromptFile;

impl Environment {
    /// Returns the errors in a prompt that can be found without data, with their positions:
    ///
    /// - unknown helpers and roles, and unknown partials unless a resolver is set
    /// - partials that include each other endlessly
    /// - variables that are not in `input.schema`
    /// - defaults that do not match `input.schema`
    /// - a frontmatter that is not recognized, for example because `---` is never closed
    /// - keys that are probably misspelled
    /// - the errors of [`metadata`](Self::metadata)
    ///
    /// Variables are checked only if their scope is known: outside loops, `with` and partials, and
    /// if the schema allows no additional fields.
    ///
    /// ```
    /// use genkit_dotprompt::{Environment, PromptFile};
    ///
    /// let prompt = PromptFile::parse("p", "---\ninput: {schema: {city: string}}\n---\n{{> top}}{{ctiy}}")?;
    /// let errors = Environment::default().check(&prompt);
    /// assert_eq!(errors[0].to_string(), "p:4:1: unknown partial `top`; there are no partials");
    /// assert!(errors[1].to_string().ends_with("did you mean `city`? (according to `input.schema`)"));
    /// # Ok::<(), genkit_dotprompt::Error>(())
    /// ```
    pub fn check(&self, prompt: &PromptFile) -> Vec<Error> {
        let mut errors = names::check_names(self, prompt.compiled_template());
        errors.extend(recursion::check_recursion(self, prompt.compiled_template()));
        errors.extend(prompt.overlooked_frontmatter());
        errors.extend(keys::check_key_names(prompt));
        match self.expand_without_helpers(prompt) {
            Ok(metadata) => {
                let template = prompt.compiled_template();
                errors.extend(variables::check_variables(self, template, &metadata));
                errors.extend(keys::check_defaults(prompt, &metadata));
            }
            Err(error) => errors.push(error),
        }
        errors.sort_by_key(|error| {
            (error.file() != Some(prompt.file()), error.line(), error.column())
        });
        errors
    }

    /// Returns warnings about likely mistakes: a schema that is read as JSON Schema but looks like Picoschema.
    pub fn warnings(&self, prompt: &PromptFile) -> Vec<Error> {
        let Some(raw) = prompt.raw() else { return Vec::new() };
        let metadata = Metadata::from(raw.clone());
        let schemas = [("input", metadata.input_schema()), ("output", metadata.output_schema())];
        let suspect = |(section, schema): (&str, Option<&serde_json::Value>)| {
            let key = picoschema::looks_like_picoschema(schema?)?;
            let path = [section, "schema", key].map(str::to_owned);
            Some(prompt.at_key(Error::new(ErrorKind::LooksLikePicoschema(key.to_owned())), &path))
        };
        schemas.into_iter().filter_map(suspect).collect()
    }
}
