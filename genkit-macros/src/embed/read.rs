//! The folder: its files, and all errors in them.

use std::path::Path;

use genkit_dotprompt::{Environment, EnvironmentBuilder, Error, Folder, Metadata, PromptFile};
use serde_json::{Map, Value, json};
use syn::LitStr;

use super::input::{PromptsInput, schema_name};
use super::names;
use super::prompt::Prompt;
use super::shape::PROGRAM_TYPE;
use crate::embed_folder;
use crate::error::Errors;

/// The readable contents of the folder.
#[derive(Default)]
pub(super) struct FolderContents {
    pub(super) prompts: Vec<Prompt>,
    /// The paths of all files relative to the folder, including partials.
    pub(super) files: Vec<String>,
}

/// Reads the folder of an invocation in the crate at `manifest`.
pub(super) fn read_folder(
    input: &PromptsInput,
    manifest: Option<&Path>,
    errors: &mut Errors,
) -> FolderContents {
    let literal = &input.folder;
    let named = literal.value();
    let Some(path) = embed_folder::resolve_folder(literal, manifest, errors) else {
        return FolderContents::default();
    };
    let folder = named.trim_end_matches('/');
    let mut mistakes = FileErrors { folder, root: &path, literal, told: Vec::new(), errors };
    match Folder::read(&path) {
        Ok(folder) => read_prompts(&folder, input, &mut mistakes),
        Err(found) => {
            found.iter().for_each(|error| mistakes.report_error(error));
            FolderContents::default()
        }
    }
}

fn read_prompts(
    folder: &Folder,
    input: &PromptsInput,
    mistakes: &mut FileErrors,
) -> FolderContents {
    let environment = build_environment(folder, input, mistakes);
    let mut files: Vec<String> =
        folder.partials().iter().map(|partial| mistakes.path_inside(&partial.path)).collect();
    let mut prompts = Vec::new();
    for file in folder.prompts() {
        let path = mistakes.path_inside(&file.path);
        files.push(path.clone());
        let parsed = PromptFile::parse(&path, &file.source);
        match &parsed {
            Ok(parsed) => {
                let found = environment.check(parsed).into_iter().chain(parsed.check_run());
                found.for_each(|error| mistakes.report_error(&error));
            }
            Err(error) => mistakes.report_error(error),
        }
        let metadata = match parsed.and_then(|parsed| read_metadata(&environment, &parsed)) {
            Ok(metadata) => metadata,
            Err(error) => {
                mistakes.report_error(&error);
                // An error in the template does not affect the types, which come from the frontmatter.
                let head = PromptFile::parse(&path, without_template(&file.source));
                match head.and_then(|head| read_metadata(&environment, &head)) {
                    Ok(metadata) => metadata,
                    Err(_) => continue,
                }
            }
        };
        if !metadata.input_schema().is_none_or(takes_object) {
            let what = "the input of a prompt must be an object, whose keys are the variables of the template";
            mistakes.add(&path, what);
            continue;
        }
        prompts.push(Prompt::new(&file.name, file.variant.as_deref(), &path, metadata));
    }
    for place in 0..prompts.len() {
        let (before, rest) = prompts.split_at_mut(place);
        if let [variant, after @ ..] = rest {
            before.iter().chain(&*after).for_each(|base| variant.share_input_type(base));
        }
    }
    report_collisions(&prompts, mistakes);
    files.sort();
    FolderContents { prompts, files }
}

fn read_metadata(environment: &Environment, file: &PromptFile) -> Result<Metadata, Error> {
    environment.metadata(file, &Metadata::default())
}

/// Returns a file without its template.
fn without_template(source: &str) -> &str {
    let mut marks = 0;
    let mut end = 0;
    for line in source.split_inclusive('\n') {
        end += line.len();
        marks += usize::from(line.trim_end() == "---");
        if marks == 2 {
            break;
        }
    }
    &source[..end]
}

/// Builds the environment that the files share: partials, and placeholder schemas for types of the program.
fn build_environment(
    folder: &Folder,
    input: &PromptsInput,
    mistakes: &mut FileErrors,
) -> Environment {
    let mut builder = Environment::builder();
    for path in &input.schemas {
        let name = schema_name(path);
        builder = builder.schema(&name, json!({ PROGRAM_TYPE: name }));
    }
    for (name, partial) in folder.partial_names() {
        let path = mistakes.path_inside(&partial.path);
        let with = |builder: EnvironmentBuilder, source| builder.partial_file(name, &path, source);
        // Use an empty partial instead of an invalid partial, so that files that include it do not fail as well.
        let source = match with(Environment::builder(), &partial.source) {
            Ok(_) => &*partial.source,
            Err(error) => {
                mistakes.report_error(&error);
                ""
            }
        };
        if let Ok(with_partial) = with(std::mem::take(&mut builder), source) {
            builder = with_partial;
        }
    }
    builder.build()
}

fn takes_object(schema: &Value) -> bool {
    let kind = schema.get("type");
    kind.is_none_or(|kind| {
        kind == "object" || kind.as_array().is_some_and(|kinds| kinds.contains(&json!("object")))
    })
}

/// Reports files that would generate the same Rust name.
fn report_collisions(prompts: &[Prompt], mistakes: &mut FileErrors) {
    let mut functions: Map<String, Value> = Map::new();
    let mut types: Map<String, Value> = Map::new();
    let mut modules: Map<String, Value> = Map::new();
    for prompt in prompts {
        for depth in 1..=prompt.folders.len() {
            let folders = &prompt.folders[..depth];
            let path: Vec<String> =
                folders.iter().map(|folder| names::to_snake_case(folder)).collect();
            let (path, own) = (path.join("::"), folders.join("/"));
            let other = modules.entry(path.as_str()).or_insert_with(|| own.clone().into());
            if let Some(other) = other.as_str().filter(|other| *other != own) {
                let what =
                    format!("generates the module `{path}`, as does `{other}`; rename one of them");
                mistakes.add(&own, &what);
            }
        }
        let within =
            prompt.folders.iter().map(|folder| names::to_snake_case(folder)).collect::<Vec<_>>();
        let mut claim = |names: &mut Map<String, Value>, kind: &str, name: String| {
            let key = format!("{}::{name}", within.join("::"));
            let other = names.insert(key, prompt.path.clone().into());
            if let Some(other) = other.as_ref().and_then(Value::as_str)
                && other != prompt.path
            {
                let what =
                    format!("generates the {kind} `{name}`, as does `{other}`; rename one of them");
                mistakes.add(&prompt.path, &what);
            }
        };
        let function = prompt.function.clone();
        claim(&mut functions, "function", function);
        for name in prompt.type_names() {
            claim(&mut types, "type", name);
        }
        if within.is_empty() && prompt.function == "all" {
            let what = "generates a function named `all`, which is reserved for the list of all prompts; rename the file";
            mistakes.add(&prompt.path, what);
        }
    }
}

/// Errors in files, each reported once, at the literal that names the folder.
struct FileErrors<'a> {
    folder: &'a str,
    root: &'a Path,
    literal: &'a LitStr,
    told: Vec<String>,
    errors: &'a mut Errors,
}

impl FileErrors<'_> {
    /// Returns the path of a file relative to the folder, with `/` as the separator.
    fn path_inside(&self, path: &Path) -> String {
        let path = path.strip_prefix(self.root).unwrap_or(path);
        path.to_string_lossy().replace('\\', "/")
    }

    /// Reports an error with its position: `prompts/trip.prompt:3:7: ..`.
    fn report_error(&mut self, error: &Error) {
        let file = error.file().map(|file| self.path_inside(Path::new(file)));
        let place = match (file, error.line()) {
            (None, _) => self.folder.to_owned(),
            (Some(file), 0) => format!("{}/{file}", self.folder),
            (Some(file), line) => format!("{}/{file}:{line}:{}", self.folder, error.column()),
        };
        self.add_once(format!("{place}: {}", error.message()));
    }

    /// Reports an error about a whole file.
    fn add(&mut self, file: &str, what: &str) {
        self.add_once(format!("{}/{file}: {what}", self.folder));
    }

    fn add_once(&mut self, message: String) {
        if !self.told.contains(&message) {
            self.errors.add(syn::Error::new(self.literal.span(), &message));
            self.told.push(message);
        }
    }
}
