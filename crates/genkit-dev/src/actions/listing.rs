//! The list of all actions, as sent to the Developer UI and the CLI. Missing members are omitted, never null.

use serde_json::{Map, Value, json};

use super::ActionsByKey;
use super::genkit_schemas as schemas;
use super::key::ActionType;
use super::metadata::merge_metadata;
use genkit_agent::Instance;
use genkit_core::internal::action::CustomAction;
use genkit_core::internal::redact::without_account_settings;
use genkit_core::{Flow, Prompt, PromptTool, Resource, Tool};
use genkit_model::Model;

/// An action in the list.
struct ListedAction {
    kind: ActionType,
    name: String,
    description: String,
    input: Option<Value>,
    output: Option<Value>,
    metadata: Map<String, Value>,
}

impl ListedAction {
    fn new(kind: ActionType, name: &str, description: &str) -> Self {
        let (name, description) = (name.to_owned(), description.to_owned());
        Self { kind, name, description, input: None, output: None, metadata: Map::new() }
    }

    fn with_input(mut self, schema: Value) -> Self {
        self.input = Some(schema);
        self
    }

    fn with_output(mut self, schema: Option<Value>) -> Self {
        self.output = schema;
        self
    }

    fn with_metadata(mut self, metadata: Map<String, Value>) -> Self {
        self.metadata = metadata;
        self
    }

    fn into_json(self) -> (String, Value) {
        let key = self.kind.format_key(&self.name);
        let mut json = Map::new();
        json.insert("key".to_owned(), key.as_str().into());
        json.insert("name".to_owned(), self.name.into());
        if !self.description.is_empty() {
            json.insert("description".to_owned(), self.description.into());
        }
        let schemas = [("inputSchema", self.input), ("outputSchema", self.output)];
        // The Developer UI and the CLI do not accept `true` as a schema.
        for (name, schema) in schemas {
            if let Some(schema @ Value::Object(_)) = schema {
                json.insert(name.to_owned(), schema);
            }
        }
        if !self.metadata.is_empty() {
            json.insert("metadata".to_owned(), self.metadata.into());
        }
        (key, json.into())
    }
}

impl ActionsByKey {
    /// Lists all actions by key.
    pub(crate) fn list_actions(&self) -> Map<String, Value> {
        let mut all = Map::new();
        for genkit in self.instances() {
            for listed in list_actions(&genkit) {
                let (key, json) = listed.into_json();
                all.entry(key).or_insert(json);
            }
        }
        all
    }
}

fn list_actions(genkit: &Instance) -> Vec<ListedAction> {
    let registry = &genkit.registry;
    let mut all: Vec<ListedAction> = registry.flows().iter().map(list_flow).collect();
    all.extend(registry.tools().iter().flat_map(list_tool));
    all.extend(genkit.runs.models.known().iter().map(|known| list_model(&**known)));
    all.extend(
        genkit.runs.models.known_embedders().iter().map(|known| list_embedder(known.name())),
    );
    all.extend(registry.prompts().iter().flat_map(prompt));
    all.extend(registry.resources().iter().map(list_resource));
    all.extend(registry.custom_actions().iter().map(|custom| list_custom(&**custom)));
    all.push(
        ListedAction::new(
            ActionType::Util,
            "generate",
            "Calls a model, and runs the tools that the model requests.",
        )
        .with_input(schemas::generate_options())
        .with_output(Some(schemas::model_response())),
    );
    all
}

fn list_flow(flow: &Flow) -> ListedAction {
    ListedAction::new(ActionType::Flow, flow.name(), flow.description())
        .with_input(flow.schemas().portable_input().clone())
        .with_output(flow.schemas().portable_output().cloned())
        .with_metadata(merge_metadata(flow.metadata(), Value::Null))
}

/// Lists a tool twice: with its value only, and with its content.
fn list_tool(tool: &Tool) -> [ListedAction; 2] {
    let (schemas, author) = (tool.schemas(), tool.metadata());
    let output = schemas.portable_output();
    let listed = |kind| {
        ListedAction::new(kind, tool.name(), tool.description())
            .with_input(schemas.portable_input().clone())
    };
    let multipart = json!({"type": "tool.v2", "tool": {"multipart": true}, "dynamic": true});
    [
        listed(ActionType::Tool)
            .with_output(output.cloned())
            .with_metadata(merge_metadata(author, json!({"type": "tool"}))),
        listed(ActionType::MultipartTool)
            .with_output(Some(schemas::multipart_output(output)))
            .with_metadata(merge_metadata(author, multipart)),
    ]
}

fn list_model(model: &dyn Model) -> ListedAction {
    let info = model.info();
    let label = info.label.clone().unwrap_or_else(|| model.name().to_owned());
    let mut shown = serde_json::to_value(&info).unwrap_or_default();
    shown["label"] = label.as_str().into();
    // The Developer UI expects the settings of a model under the name that Genkit's own models use.
    if let Some(schema) = info.config_schema {
        shown["customOptions"] = schema;
    }
    ListedAction::new(ActionType::Model, model.name(), &label)
        .with_input(schemas::model_request())
        .with_output(Some(schemas::model_response()))
        .with_metadata(merge_metadata(&Map::new(), json!({"type": "model", "model": shown})))
}

fn prompt(prompt: &Prompt) -> [ListedAction; 2] {
    let input = prompt.schemas().portable_input();
    let listed = |kind, name: &str| {
        let shown = prompt_metadata(prompt);
        ListedAction::new(kind, prompt.name(), prompt.description())
            .with_input(input.clone())
            .with_metadata(merge_metadata(
                prompt.metadata(),
                json!({"type": name, "prompt": shown}),
            ))
    };
    [
        listed(ActionType::Prompt, "prompt").with_output(Some(schemas::model_request())),
        listed(ActionType::ExecutablePrompt, "executablePrompt")
            .with_output(Some(schemas::generate_options())),
    ]
}

/// Returns the metadata of a prompt, which the Developer UI displays and uses as the initial values of a
/// run.
fn prompt_metadata(prompt: &Prompt) -> Value {
    let options = prompt.options();
    let input = prompt.schemas().portable_input();
    let tools: Vec<&str> = options.tools().iter().map(PromptTool::name).collect();
    // The name of a prompt without a template can contain a dot that does not mark a variant.
    let file = prompt.template().and_then(|_| prompt.name().rsplit('/').next());
    let variant = file.and_then(|file| file.split_once('.')).map(|(_, variant)| variant);
    let mut shown = json!({
        "name": prompt.name(), "input": {"schema": input}, "tools": tools,
        "use": options.middleware(),
    });
    let members = [
        ("model", options.model().map(Value::from)),
        ("template", prompt.template().map(Value::from)),
        ("maxTurns", options.max_turns().map(Value::from)),
        ("config", (!options.config().is_empty()).then(|| options.config().clone().into())),
        ("returnToolRequests", options.return_tool_requests().map(Value::from)),
        ("output", options.output().map(|output| json!(output))),
        ("version", prompt.version().map(Value::from)),
        ("variant", variant.map(Value::from)),
    ];
    for (name, value) in members {
        if let Some(value) = value {
            shown[name] = value;
        }
    }
    if let Some(choice) = options.tool_choice() {
        let (mode, tool) = choice.in_json();
        shown["toolChoice"] = mode.into();
        if let Some(tool) = tool {
            shown["toolChoiceName"] = tool.into();
        }
    }
    without_account_settings(&shown)
}

fn list_embedder(name: &str) -> ListedAction {
    let shown = json!({"type": "embedder", "embedder": {"label": name}});
    ListedAction::new(ActionType::Embedder, name, name)
        .with_input(schemas::embedder_input())
        .with_output(Some(schemas::embedder_output()))
        .with_metadata(merge_metadata(&Map::new(), shown))
}

fn list_custom(custom: &dyn CustomAction) -> ListedAction {
    let (flow, mut listing) = (custom.flow(), custom.to_listing());
    ListedAction::new(ActionType::Custom(custom.kind()), flow.name(), flow.description())
        .with_input(listing["inputSchema"].take())
        .with_output(Some(listing["outputSchema"].take()))
        .with_metadata(merge_metadata(flow.metadata(), listing["metadata"].take()))
}

fn list_resource(resource: &Resource) -> ListedAction {
    let place = if resource.is_template() { "template" } else { "uri" };
    let own = json!({"type": "resource", "dynamic": false, "resource": {place: resource.uri()}});
    ListedAction::new(ActionType::Resource, resource.name(), resource.description())
        .with_input(schemas::resource_input())
        .with_output(Some(schemas::resource_output()))
        .with_metadata(merge_metadata(resource.metadata(), own))
}
