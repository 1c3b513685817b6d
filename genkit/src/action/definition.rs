//! The static half of an action: data in a `const`, written by a macro, read by the registry.

#![allow(missing_docs, reason = "most of this is for expansions and hidden")]

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::completion::Completer;
use super::handler::Calling;
use super::info::{Info, Location};
use super::input::Arguments;
use super::lent::Requirement;
use super::output::ToolOutput;
use super::prompt::PromptOutput;
use super::resource::ResourceOutput;
use crate::context::Context;

/// One annotated function: its input, what it is lent, what it gives, how it is called.
///
/// The macros implement it for the type that has the function's name; nothing else should.
pub trait Function: 'static {
    /// What it gives: `ToolOutput`, `PromptOutput` or `ResourceOutput`.
    type Output: Send + 'static;

    /// Reads the parameters taken by value and calls the function with what it needs.
    fn call(context: &Context, arguments: Arguments) -> Calling<'_, Self::Output>;

    /// The schema of the parameters taken by value.
    fn input_schema() -> Value;

    /// The parameters taken by reference.
    fn requirements() -> Vec<Requirement> {
        Vec::new()
    }

    /// The schema of the result, where there is one.
    fn output_schema() -> Option<Value> {
        None
    }
}

/// A function annotated with `#[tool]`.
///
/// The macro implements it for the type that has the function's name; nothing else should.
///
/// ```
/// use genkit::{Tool, ToolFn, tool};
///
/// /// Adds two numbers.
/// #[tool]
/// async fn add(a: i64, b: i64) -> i64 {
///     a + b
/// }
///
/// fn describe<F: ToolFn>() -> String {
///     Tool::of::<F>().description().to_owned()
/// }
/// assert_eq!(describe::<add>(), "Adds two numbers.");
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a `#[tool]` function",
    label = "no `#[tool]` here",
    note = "write `#[tool]` above the function, or make a tool at run time with `Tool::builder`"
)]
pub trait ToolFn: Function<Output = ToolOutput> {
    #[doc(hidden)]
    const DEFINITION: &'static ToolDefinition;
}

/// A function annotated with `#[prompt]`.
///
/// The macro implements it for the type that has the function's name; nothing else should.
///
/// ```
/// use genkit::{Prompt, PromptFn, prompt};
///
/// /// Asks for a poem.
/// #[prompt]
/// async fn poem(topic: String) -> String {
///     format!("Write a poem about {topic}.")
/// }
///
/// fn describe<F: PromptFn>() -> String {
///     Prompt::of::<F>().description().to_owned()
/// }
/// assert_eq!(describe::<poem>(), "Asks for a poem.");
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a `#[prompt]` function",
    label = "no `#[prompt]` here",
    note = "write `#[prompt]` above the function"
)]
pub trait PromptFn: Function<Output = PromptOutput> {
    #[doc(hidden)]
    const DEFINITION: &'static PromptDefinition;
}

/// A function annotated with `#[resource]`.
///
/// The macro implements it for the type that has the function's name; nothing else should.
///
/// ```
/// use genkit::{Resource, ResourceFn, resource};
///
/// /// The manual.
/// #[resource("doc://manual")]
/// async fn manual() -> &'static str {
///     "# Manual"
/// }
///
/// fn describe<F: ResourceFn>() -> String {
///     Resource::of::<F>().description().to_owned()
/// }
/// assert_eq!(describe::<manual>(), "The manual.");
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a `#[resource]` function",
    label = "no `#[resource]` here",
    note = "write `#[resource(\"uri\")]` above the function"
)]
pub trait ResourceFn: Function<Output = ResourceOutput> {
    #[doc(hidden)]
    const DEFINITION: &'static ResourceDefinition;
}

/// A function annotated with `#[flow]`.
///
/// The macro implements it for the type that has the function's name; nothing else should.
///
/// ```
/// use genkit::{Flow, FlowFn, flow};
///
/// /// Greets somebody.
/// #[flow]
/// async fn greet(name: String) -> String {
///     format!("Hello, {name}!")
/// }
///
/// fn describe<F: FlowFn>() -> String {
///     Flow::of::<F>().description().to_owned()
/// }
/// assert_eq!(describe::<greet>(), "Greets somebody.");
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a `#[flow]` function",
    label = "no `#[flow]` here",
    note = "write `#[flow]` above the function"
)]
pub trait FlowFn: Function<Output = ToolOutput> {
    #[doc(hidden)]
    const DEFINITION: &'static FlowDefinition;
}

/// Name, description and the like, as a macro writes them.
pub struct Described {
    name: &'static str,
    title: Option<&'static str>,
    description: &'static str,
    file: &'static str,
    line: u32,
    tags: &'static [&'static str],
    icons: &'static [&'static str],
    metadata: Option<fn() -> Value>,
}

impl Described {
    pub const fn new(
        name: &'static str,
        description: &'static str,
        file: &'static str,
        line: u32,
    ) -> Self {
        Self { name, title: None, description, file, line, tags: &[], icons: &[], metadata: None }
    }

    pub const fn title(mut self, title: &'static str) -> Self {
        self.title = Some(title);
        self
    }

    pub const fn tags(mut self, tags: &'static [&'static str]) -> Self {
        self.tags = tags;
        self
    }

    pub const fn icons(mut self, icons: &'static [&'static str]) -> Self {
        self.icons = icons;
        self
    }

    pub const fn metadata(mut self, metadata: fn() -> Value) -> Self {
        self.metadata = Some(metadata);
        self
    }

    pub(crate) fn info(&self) -> Info {
        Info {
            name: Cow::Borrowed(self.name),
            title: self.title.map(Cow::Borrowed),
            description: Cow::Borrowed(self.description),
            location: Some(Location { file: self.file, line: self.line }),
            tags: self.tags.iter().copied().map(Cow::Borrowed).collect(),
            icons: self.icons.iter().copied().map(Cow::Borrowed).collect(),
            metadata: self.metadata.map_or_else(Map::new, |make| match make() {
                Value::Object(map) => map,
                other => Map::from_iter([("value".to_owned(), other)]),
            }),
        }
    }
}

/// A call with its types erased: one `fn` pointer for each function of the program.
pub(crate) type Call<O> = for<'a> fn(&'a Context, Arguments) -> Calling<'a, O>;

/// What is asked of a [`Function`] without knowing its types.
pub(crate) struct Erased<O: 'static> {
    pub(crate) input: fn() -> Value,
    pub(crate) output: fn() -> Option<Value>,
    pub(crate) requirements: fn() -> Vec<Requirement>,
    pub(crate) call: Call<O>,
}

impl<O> Clone for Erased<O> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<O> Copy for Erased<O> {}

impl<O: Send + 'static> Erased<O> {
    const fn of<F: Function<Output = O>>() -> Self {
        Self {
            input: F::input_schema,
            output: F::output_schema,
            requirements: F::requirements,
            call: F::call,
        }
    }
}

/// The definition behind `#[tool]`.
pub struct ToolDefinition {
    pub(crate) described: Described,
    pub(crate) erased: Erased<ToolOutput>,
    pub(crate) read_only: Option<bool>,
    pub(crate) destructive: Option<bool>,
    pub(crate) idempotent: Option<bool>,
    pub(crate) open_world: Option<bool>,
    pub(crate) needs_approval: bool,
    pub(crate) timeout_ms: Option<u64>,
    pub(crate) max_output: Option<usize>,
}

impl ToolDefinition {
    pub const fn new<F: Function<Output = ToolOutput>>(described: Described) -> Self {
        Self {
            described,
            erased: Erased::of::<F>(),
            read_only: None,
            destructive: None,
            idempotent: None,
            open_world: None,
            needs_approval: false,
            timeout_ms: None,
            max_output: None,
        }
    }

    pub const fn read_only(mut self, yes: bool) -> Self {
        self.read_only = Some(yes);
        self
    }

    pub const fn destructive(mut self, yes: bool) -> Self {
        self.destructive = Some(yes);
        self
    }

    pub const fn idempotent(mut self, yes: bool) -> Self {
        self.idempotent = Some(yes);
        self
    }

    pub const fn open_world(mut self, yes: bool) -> Self {
        self.open_world = Some(yes);
        self
    }

    pub const fn needs_approval(mut self, yes: bool) -> Self {
        self.needs_approval = yes;
        self
    }

    /// Milliseconds.
    pub const fn timeout(mut self, milliseconds: u64) -> Self {
        self.timeout_ms = Some(milliseconds);
        self
    }

    /// Bytes of text.
    pub const fn max_output(mut self, bytes: usize) -> Self {
        self.max_output = Some(bytes);
        self
    }
}

/// The suggestions of one argument.
pub type ArgumentCompleter = (&'static str, Completer);

/// The definition behind `#[prompt]`.
pub struct PromptDefinition {
    pub(crate) described: Described,
    pub(crate) erased: Erased<PromptOutput>,
    pub(crate) version: Option<&'static str>,
    pub(crate) completers: &'static [ArgumentCompleter],
}

impl PromptDefinition {
    pub const fn new<F: Function<Output = PromptOutput>>(described: Described) -> Self {
        Self { described, erased: Erased::of::<F>(), version: None, completers: &[] }
    }

    pub const fn version(mut self, version: &'static str) -> Self {
        self.version = Some(version);
        self
    }

    pub const fn completers(mut self, completers: &'static [ArgumentCompleter]) -> Self {
        self.completers = completers;
        self
    }
}

/// The definition behind `#[resource]`.
pub struct ResourceDefinition {
    pub(crate) described: Described,
    pub(crate) erased: Erased<ResourceOutput>,
    pub(crate) uri: &'static str,
    pub(crate) mime_type: Option<&'static str>,
    pub(crate) completers: &'static [ArgumentCompleter],
}

impl ResourceDefinition {
    pub const fn new<F: Function<Output = ResourceOutput>>(
        uri: &'static str,
        described: Described,
    ) -> Self {
        Self { described, erased: Erased::of::<F>(), uri, mime_type: None, completers: &[] }
    }

    pub const fn mime_type(mut self, mime_type: &'static str) -> Self {
        self.mime_type = Some(mime_type);
        self
    }

    pub const fn completers(mut self, completers: &'static [ArgumentCompleter]) -> Self {
        self.completers = completers;
        self
    }
}

/// The definition behind `#[flow]`.
pub struct FlowDefinition {
    pub(crate) described: Described,
    pub(crate) erased: Erased<ToolOutput>,
}

impl FlowDefinition {
    pub const fn new<F: Function<Output = ToolOutput>>(described: Described) -> Self {
        Self { described, erased: Erased::of::<F>() }
    }
}

/// What the linker collects.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub enum Linked {
    Tool(&'static ToolDefinition),
    Prompt(&'static PromptDefinition),
    Resource(&'static ResourceDefinition),
    Flow(&'static FlowDefinition),
}

#[cfg(feature = "inventory")]
inventory::collect!(Linked);
