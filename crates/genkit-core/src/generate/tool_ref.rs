//! Tool references: how a request refers to its tools.

use std::sync::Arc;

use crate::action::Tool;
use crate::error::Result;
use crate::future::BoxFuture;
use crate::generate::error::Error as E;
use crate::glob::matches_glob;
use crate::names::suggest;
use crate::registry::Registry;

/// A reference to tools: a value, a name, a pattern with `*`, a tag, or a source that lists tools.
///
/// ```standalone_crate
/// use genkit::testing::ScriptedModel;
/// use genkit::generate::ToolRef;
/// use genkit::{tool, tools};
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
#[derive(Clone)]
pub struct ToolRef(Kind);

#[derive(Clone)]
enum Kind {
    Value(Tool),
    Name(String),
    Tag(String),
    Live(Arc<dyn ToolSource>),
}

impl std::fmt::Debug for ToolRef {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ToolRef({self})")
    }
}

/// A source of tools that may change. A run lists them again before each turn.
///
/// ```standalone_crate
/// use genkit::testing::ScriptedModel;
/// use genkit::generate::{ToolRef, ToolSource};
/// use genkit::{BoxFuture, Result, Tool, tool, tools};
///
/// /// Adds.
/// #[tool]
/// async fn add(a: i64, b: i64) -> i64 { a + b }
///
/// struct Plugins;
///
/// impl ToolSource for Plugins {
///     fn tools(&self) -> BoxFuture<'_, Result<Vec<Tool>>> {
///         Box::pin(async { Ok(tools![add]) }) // … the plugins that are loaded now …
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<()> {
/// genkit::generate("1 + 1?")
///     .model(ScriptedModel::text("2"))
///     .tools([ToolRef::live(Plugins)])
///     .await?;
/// # Ok(())
/// # }
/// ```
pub trait ToolSource: Send + Sync + 'static {
    /// Returns the current tools.
    ///
    /// # Errors
    /// Returns an error if the tools cannot be listed. A new run then does not start; a run in
    /// progress continues with the tools it has.
    fn tools(&self) -> BoxFuture<'_, Result<Vec<Tool>>>;
}

impl ToolRef {
    /// Creates a reference to all tools of the registry with this tag.
    pub fn tagged(tag: impl Into<String>) -> Self {
        Self(Kind::Tag(tag.into()))
    }

    /// Creates a reference to live tools, which are listed again before each turn.
    pub fn live(source: impl ToolSource) -> Self {
        Self(Kind::Live(Arc::new(source)))
    }

    #[doc(hidden)]
    pub fn is_live(&self) -> bool {
        matches!(self.0, Kind::Live(_))
    }

    /// Returns the names of the current tools. A plain name is returned even if the tool does not exist.
    #[doc(hidden)]
    pub async fn tool_names(&self, registry: &Registry) -> Result<Vec<String>> {
        match &self.0 {
            Kind::Name(name) if !name.contains('*') => Ok(vec![name.clone()]),
            _ => Ok(self
                .find_tools(registry)
                .await?
                .iter()
                .map(|tool| tool.name().to_owned())
                .collect()),
        }
    }

    #[doc(hidden)]
    pub async fn find_tools(&self, registry: &Registry) -> Result<Vec<Tool>> {
        let (found, error): (Vec<Tool>, _) = match &self.0 {
            Kind::Value(tool) => return Ok(vec![tool.clone()]),
            Kind::Live(source) => return source.tools().await,
            Kind::Name(name) if !name.contains('*') => {
                // Genkit's developer tools name actions by their full key.
                let key = name.strip_prefix("/tool/").or_else(|| name.strip_prefix("/tool.v2/"));
                let short = key.unwrap_or(name);
                let unknown = || {
                    let tools = registry.tools();
                    E::UnknownTool(suggest::unknown_name(
                        "tool",
                        short,
                        tools.iter().map(Tool::name),
                    ))
                };
                return Ok(vec![registry.tool(short).ok_or_else(unknown)?]);
            }
            Kind::Name(pattern) => {
                let fits = |tool: &Tool| matches_glob(pattern, tool.name());
                (
                    registry.tools().into_iter().filter(fits).collect(),
                    E::NoMatchingTool(pattern.clone()),
                )
            }
            Kind::Tag(tag) => {
                let is_tagged = |tool: &Tool| tool.tags().any(|of_tool| of_tool == tag);
                (
                    registry.tools().into_iter().filter(is_tagged).collect(),
                    E::UnknownTag(tag.clone()),
                )
            }
        };
        if found.is_empty() { Err(error.into()) } else { Ok(found) }
    }
}

impl std::fmt::Display for ToolRef {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match &self.0 {
            Kind::Value(tool) => tool.name(),
            Kind::Name(name) | Kind::Tag(name) => name,
            Kind::Live(_) => "live tools",
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

/// A list of tools: `tools![..]`, or an array or list of [`Tool`]s, names, patterns or [`ToolRef`]s.
///
/// ```
/// use genkit::generate::IntoTools;
/// use genkit::{tool, tools};
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
    label = "not a list of tools",
    note = "write `tools![name, ..]` for annotated functions, or pass an array of `Tool`s, names or patterns"
)]
pub trait IntoTools {
    /// Converts this value into tool references.
    fn into_tools(self) -> Vec<ToolRef>;
}

#[diagnostic::do_not_recommend]
impl<I: IntoIterator<Item: Into<ToolRef>>> IntoTools for I {
    fn into_tools(self) -> Vec<ToolRef> {
        self.into_iter().map(Into::into).collect()
    }
}
