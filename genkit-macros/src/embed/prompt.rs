//! One prompt of the folder: its names, its types and its documentation.

use genkit_dotprompt::Metadata;
use serde_json::{Map, Value};

use super::names;
use super::shape::{Definition, Reader, Shape};

pub(super) struct Prompt {
    /// The folders that contain the prompt, below the embedded folder.
    pub(super) folders: Vec<String>,
    /// The name without the folders.
    pub(super) name: String,
    pub(super) variant: Option<String>,
    /// The path relative to the folder.
    pub(super) path: String,
    pub(super) function: String,
    pub(super) metadata: Metadata,
    pub(super) input: Option<Shape>,
    pub(super) output: Option<Shape>,
    pub(super) definitions: Vec<Definition>,
    /// The number of leading definitions that belong to the input.
    definitions_of_input: usize,
    /// The input type of the base prompt, if this is a variant with the same input.
    pub(super) same_input: Option<String>,
}

impl Prompt {
    /// Creates a prompt. `key` is its name with its folders, such as `sub/trip`.
    pub(super) fn new(key: &str, variant: Option<&str>, path: &str, metadata: Metadata) -> Self {
        let mut folders: Vec<String> = key.split('/').map(str::to_owned).collect();
        let name = folders.pop().unwrap_or_default();
        let spelled = variant.map_or(name.clone(), |variant| format!("{name}_{variant}"));
        let mut prompt = Self {
            folders,
            variant: variant.map(str::to_owned),
            path: path.to_owned(),
            function: names::to_snake_case(&spelled),
            name,
            input: None,
            output: None,
            definitions: Vec::new(),
            definitions_of_input: 0,
            same_input: None,
            metadata,
        };
        prompt.read();
        prompt
    }

    fn read(&mut self) {
        let none = Map::new();
        let defaults = self.metadata.input_default().unwrap_or(&none);
        let (input, output) = (self.input_name(), self.output_name());
        let read = |schema: &Value, name: &str, defaults: &Map<String, Value>| {
            let mut reader = Reader::new(schema, name);
            (reader.read_whole(defaults), reader.definitions)
        };
        let input = self.metadata.input_schema().map(|schema| read(schema, &input, defaults));
        let output = self.metadata.output_schema().map(|schema| read(schema, &output, &none));
        if let Some((shape, definitions)) = input {
            self.input = Some(shape);
            self.definitions_of_input = definitions.len();
            self.definitions = definitions;
        }
        if let Some((shape, definitions)) = output {
            self.output = Some(shape);
            self.definitions.extend(definitions);
        }
        let (key, input, output) = (self.registry_key(), self.input_name(), self.output_name());
        for definition in &mut self.definitions {
            let about = match &definition.name {
                name if *name == input => format!("The input of the prompt `{key}`."),
                name if *name == output => format!("The output of the prompt `{key}`."),
                _ => format!("A type used by the prompt `{key}`."),
            };
            definition.about.get_or_insert(about);
        }
    }

    /// Returns the name under which a registry stores the prompt, such as `sub/trip.formal`.
    pub(super) fn registry_key(&self) -> String {
        let mut key: String = self.folders.iter().map(|folder| format!("{folder}/")).collect();
        key.push_str(&self.name);
        if let Some(variant) = &self.variant {
            key = format!("{key}.{variant}");
        }
        key
    }

    /// Returns the name of the input type, such as `TripFormal`.
    pub(super) fn input_name(&self) -> String {
        let name = names::to_pascal_case(&self.function);
        if name.starts_with(char::is_numeric) { format!("_{name}") } else { name }
    }

    /// Returns the name of the output type, such as `TripFormalOutput`.
    pub(super) fn output_name(&self) -> String {
        format!("{}Output", self.input_name())
    }

    /// Uses the input type of `base` if this is a variant of it with the same input.
    pub(super) fn share_input_type(&mut self, base: &Self) {
        let is_variant = self.variant.is_some() && base.variant.is_none();
        let of_it = self.name == base.name && self.folders == base.folders;
        let input = |prompt: &Self| {
            let metadata = &prompt.metadata;
            (metadata.input_schema().cloned(), metadata.input_default().cloned())
        };
        let is_struct =
            matches!(&self.input, Some(Shape::Named(named)) if *named == self.input_name());
        if is_variant && of_it && is_struct && input(self) == input(base) {
            let own = self.definitions_of_input;
            self.definitions.drain(..own);
            self.definitions_of_input = 0;
            self.same_input = Some(base.input_name());
        }
    }

    /// Returns the names of all types that are generated for the prompt.
    pub(super) fn type_names(&self) -> impl Iterator<Item = String> {
        let tops = [
            self.input.is_some().then(|| self.input_name()),
            self.output.is_some().then(|| self.output_name()),
        ];
        let mut all: Vec<String> = tops.into_iter().flatten().collect();
        all.extend(self.definitions.iter().map(|definition| definition.name.clone()));
        all.sort();
        all.dedup();
        all.into_iter()
    }

    /// Returns the doc comment of the prompt's function.
    pub(super) fn doc_comment(&self, folder: &str) -> String {
        let mut about = match self.metadata.description() {
            Some(description) => description.trim().to_owned(),
            None => format!("The prompt `{}`.", self.registry_key()),
        };
        about.push_str(&format!("\n\nFrom `{}/{}`", folder.trim_end_matches('/'), self.path));
        if let Some(model) = self.metadata.model() {
            about.push_str(&format!(", for `{model}`"));
        }
        about.push('.');
        let tools: Vec<&str> = self.metadata.tools().collect();
        if !tools.is_empty() {
            about.push_str(&format!(" Tools: {}.", crate::suggest::list_words(tools)));
        }
        if self.output.is_some() {
            let output = self.output_name();
            about.push_str(&format!(
                "\n\nRead the output with `.await?.output::<{output}>()?`: [`{output}`]."
            ));
        }
        about
    }
}
