//! Corrected versions of the cases of `options`, each in a module with the name of the case.

#![deny(warnings)]

mod unknown_but_near {
    use genkit::{Tool, tool};

    /// Says hello.
    #[tool(read_only)]
    async fn hello() -> String {
        "hello".to_owned()
    }

    pub fn check() {
        let it = Tool::of::<hello>();
        assert_eq!(it.annotations().read_only, Some(true));
    }
}

mod unknown {
    use genkit::{Tool, tool};

    /// Says hello.
    #[tool(idempotent = false, open_world)]
    async fn hello() -> String {
        "hello".to_owned()
    }

    pub fn check() {
        let it = Tool::of::<hello>();
        assert_eq!(
            (it.annotations().idempotent, it.annotations().open_world),
            (Some(false), Some(true))
        );
    }
}

mod retry_is_wrong {
    use genkit::action::ToolRetry;
    use genkit::{Tool, tool};
    use std::time::Duration;

    /// Says hello.
    #[tool(retry(max_retries = 5, initial_delay = "1s", backoff = 2, max_delay = "1m"))]
    async fn hello() -> String {
        "hello".to_owned()
    }

    /// Has the default retries.
    #[tool(retry)]
    async fn default() {}

    pub fn check() {
        let expected = ToolRetry::new().max_retries(5).initial_delay(Duration::from_secs(1));
        let expected = expected.backoff(2).max_delay(Duration::from_secs(60));
        assert_eq!(Tool::of::<hello>().retry_settings(), Some(expected));
        assert_eq!(Tool::of::<default>().retry_settings(), Some(ToolRetry::new()));
    }
}

mod repeated {
    use genkit::{Tool, tool};

    /// Says hello.
    #[tool(title = "Hello")]
    async fn hello() -> String {
        "hello".to_owned()
    }

    pub fn check() {
        let it = Tool::of::<hello>();
        assert_eq!(it.title(), Some("Hello"));
    }
}

mod of_another_macro {
    use genkit::{Resource, resource};

    /// Says hello.
    #[resource("hello://all", mime_type = "text/plain")]
    async fn hello() -> String {
        "hello".to_owned()
    }

    pub fn check() {
        let it = Resource::of::<hello>();
        assert_eq!(it.mime_type(), Some("text/plain"));
    }
}

mod version_of_a_prompt {
    use genkit::{Prompt, prompt};

    /// Says hello.
    #[prompt(version = "2")]
    async fn hello() -> String {
        "hello".to_owned()
    }

    pub fn check() {
        let it = Prompt::of::<hello>();
        assert_eq!(it.version(), Some("2"));
    }
}

mod of_a_tool_on_a_flow {
    use genkit::{Flow, flow};

    /// Says hello.
    #[flow(title = "Hello", tags("greeting"))]
    async fn hello() -> String {
        "hello".to_owned()
    }

    pub fn check() {
        let it = Flow::of::<hello>();
        assert_eq!(it.name(), "hello");
    }
}

mod of_an_argument {
    use genkit::tool;

    /// Says hello.
    #[tool]
    async fn hello(#[arg(default = 3)] times: usize) -> String {
        "hello".repeat(times)
    }
}

mod no_comma {
    use genkit::tool;

    /// Says hello.
    #[tool(read_only, idempotent)]
    async fn hello() -> String {
        "hello".to_owned()
    }
}

mod no_value {
    use genkit::tool;

    /// Says hello.
    #[tool(title = "Hello")]
    async fn hello() -> String {
        "hello".to_owned()
    }
}

mod no_name {
    use genkit::tool;

    /// Says hello.
    #[tool(title = "Hello")]
    async fn hello() -> String {
        "hello".to_owned()
    }
}

mod braces_without_equals {
    use genkit::{Tool, tool};

    /// Says hello.
    #[tool(metadata = { "a": 1, "b": [true, null, { "c": -1.5 }] })]
    async fn hello() -> String {
        "hello".to_owned()
    }

    pub fn check() {
        let it = Tool::of::<hello>();
        assert_eq!(it.metadata()["b"][2]["c"], -1.5);
    }
}

mod title_is_a_number {
    use genkit::tool;

    /// Says hello.
    #[tool(title = "3")]
    async fn hello() -> String {
        "hello".to_owned()
    }
}

mod title_is_empty {
    use genkit::tool;

    /// Says hello.
    #[tool(title = "…")]
    async fn hello() -> String {
        "hello".to_owned()
    }
}

mod title_without_value {
    use genkit::{Tool, tool};

    /// Says hello.
    #[tool(title = r#"A "title""#)]
    async fn hello() -> String {
        "hello".to_owned()
    }

    pub fn check() {
        let it = Tool::of::<hello>();
        assert_eq!(it.title(), Some("A \"title\""));
    }
}

mod flag_with_text {
    use genkit::tool;

    /// Says hello.
    #[tool(read_only = true)]
    async fn hello() -> String {
        "hello".to_owned()
    }
}

mod flag_with_list {
    use genkit::tool;

    /// Says hello.
    #[tool(destructive)]
    async fn hello() -> String {
        "hello".to_owned()
    }
}

mod contradiction {
    use genkit::tool;

    /// Says hello.
    #[tool(read_only = false, destructive)]
    async fn hello() -> String {
        "hello".to_owned()
    }
}

mod timeout_without_unit {
    use genkit::{Tool, tool};

    /// Says hello.
    #[tool(timeout = "30s")]
    async fn hello() -> String {
        "hello".to_owned()
    }

    pub fn check() {
        let it = Tool::of::<hello>();
        assert_eq!(it.timeout(), Some(std::time::Duration::from_secs(30)));
    }
}

mod timeout_with_odd_unit {
    use genkit::{Tool, tool};

    /// Says hello.
    #[tool(timeout = "2m")]
    async fn hello() -> String {
        "hello".to_owned()
    }

    pub fn check() {
        let it = Tool::of::<hello>();
        assert_eq!(it.timeout(), Some(std::time::Duration::from_secs(120)));
    }
}

mod timeout_of_zero {
    use genkit::{Tool, tool};

    /// Says hello.
    #[tool(timeout = "1ms")]
    async fn hello() -> String {
        "hello".to_owned()
    }

    pub fn check() {
        let it = Tool::of::<hello>();
        assert_eq!(it.timeout(), Some(std::time::Duration::from_millis(1)));
    }
}

mod size_with_odd_unit {
    use genkit::{Tool, tool};

    /// Says hello.
    #[tool(max_output = "64KiB")]
    async fn hello() -> String {
        "hello".to_owned()
    }

    pub fn check() {
        let it = Tool::of::<hello>();
        assert_eq!(it.max_output(), Some(64 * 1024));
    }
}

mod size_of_zero {
    use genkit::{Tool, tool};

    /// Says hello.
    #[tool(max_output = 1)]
    async fn hello() -> String {
        "hello".to_owned()
    }

    pub fn check() {
        let it = Tool::of::<hello>();
        assert_eq!(it.max_output(), Some(1));
    }
}

mod size_is_a_flag {
    use genkit::{Tool, tool};

    /// Says hello.
    #[tool(max_output = 65_536)]
    async fn hello() -> String {
        "hello".to_owned()
    }

    pub fn check() {
        let it = Tool::of::<hello>();
        assert_eq!(it.max_output(), Some(65_536));
    }
}

mod tags_without_parentheses {
    use genkit::{Tool, tool};

    /// Says hello.
    #[tool(tags("greeting"))]
    async fn hello() -> String {
        "hello".to_owned()
    }

    pub fn check() {
        let it = Tool::of::<hello>();
        assert!(it.tags().eq(["greeting"]));
    }
}

mod tags_without_tags {
    use genkit::{Tool, tool};

    /// Says hello.
    #[tool(tags("a", "b",))]
    async fn hello() -> String {
        "hello".to_owned()
    }

    pub fn check() {
        let it = Tool::of::<hello>();
        assert!(it.tags().eq(["a", "b"]));
    }
}

mod tag_is_no_text {
    use genkit::tool;

    /// Says hello.
    #[tool(tags("greeting"))]
    async fn hello() -> String {
        "hello".to_owned()
    }
}

mod tag_is_empty {
    use genkit::tool;

    /// Says hello.
    #[tool(tags("-"))]
    async fn hello() -> String {
        "hello".to_owned()
    }
}

mod tag_twice {
    use genkit::tool;

    /// Says hello.
    #[tool(tags("greeting", "Greeting"))]
    async fn hello() -> String {
        "hello".to_owned()
    }
}

mod icon_without_scheme {
    use genkit::tool;

    /// Says hello.
    #[tool(icons("https://example.com/sun.png", "data:image/png;base64,AA=="))]
    async fn hello() -> String {
        "hello".to_owned()
    }
}

mod metadata_is_no_object {
    use genkit::{Tool, tool};

    const OWNER: &str = "ops";

    /// Says hello.
    #[tool(metadata = { "owner": OWNER })]
    async fn hello() -> String {
        "hello".to_owned()
    }

    pub fn check() {
        let it = Tool::of::<hello>();
        assert_eq!(it.metadata()["owner"], "ops");
    }
}

mod metadata_is_no_json {
    use genkit::tool;

    /// Says hello.
    #[tool(metadata = { "owner": "ops", })]
    async fn hello() -> String {
        "hello".to_owned()
    }
}

mod crate_is_no_path {
    use genkit::tool;

    /// Says hello.
    #[tool(crate = "genkit")]
    async fn hello() -> String {
        "hello".to_owned()
    }
}

mod crate_is_elsewhere {
    use genkit::tool;

    mod elsewhere {
        pub use genkit as renamed;
    }

    /// Says hello.
    #[tool(crate = "self::elsewhere::renamed")]
    async fn hello() -> String {
        "hello".to_owned()
    }
}

mod media_type_without_slash {
    use genkit::resource;

    /// Says hello.
    #[resource("hello://all", mime_type = "text/markdown; charset=utf-8")]
    async fn hello() -> String {
        "hello".to_owned()
    }
}

mod permit_is_no_scope {
    use genkit::tool;

    /// Says hello.
    #[tool(permit = "notes:read notes:write")]
    async fn hello() -> String {
        "hello".to_owned()
    }
}

mod size_with_suffix {
    use genkit::tool;

    /// Adds two numbers.
    #[tool(max_output = "64KiB")]
    async fn add(a: i64) -> i64 {
        a
    }
}

mod hint_of_rmcp {
    use genkit::tool;

    /// Adds two numbers.
    #[tool(read_only)]
    async fn add(a: i64) -> i64 {
        a
    }
}

mod defer_of_anthropic {
    use genkit::{Tool, tool};

    /// Adds two numbers.
    #[tool(lazy)]
    async fn add(a: i64) -> i64 {
        a
    }

    pub fn check() {
        assert!(Tool::of::<add>().is_lazy());
    }
}

mod title_with_colon {
    use genkit::tool;

    /// Adds two numbers.
    #[tool(title = "Add")]
    async fn add(a: i64) -> i64 {
        a
    }
}

mod title_without_equals {
    use genkit::tool;

    /// Adds two numbers.
    #[tool(title = "Add")]
    async fn add(a: i64) -> i64 {
        a
    }
}

mod help_of_clap {
    use genkit::tool;

    /// Adds two numbers.
    #[tool]
    async fn add(a: i64) -> i64 {
        a
    }
}

fn main() {
    unknown_but_near::check();
    unknown::check();
    retry_is_wrong::check();
    repeated::check();
    of_another_macro::check();
    version_of_a_prompt::check();
    of_a_tool_on_a_flow::check();
    braces_without_equals::check();
    title_without_value::check();
    timeout_without_unit::check();
    timeout_with_odd_unit::check();
    timeout_of_zero::check();
    size_with_odd_unit::check();
    size_of_zero::check();
    size_is_a_flag::check();
    tags_without_parentheses::check();
    tags_without_tags::check();
    metadata_is_no_object::check();
    defer_of_anthropic::check();
}
