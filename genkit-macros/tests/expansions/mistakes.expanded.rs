::core::compile_error! {
    "`#[tool]` has no option `titel`\nhelp: did you mean `title`? `#[tool]` takes `name`, `title`, `description`, `tags`, `metadata`, `crate`, `icons`, `read_only`, `destructive`, `idempotent`, `open_world`, `needs_approval`, `at_most_once`, `lazy`, `task`, `retry`, `timeout`, `permit`, `max_output`, `ui`, `visibility` and `output_schema`"
}
::core::compile_error! {
    "`timeout` takes a duration with its unit in quotes\nhelp: write it like this: `timeout = \"30s\"`"
}
::core::compile_error! {
    "a tool must be `async`: calls run concurrently and can be cancelled\nhelp: write `async fn get_weather`"
}
::core::compile_error! {
    "`get_weather` has no description: a model chooses tools by their descriptions\nhelp: write a doc comment above it: `/// What it does, and when to use it.`"
}
::core::compile_error! {
    "`&str` cannot be an argument: arguments must be owned, and the framework injects parameters taken by reference\nhelp: take it by value: `String`"
}
fn get_weather(city: &str) -> String {
    city.to_owned()
}
#[doc(hidden)]
#[allow(non_camel_case_types)]
struct get_weather {}
const _: () = {
    use ::genkit::__private as __genkit;
    impl __genkit::ToolFn for get_weather {
        const DEFINITION: &'static __genkit::StaticTool = &__genkit::StaticTool::with(
            __genkit::StaticInfo::new("", ""),
            __genkit::Function::new(
                __genkit::Input::Fields(&[]),
                |_, _| { ::core::unreachable!() },
            ),
        );
    }
    impl __genkit::AnnotatedFn for get_weather {
        const LINKED: __genkit::Linked = __genkit::Linked::tool::<Self>();
    }
};
