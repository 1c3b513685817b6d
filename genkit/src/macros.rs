//! The macros that list annotated functions: `tools![..]`, `prompts![..]`, `resources![..]`, `flows![..]`, and
//! `actions![..]` for several kinds.

/// Annotated functions as tools: `tools![get_weather, add_note]`. A name that is no `#[tool]`
/// does not compile.
///
/// ```
/// use genkit::{Registry, tool, tools};
///
/// /// Adds.
/// #[tool]
/// async fn add(a: i64, b: i64) -> i64 { a + b }
///
/// let registry = Registry::new().add(tools![add]);
/// assert_eq!(registry.tools().len(), 1);
/// ```
///
/// "`add` is a function item, not a type" means that there is no `#[tool]` above `add`.
#[macro_export]
macro_rules! tools {
    ($($function:ty),* $(,)?) => { ::std::vec![$($crate::Tool::of::<$function>()),*] };
}

/// Annotated functions of any kind as actions: `actions![get_weather, summarize, note, nightly]`.
///
/// A registry takes it, or `GenkitBuilder`. A name that is no annotated function
/// does not compile.
///
/// ```
/// use genkit::{Registry, actions, prompt, resource, tool};
///
/// /// Adds.
/// #[tool]
/// async fn add(a: i64, b: i64) -> i64 { a + b }
///
/// /// Asks for a poem.
/// #[prompt]
/// async fn poem(topic: String) -> String { format!("A poem about {topic}, please.") }
///
/// /// The manual.
/// #[resource("doc://manual")]
/// async fn manual() -> &'static str { "# Manual" }
///
/// let registry = Registry::new().add(actions![add, poem, manual]);
/// assert_eq!(registry.tools().len() + registry.prompts().len() + registry.resources().len(), 3);
/// ```
#[macro_export]
macro_rules! actions {
    ($($function:ty),* $(,)?) => { ::std::vec![$($crate::Action::of::<$function>()),*] };
}

#[doc = include_str!("docs/prompts.md")]
#[macro_export]
macro_rules! prompts {
    ($($function:ty),* $(,)?) => { ::std::vec![$($crate::Prompt::of::<$function>()),*] };
    // The library is handed on, so that a macro of another crate can name it.
    ($($folder:tt)*) => { $crate::__private::prompt_folder! { [$crate] $($folder)* } };
}

/// Annotated functions as resources: `resources![note, index]`.
///
/// ```
/// use genkit::{Registry, resource, resources};
///
/// /// The manual.
/// #[resource("doc://manual")]
/// async fn manual() -> &'static str { "# Manual" }
///
/// let registry = Registry::new().add(resources![manual]);
/// assert_eq!(registry.resources().len(), 1);
/// ```
#[macro_export]
macro_rules! resources {
    ($($function:ty),* $(,)?) => { ::std::vec![$($crate::Resource::of::<$function>()),*] };
}

/// Annotated functions as flows: `flows![nightly]`.
///
/// ```
/// use genkit::{Registry, flow, flows};
///
/// /// Greets somebody.
/// #[flow]
/// async fn greet(name: String) -> String { format!("Hello, {name}!") }
///
/// let registry = Registry::new().add(flows![greet]);
/// assert_eq!(registry.flows().len(), 1);
/// ```
#[macro_export]
macro_rules! flows {
    ($($function:ty),* $(,)?) => { ::std::vec![$($crate::Flow::of::<$function>()),*] };
}

/// A folder of [skills](crate::skill::Skill) in the program: read, checked and hashed at compile time (feature `skills`).
///
/// Every folder with a `SKILL.md` becomes a skill of the program's registry, so that a server lists it; the module
/// `skills` has `all()`, for a registry of one's own. A name or a frontmatter by no rule, and a link of a `SKILL.md` to a
/// file that is not there, do not compile: the message has file and line.
///
/// ```ignore
/// genkit::skills!("skills"); // beside `Cargo.toml`
/// genkit::skills!(pub mod know = "res/skills"); // the module `know`
///
/// let registry = genkit::Registry::new().add(know::all());
/// ```
///
/// A change of a file rebuilds; a file that is new in the folder does with the next change of another.
#[macro_export]
macro_rules! skills {
    // The library is handed on, so that a macro of another crate can name it.
    ($($folder:tt)*) => { $crate::__private::skill_folder! { [$crate] $($folder)* } };
}
