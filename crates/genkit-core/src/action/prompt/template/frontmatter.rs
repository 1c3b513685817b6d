//! Frontmatter: the settings in a `.prompt` file for the prompt and its runs.

use genkit_dotprompt::Metadata;
use serde_json::{Map, Value};

use crate::action::prompt::{PromptBuilder, PromptOptions};
use crate::run_options::{Instructions, OutputOptions, ToolChoice};
use crate::template::Error as E;

/// All known keys. A key with a dot belongs to another program.
const KEYS: [&str; 20] = [
    "config",
    "description",
    "ext",
    "input",
    "maxTurns",
    "metadata",
    "model",
    "name",
    "output",
    "raw",
    "returnToolRequests",
    "title",
    "toolChoice",
    "toolDefs",
    "tools",
    "use",
    "variant",
    "version",
    "license",
    "author",
];

/// Applies the frontmatter of `file` to the builder. The frontmatter has already passed [`PromptFile::check_run`].
///
/// [`PromptFile::check_run`]: genkit_dotprompt::PromptFile::check_run
pub(in crate::action::prompt) fn apply_frontmatter(
    mut builder: PromptBuilder,
    file: &str,
    metadata: &Metadata,
) -> Result<PromptBuilder, E> {
    warn_unused(&builder.info.name, file, metadata);
    builder.options = prompt_options(metadata);
    builder.input_schema = input_schema(file, metadata)?;
    if let Some(description) = metadata.description() {
        builder.info.description = description.to_owned().into();
    }
    builder.info.title = read_raw_key(metadata, "title", text_of_value).map(Into::into);
    builder.version = match metadata.get("version") {
        Some(Value::Number(number)) => Some(number.to_string().into()),
        _ => metadata.version().map(|version| version.to_owned().into()),
    };
    if let Some(Value::Object(own)) = metadata.metadata() {
        builder.info.metadata = own.clone();
    }
    Ok(builder)
}

/// Warns about keys that are ignored.
fn warn_unused(prompt: &str, file: &str, metadata: &Metadata) {
    for key in metadata.raw().into_iter().flat_map(Map::keys) {
        if !KEYS.contains(&key.as_str()) && !key.contains('.') {
            let hint = crate::names::suggest::unknown_name("key", key, KEYS.into_iter());
            tracing::warn!(file, "unknown key in a `.prompt` file. {hint}");
        }
    }
    if !metadata.tool_defs().is_empty() {
        tracing::warn!(
            file,
            "`toolDefs` is ignored because it defines no functions; list the program's tools under `tools`"
        );
    }
    for (key, given) in find_misnamed(prompt, metadata) {
        tracing::warn!(
            file,
            key,
            given,
            "the name or variant in a `.prompt` file differs from its file name and is ignored; rename the file"
        );
    }
}

/// Returns the name and variant in the frontmatter if they differ from `prompt`, the full name with folders and
/// variant.
fn find_misnamed<'m>(
    prompt: &str,
    metadata: &'m Metadata,
) -> impl Iterator<Item = (&'static str, &'m str)> {
    let (folders, last) = prompt.rsplit_once('/').unwrap_or(("", prompt));
    let (bare, variant) = match last.split_once('.') {
        Some((bare, variant)) => (bare, Some(variant)),
        None => (last, None),
    };
    let is_name = |given: &str| match given.rsplit_once('/') {
        Some(given) => given == (folders, bare),
        None => given == bare,
    };
    let name = metadata.name().filter(|given| !is_name(given)).map(|given| ("name", given));
    let variant = metadata.variant().filter(|given| Some(*given) != variant);
    name.into_iter().chain(variant.map(|given| ("variant", given)))
}

fn read_raw_key<T>(
    metadata: &Metadata,
    key: &str,
    read: impl Fn(&Value) -> Option<T>,
) -> Option<T> {
    metadata.raw()?.get(key).and_then(read)
}

fn text_of_value(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

fn prompt_options(metadata: &Metadata) -> PromptOptions {
    let mut options = PromptOptions::default().with_tools(metadata.tools());
    if let Some(model) = metadata.model() {
        options = options.with_model(model);
    }
    if let Some(config) = metadata.config() {
        options = options.with_config(config.clone());
    }
    if let Some(rounds) = metadata.max_turns() {
        options = options.with_max_turns(usize::try_from(rounds).unwrap_or(usize::MAX));
    }
    if let Some(choice) = metadata.tool_choice().and_then(tool_choice) {
        options = options.with_tool_choice(choice);
    }
    if let Some(yes) = metadata.return_tool_requests() {
        options = options.with_return_tool_requests(yes);
    }
    if let Some(Value::Array(middleware)) = metadata.uses() {
        options = options.with_middleware(middleware.iter().cloned());
    }
    match output_options(metadata) {
        Some(output) => options.with_output(output),
        None => options,
    }
}

fn output_options(metadata: &Metadata) -> Option<OutputOptions> {
    let section = metadata.get("output")?;
    let instructions = match &section["instructions"] {
        Value::Bool(yes) => Some(Instructions::from(*yes)),
        Value::String(text) => Some(Instructions::Text(text.clone())),
        _ => None,
    };
    let output = OutputOptions {
        format: metadata.output_format().map(str::to_owned),
        content_type: text_of_value(&section["contentType"]),
        instructions,
        json_schema: metadata.output_schema().cloned().map(Into::into),
        constrained: section["constrained"].as_bool(),
    };
    Some(output).filter(|output| *output != OutputOptions::default())
}

/// Returns the input schema, with defaults.
fn input_schema(file: &str, metadata: &Metadata) -> Result<Option<Value>, E> {
    let Some(mut schema) = metadata.input_schema().cloned() else { return Ok(None) };
    let is_object = schema.get("type").is_none_or(|kind| kind == "object");
    let Some(fields) = schema.as_object_mut().filter(|_| is_object) else {
        return Err(E::InputNoObject(file.to_owned()));
    };
    fields.entry("type").or_insert_with(|| "object".into());
    if let Some(Value::Object(properties)) = fields.get_mut("properties") {
        for (name, default) in metadata.input_default().into_iter().flatten() {
            if let Some(Value::Object(property)) = properties.get_mut(name) {
                property.insert("default".to_owned(), default.clone());
            }
        }
    }
    Ok(Some(schema))
}

fn tool_choice(name: &str) -> Option<ToolChoice> {
    match name {
        "auto" => Some(ToolChoice::Auto),
        "required" => Some(ToolChoice::Required),
        "none" => Some(ToolChoice::None),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn name_is_compared_with_that_of_the_file() {
        let found = |prompt: &str, given: Value| {
            let Value::Object(map) = given else { unreachable!("a map") };
            let metadata = Metadata::from(map);
            find_misnamed(prompt, &metadata).map(|(key, _)| key).collect::<Vec<_>>()
        };
        for name in ["reply", "mail/reply"] {
            let given = json!({"name": name, "variant": "formal"});
            assert_eq!(found("mail/reply.formal", given), [""; 0]);
        }
        assert_eq!(found("mail/reply", json!({})), [""; 0]);
        for name in ["rep", "mail", "post/reply", "reply.formal"] {
            assert_eq!(found("mail/reply.formal", json!({"name": name})), ["name"], "{name}");
        }
        assert_eq!(found("reply.formal", json!({"name": "reply", "variant": "form"})), ["variant"]);
        assert_eq!(found("formal", json!({"variant": "formal"})), ["variant"]);
    }
}
