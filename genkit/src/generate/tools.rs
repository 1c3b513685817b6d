//! Which tools a run offers, and which of them a model means.

use std::collections::HashMap;

use crate::action::Tool;
use crate::context::TypeMap;
use crate::error::{Error, Result};
use crate::glob::glob;
use crate::model::ToolDefinition;
use crate::registry::{Registry, verify_tool};
use crate::suggest;

/// A tool, or the way to find some: a value, a name, a pattern with `*`, a tag.
///
/// ```standalone_crate
/// use genkit::testing::ScriptedModel;
/// use genkit::{ToolRef, tool, tools};
///
/// /// Adds.
/// #[tool(tags("maths"))]
/// async fn add(a: i64, b: i64) -> i64 { a + b }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> genkit::Result<()> {
/// let ask = |tools: Vec<ToolRef>| {
///     genkit::generate("1 + 1?").model(ScriptedModel::text("2")).tools(tools)
/// };
/// ask(vec![tools![add].remove(0).into()]).await?; // a value: a typo does not compile
/// ask(vec!["add".into()]).await?; // by name, from the registry
/// ask(vec!["ad*".into()]).await?; // by pattern
/// ask(vec![ToolRef::tagged("maths")]).await?;
/// assert!(ask(vec!["substract".into()]).await.is_err());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct ToolRef(Kind);

#[derive(Clone, Debug)]
enum Kind {
    Value(Tool),
    Name(String),
    Tag(String),
}

impl ToolRef {
    /// Every tool of the registry with this tag.
    pub fn tagged(tag: impl Into<String>) -> Self {
        Self(Kind::Tag(tag.into()))
    }

    fn find(&self, registry: &Registry) -> Result<Vec<Tool>> {
        let found = match &self.0 {
            Kind::Value(tool) => return Ok(vec![tool.clone()]),
            Kind::Name(name) if !name.contains('*') => {
                // Genkit's developer tools name actions by their whole key.
                let short = name.strip_prefix("/tool/").unwrap_or(name);
                return registry.tool(short).map(|tool| vec![tool]).ok_or_else(|| {
                    let tools = registry.tools();
                    Error::not_found(suggest::unknown("tool", short, tools.iter().map(Tool::name)))
                });
            }
            Kind::Name(pattern) => {
                registry.tools().into_iter().filter(|tool| glob(pattern, tool.name())).collect()
            }
            Kind::Tag(tag) => {
                let tagged = |tool: &Tool| tool.tags().any(|of_tool| of_tool == tag);
                registry.tools().into_iter().filter(tagged).collect::<Vec<_>>()
            }
        };
        if found.is_empty() {
            let said = match &self.0 {
                Kind::Tag(tag) => format!("no tool of the registry has the tag `{tag}`"),
                _ => format!("no tool of the registry fits `{self}`"),
            };
            return Err(Error::not_found(said));
        }
        Ok(found)
    }
}

impl std::fmt::Display for ToolRef {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match &self.0 {
            Kind::Value(tool) => tool.name(),
            Kind::Name(name) | Kind::Tag(name) => name,
        })
    }
}

impl From<Tool> for ToolRef {
    fn from(tool: Tool) -> Self {
        Self(Kind::Value(tool))
    }
}

impl From<&Tool> for ToolRef {
    fn from(tool: &Tool) -> Self {
        tool.clone().into()
    }
}

impl From<&str> for ToolRef {
    fn from(name: &str) -> Self {
        name.to_owned().into()
    }
}

impl From<String> for ToolRef {
    fn from(name: String) -> Self {
        Self(Kind::Name(name))
    }
}

/// A list of tools: `tools![..]`, or an array or list of [`Tool`]s, names, patterns or
/// [`ToolRef`]s.
///
/// ```
/// use genkit::{IntoTools, tool, tools};
///
/// /// Adds.
/// #[tool]
/// async fn add(a: i64, b: i64) -> i64 { a + b }
///
/// assert_eq!(tools![add].into_tools().len(), 1);
/// assert_eq!(["add", "fs/*"].into_tools().len(), 2);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a list of tools",
    label = "not tools",
    note = "write `tools![name, ..]` for annotated functions, or give an array of `Tool`s, names or patterns"
)]
pub trait IntoTools {
    /// As references.
    fn into_tools(self) -> Vec<ToolRef>;
}

#[diagnostic::do_not_recommend]
impl<I: IntoIterator<Item: Into<ToolRef>>> IntoTools for I {
    fn into_tools(self) -> Vec<ToolRef> {
        self.into_iter().map(Into::into).collect()
    }
}

/// The tools of one run.
#[derive(Debug, Default)]
pub(super) struct Toolbox {
    tools: Vec<Tool>,
    by_name: HashMap<String, usize>,
}

impl Toolbox {
    /// Finds all of `wanted`; two of one name are an error that names both.
    pub(super) fn find(wanted: &[ToolRef], registry: &Registry, states: &TypeMap) -> Result<Self> {
        let mut toolbox = Self::default();
        for reference in wanted {
            for tool in reference.find(registry)? {
                verify_tool(&tool, states)?;
                toolbox.add(tool)?;
            }
        }
        Ok(toolbox)
    }

    pub(super) fn add(&mut self, tool: Tool) -> Result<()> {
        if let Some(&other) = self.by_name.get(tool.name()) {
            let other = &self.tools[other];
            if tool.is(other) {
                return Ok(());
            }
            return Err(Error::invalid_argument(format!(
                "{} and {} have one name, and the model could reach only one of them: rename one",
                tool.info().label("tool"),
                other.info().label("tool"),
            )));
        }
        self.by_name.insert(tool.name().to_owned(), self.tools.len());
        self.tools.push(tool);
        Ok(())
    }

    /// The tool that a model means: by its name, or by the part after the last `/` where only one
    /// has it, as Genkit's models name them.
    pub(super) fn get(&self, name: &str) -> Option<&Tool> {
        if let Some(&at) = self.by_name.get(name) {
            return self.tools.get(at);
        }
        let mut short = self
            .tools
            .iter()
            .filter(|tool| tool.name().rsplit_once('/').is_some_and(|(_, short)| short == name));
        match (short.next(), short.next()) {
            (Some(tool), None) => Some(tool),
            _ => None,
        }
    }

    /// What the model is told when it asks for a tool that is not there.
    pub(super) fn unknown(&self, name: &str) -> String {
        suggest::unknown("tool", name, self.tools.iter().map(Tool::name))
    }

    pub(super) fn definitions(&self) -> Vec<ToolDefinition> {
        self.tools
            .iter()
            .map(|tool| {
                let [input, output] = tool.schemas().shared();
                let mut definition =
                    ToolDefinition::new(tool.name(), tool.description()).with_shared(input, output);
                definition.metadata = tool.metadata().clone();
                definition
            })
            .collect()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }
}
