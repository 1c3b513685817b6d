//! Tools, prompts and resources as listed by a server.

use rmcp::model::{Prompt, Resource, ResourceTemplate, Tool};
use serde::Serialize;
use serde_json::{Map, Value};

use genkit_core::{PromptArgument, ToolAnnotations};

/// Defines a listed item as a wrapper of rmcp's type, with the common getters.
macro_rules! listed {
    ($(#[$doc:meta])* $name:ident($raw:ty)) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Serialize)]
        #[serde(transparent)]
        pub struct $name($raw);

        impl super::RawItem for $name {
            type Raw = $raw;

            fn raw(&self) -> &$raw {
                &self.0
            }
        }

        impl $name {
            pub(super) fn new(raw: $raw) -> Self {
                Self(raw)
            }

            /// Returns the name of the item.
            pub fn name(&self) -> &str {
                &self.0.name
            }

            /// Returns the title: the display name for users.
            pub fn title(&self) -> Option<&str> {
                self.0.title.as_deref()
            }

            /// Returns the description.
            pub fn description(&self) -> Option<&str> {
                self.0.description.as_deref()
            }

            /// Returns the URLs of the icons.
            pub fn icons(&self) -> impl Iterator<Item = &str> {
                self.0.icons.iter().flatten().map(|icon| icon.src.as_str())
            }

            /// Returns the item's metadata (`_meta`), if any.
            pub fn metadata(&self) -> Option<&Map<String, Value>> {
                self.0.meta.as_ref().map(|meta| &meta.0)
            }
        }
    };
}

listed! {
    /// A tool as listed by a server: see [`Client::tools`](super::Client::tools).
    ///
    /// ```
    /// use genkit::testing::Client;
    /// use genkit::{Genkit, Registry, tool, tools};
    ///
    /// /// Adds two numbers.
    /// #[tool(read_only)]
    /// async fn add(a: i64, b: i64) -> i64 { a + b }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> genkit::Result<()> {
    /// let genkit = Genkit::builder().registry(Registry::new().add(tools![add])).build()?;
    /// let tools = Client::connect(genkit.serve_mcp()).await?.tools().await?;
    /// assert_eq!((tools[0].name(), tools[0].description()), ("add", Some("Adds two numbers.")));
    /// assert_eq!(tools[0].input_schema()["required"][1], "b");
    /// assert!(tools[0].output_schema().is_some());
    /// assert_eq!(tools[0].annotations().read_only, Some(true));
    /// # Ok(())
    /// # }
    /// ```
    ListedTool(Tool)
}

impl ListedTool {
    /// Returns the input schema: the JSON Schema of the arguments.
    pub fn input_schema(&self) -> &Map<String, Value> {
        &self.0.input_schema
    }

    /// Returns the output schema, if any: the JSON Schema of the result.
    pub fn output_schema(&self) -> Option<&Map<String, Value>> {
        self.0.output_schema.as_deref()
    }

    /// Returns the annotations: hints on the effects of the tool.
    pub fn annotations(&self) -> ToolAnnotations {
        let Some(hints) = &self.0.annotations else { return ToolAnnotations::default() };
        let mut annotations = ToolAnnotations::default();
        annotations.read_only = hints.read_only_hint;
        annotations.destructive = hints.destructive_hint;
        annotations.idempotent = hints.idempotent_hint;
        annotations.open_world = hints.open_world_hint;
        annotations
    }
}

listed! {
    /// A prompt as listed by a server: see [`Client::prompts`](super::Client::prompts).
    ListedPrompt(Prompt)
}

impl ListedPrompt {
    /// Returns the arguments in order.
    pub fn arguments(&self) -> Vec<PromptArgument> {
        let arguments = self.0.arguments.iter().flatten().map(|argument| {
            let (name, description) = (argument.name.clone(), argument.description.clone());
            PromptArgument::new(name, description, argument.required == Some(true))
        });
        arguments.collect()
    }
}

listed! {
    /// A resource as listed by a server: see [`Client::resources`](super::Client::resources).
    ListedResource(Resource)
}

impl ListedResource {
    /// Returns the URI of the resource.
    pub fn uri(&self) -> &str {
        &self.0.uri
    }

    /// Returns the media type (MIME type) of the content, if the server declares one.
    pub fn mime_type(&self) -> Option<&str> {
        self.0.mime_type.as_deref()
    }
}

listed! {
    /// A resource template as listed by a server: see
    /// [`Client::resource_templates`](super::Client::resource_templates).
    ListedResourceTemplate(ResourceTemplate)
}

impl ListedResourceTemplate {
    /// Returns the URI template (RFC 6570).
    pub fn uri_template(&self) -> &str {
        &self.0.uri_template
    }

    /// Returns the media type (MIME type) of the content, if the server declares one.
    pub fn mime_type(&self) -> Option<&str> {
        self.0.mime_type.as_deref()
    }
}
