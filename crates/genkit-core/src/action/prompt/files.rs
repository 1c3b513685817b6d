//! `.prompt` files as prompts: of a folder that is in the program, or was read.

use std::path::Path;
use std::sync::OnceLock;

use genkit_dotprompt::{Environment, Folder, Metadata, PromptFile};
use serde_json::Value;

use super::template::{PromptTemplate, described};
use super::{Prompt, PromptBuilder};
use crate::template::{Error as E, Templates};

/// Types by the names that files have for their schemas.
type NamedSchema<'a> = (&'a str, fn() -> Value);

/// A folder of `.prompt` files and partials that the compiler read: what `prompts!("folder")` hands over.
#[allow(missing_docs, reason = "for expansions and hidden")]
pub struct StaticPromptFiles {
    /// What errors call the folder.
    folder: &'static str,
    /// The path of each file inside of the folder, with `/`, and its text; partials among them.
    files: &'static [(&'static str, &'static str)],
    /// Types of the program that files name as schemas.
    schemas: &'static [NamedSchema<'static>],
    /// Read on first use.
    prompts: OnceLock<Result<Vec<Prompt>, String>>,
}

#[allow(missing_docs, reason = "for expansions and hidden")]
impl StaticPromptFiles {
    pub const fn new(folder: &'static str, files: &'static [(&'static str, &'static str)]) -> Self {
        Self { folder, files, schemas: &[], prompts: OnceLock::new() }
    }

    pub const fn schemas(mut self, schemas: &'static [NamedSchema<'static>]) -> Self {
        self.schemas = schemas;
        self
    }
}

/// A schema as a file says it, for types that a macro made of it; `given` are types of the program that it names.
#[allow(missing_docs, reason = "for expansions and hidden")]
pub fn written_schema(text: &str, given: &[NamedSchema<'_>]) -> schemars::Schema {
    let mut schema = serde_json::from_str(text).unwrap_or_default();
    fill(&mut schema, given);
    schemars::Schema::try_from(schema).unwrap_or_default()
}

/// Puts the schemas of types where a macro left their names.
fn fill(schema: &mut Value, given: &[NamedSchema<'_>]) {
    if let Some(name) = schema.get("x-genkit-type").and_then(Value::as_str) {
        let made = given.iter().find(|(known, _)| *known == name);
        *schema = made.map_or(Value::Bool(true), |(_, make)| make());
        return;
    }
    match schema {
        Value::Object(map) => map.values_mut().for_each(|value| fill(value, given)),
        Value::Array(list) => list.iter_mut().for_each(|value| fill(value, given)),
        _ => {}
    }
}

/// The prompts of a folder that is in the program, read once.
///
/// # Errors
/// All mistakes of all files, in one text.
pub fn embedded(files: &'static StaticPromptFiles) -> Result<&'static [Prompt], String> {
    let read = || {
        let mut templates = Templates::default();
        for (name, schema) in files.schemas {
            templates.schema((*name).to_owned(), schema());
        }
        let folder = Folder::embedded(files.folder, files.files.iter().copied());
        prompts_of(&folder, &templates)
            .map_err(|mistakes| E::Folder { folder: files.folder.to_owned(), mistakes }.to_string())
    };
    files.prompts.get_or_init(read).as_deref().map_err(Clone::clone)
}

/// The prompts of a folder on disk.
///
/// # Errors
/// All mistakes of all files, each with its place.
pub fn prompts_in(path: &Path, templates: &Templates) -> Result<Vec<Prompt>, Vec<String>> {
    prompts_of(&Folder::read(path).map_err(texts)?, templates)
}

fn prompts_of(folder: &Folder, templates: &Templates) -> Result<Vec<Prompt>, Vec<String>> {
    let mut mistakes = Vec::new();
    let environment = templates.environment(|builder| builder.partials_of(folder));
    let environment = match environment {
        Ok(environment) => Some(environment),
        Err(of_partials) => {
            mistakes.extend(of_partials);
            None
        }
    };
    let mut prompts = Vec::with_capacity(folder.prompts().len());
    for source in folder.prompts() {
        let found = match (source.parse(), &environment) {
            (Ok(file), Some(environment)) => prompt_of(source.full_name(), file, environment),
            // Without its partials nothing more can be said of it.
            (Ok(_), None) => continue,
            (Err(error), _) => Err(vec![error.to_string()]),
        };
        match found {
            Ok(prompt) => prompts.push(prompt),
            Err(of_file) => mistakes.extend(of_file),
        }
    }
    if mistakes.is_empty() { Ok(prompts) } else { Err(mistakes) }
}

fn prompt_of(
    name: String,
    file: PromptFile,
    environment: &Environment,
) -> Result<Prompt, Vec<String>> {
    let mut mistakes = environment.check(&file);
    mistakes.extend(file.check_run());
    if !mistakes.is_empty() {
        return Err(texts(mistakes));
    }
    let metadata = environment.metadata(&file, &Metadata::default());
    let metadata = metadata.map_err(|error| texts(vec![error]))?;
    let builder = PromptBuilder::of_file(name, file.file().to_owned());
    let described = described(builder, file.file(), &metadata);
    let builder = described.map_err(|error| vec![error.to_string()])?;
    for warning in environment.warnings(&file) {
        tracing::warn!("{warning}");
    }
    let (schema, source) = (builder.input_schema.clone(), file.template().to_owned());
    let template =
        PromptTemplate { environment: environment.clone(), system: None, messages: file };
    Ok(builder.renders(schema, &source, template))
}

fn texts(mistakes: Vec<genkit_dotprompt::Error>) -> Vec<String> {
    mistakes.iter().map(ToString::to_string).collect()
}
