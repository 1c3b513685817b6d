//! The macros that list annotated functions: `tools![..]`, `prompts![..]`, `resources![..]`, `flows![..]`, and
//! `actions![..]` for several kinds.

/// Lists annotated functions as tools: `tools![get_weather, add_note]`. A name that is not a `#[tool]` function is a
/// compile error.
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
/// The compile error "`add` is a function item, not a type" means that `add` has no `#[tool]`.
#[macro_export]
macro_rules! tools {
    ($($function:ty),* $(,)?) => { ::std::vec![$($crate::Tool::of::<$function>()),*] };
}

/// Lists annotated functions of any kind as actions: `actions![get_weather, summarize, note, nightly]`.
///
/// Pass the list to a registry or to `GenkitBuilder`. A name that is not an annotated function
/// is a compile error.
///
/// ```
/// use genkit::{Registry, actions, prompt, resource, tool};
///
/// /// Adds.
/// #[tool]
/// async fn add(a: i64, b: i64) -> i64 { a + b }
///
/// /// Requests a poem.
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
    // Pass the path of the crate, so that a macro of another crate can name it.
    ($($folder:tt)*) => { $crate::__private::prompt_folder! { [$crate] $($folder)* } };
}

/// Lists annotated functions as resources: `resources![note, index]`.
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

/// Lists annotated functions as flows: `flows![nightly]`.
///
/// ```
/// use genkit::{Registry, flow, flows};
///
/// /// Greets a person.
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

/// Embeds a folder of [skills](crate::skill::Skill) in the program. The files are read, checked and hashed at compile time
/// (feature `skills`).
///
/// Every folder with a `SKILL.md` becomes a skill of the program's registry, and servers list it. The generated
/// module `skills` has a function `all()`, for use with a custom registry. An invalid name or frontmatter, and a link
/// in a `SKILL.md` to a missing file, are compile errors with file and line.
///
/// ```ignore
/// genkit::skills!("skills"); // next to `Cargo.toml`
/// genkit::skills!(pub mod know = "res/skills"); // the module `know`
///
/// let registry = genkit::Registry::new().add(know::all());
/// ```
///
/// A change to a file triggers a rebuild. A new file is detected only when another file of the folder changes.
#[macro_export]
macro_rules! skills {
    // Pass the path of the crate, so that a macro of another crate can name it.
    ($($folder:tt)*) => { $crate::__private::skill_folder! { [$crate] $($folder)* } };
}

/// Returns the metadata of the program's package, for [`McpServer::package`](crate::mcp::McpServer::package): the name,
/// version, description, authors, license, repository and homepage in `Cargo.toml` (feature `mcp-server`).
///
/// ```ignore
/// genkit::serve_mcp().package(genkit::package!()).cli().await
/// ```
#[macro_export]
macro_rules! package {
    () => {
        $crate::mcp::server::Package::new([
            ::core::env!("CARGO_PKG_NAME"),
            ::core::env!("CARGO_PKG_VERSION"),
            ::core::env!("CARGO_PKG_DESCRIPTION"),
            ::core::env!("CARGO_PKG_AUTHORS"),
            ::core::env!("CARGO_PKG_LICENSE"),
            ::core::env!("CARGO_PKG_REPOSITORY"),
            ::core::env!("CARGO_PKG_HOMEPAGE"),
        ])
    };
}
