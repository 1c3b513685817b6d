//! Transformed tools: the same function under another name, with another description, or with arguments fixed by the
//! program.

use std::borrow::Cow;
use std::sync::Arc;

use serde::Serialize;
use serde_json::{Map, Value};

use super::Tool;
use super::settings::ToolSettings;
use crate::action::call::ActionHandler;
use crate::action::definition::Definition;
use crate::action::error::Error as E;
use crate::action::info::Info;
use crate::error::Result;
use genkit_schema::internal::strictness::Strictness;

impl Tool {
    /// Returns this tool under another name, to resolve a name conflict or to give a model a clearer name.
    ///
    /// ```
    /// use genkit::{Registry, Tool, tool};
    ///
    /// /// Searches the notes.
    /// #[tool]
    /// async fn search(words: String) -> String { words }
    ///
    /// let registry = Registry::new().add(Tool::of::<search>().renamed("search_notes"));
    /// assert!(registry.tool("search_notes").is_some() && registry.tool("search").is_none());
    /// ```
    #[must_use]
    pub fn renamed(&self, name: impl Into<String>) -> Self {
        Self::new(self.definition().with_name(name.into()), self.0.settings)
    }

    /// Returns this tool with another description.
    ///
    /// ```
    /// use genkit::{Tool, tool};
    ///
    /// /// Searches.
    /// #[tool]
    /// async fn search(words: String) -> String { words }
    ///
    /// let tool = Tool::of::<search>().described("Searches the user's notes. Call it before you add one.");
    /// assert!(tool.description().ends_with("before you add one."));
    /// ```
    #[must_use]
    pub fn described(&self, description: impl Into<String>) -> Self {
        let description = Cow::Owned(description.into());
        let info = Info { description, ..self.definition().info.clone() };
        Self::new(self.definition().with_info(info), self.0.settings)
    }

    /// Returns this tool with another [lazy](Self::is_lazy) setting.
    ///
    /// ```
    /// use genkit::{Tool, tool};
    ///
    /// /// Searches the archive.
    /// #[tool(lazy)]
    /// async fn search(words: String) -> String { words }
    ///
    /// let tool = Tool::of::<search>();
    /// assert!(tool.is_lazy() && !tool.with_lazy(false).is_lazy());
    /// ```
    #[must_use]
    pub fn with_lazy(&self, yes: bool) -> Self {
        self.with_settings(ToolSettings { lazy: yes, ..self.0.settings })
    }

    /// Returns this tool with a task setting: for MCP clients that support tasks, a long call becomes a
    /// [task](super::ToolTask). `#[tool(task)]` has the same effect on a function.
    ///
    /// ```
    /// use genkit::action::ToolTask;
    /// use genkit::testing::ScriptedModel;
    ///
    /// let clerk = genkit::generate(()).model(ScriptedModel::text("Filed."));
    /// let tool = clerk.into_tool("clerk", "Files papers.").with_task(ToolTask::new().now());
    /// assert_eq!(tool.task(), Some(ToolTask::new().now()));
    /// ```
    #[must_use]
    pub fn with_task(&self, when: super::ToolTask) -> Self {
        self.with_settings(ToolSettings { task: Some(when), ..self.0.settings })
    }

    fn with_settings(&self, settings: ToolSettings) -> Self {
        let definition = self.definition();
        Self::new(definition.with_info(definition.info.clone()), settings)
    }

    /// Fixes an argument: removes it from the schema and passes `value` in each call. A call that contains the argument
    /// is rejected. If the schema allows additional properties and the arguments are not read strictly, the sent value
    /// is replaced instead.
    ///
    /// ```
    /// use genkit::message::ToolRequest;
    /// use genkit::{Tool, tool};
    /// use serde_json::json;
    ///
    /// /// Searches a folder.
    /// #[tool]
    /// async fn search(folder: String, words: String) -> String { format!("{words} in {folder}") }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> genkit::Result<()> {
    /// let tool = Tool::of::<search>().with_fixed("folder", "/home/ada")?;
    /// assert!(tool.input_schema()["properties"].get("folder").is_none());
    ///
    /// let request = ToolRequest::new("search", json!({"words": "milk"}));
    /// let response = tool.call(&request).await?.into_response()?;
    /// assert_eq!(response.output, "milk in /home/ada");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns [`InvalidArgument`](crate::error::ErrorKind::InvalidArgument) if the tool has no such argument, or if
    /// `value` does not match the schema of the argument.
    pub fn with_fixed(&self, argument: &str, value: impl Serialize) -> Result<Self> {
        let fault = |why: String| E::FixedArgument {
            tool: self.name().to_owned(),
            argument: argument.to_owned(),
            why,
        };
        let value = genkit_schema::internal::to_finite_value(value)
            .map_err(|why| fault(why.to_string()))?;
        let Some((schemas, alone)) = self.schemas().split_argument(argument) else {
            return Err(fault("the tool has no argument with this name".to_owned()).into());
        };
        let given = Value::Object(Map::from_iter([(argument.to_owned(), value.clone())]));
        alone.check_given(given, Strictness::Exact).map_err(|why| fault(why.to_string()))?;
        let (tool, argument) = (self.clone(), argument.to_owned());
        let handler = ActionHandler::Dynamic(Arc::new(move |context, arguments| {
            let (tool, how, mut input) = (tool.clone(), arguments.how, arguments.value);
            if input.is_null() {
                input = Value::Object(Map::new());
            }
            let mut sent = None;
            if let Value::Object(input) = &mut input {
                sent = input.insert(argument.clone(), value.clone());
            }
            // The user may have approved the value that the caller sent, so it must not be replaced.
            let is_replaced = how == Strictness::Exact && sent.is_some_and(|sent| sent != value);
            let refused = is_replaced.then(|| E::ArgumentsAt {
                place: argument.clone(),
                message: "the program sets this argument; omit it".to_owned(),
            });
            Box::pin(async move {
                if let Some(refused) = refused {
                    return Err(refused.into());
                }
                tool.invoke_tool(&context, input, how).await
            })
        }));
        let definition = self.definition();
        let definition =
            Definition { schemas, handler, ..definition.with_info(definition.info.clone()) };
        Ok(Self::new(definition, self.0.settings))
    }
}
