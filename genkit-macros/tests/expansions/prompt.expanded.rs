/// Greets a member of a department.
async fn greet(department: String, tone: String) -> String {
    format!("Greet {department}, {tone}.")
}
#[doc(hidden)]
///The definition of the prompt `greet`.
#[allow(non_camel_case_types)]
struct greet {}
const _: () = {
    use ::genkit::__private as __genkit;
    use __genkit::scope::*;
    fn __default_tone() -> String {
        __genkit::TextDefault::value("warm")
    }
    impl __genkit::PromptFn for greet {
        const DEFINITION: &'static __genkit::StaticPrompt = &__genkit::StaticPrompt::new(
                __genkit::StaticInfo::new("greet", "Greets a member of a department.")
                    .metadata(|| __genkit::serde_json::json!({ "owner" : "people" })),
                &[
                    __genkit::Field::new(
                        "department",
                        <String as __genkit::Argument>::TYPE,
                    ),
                    __genkit::Field::new("tone", <String as __genkit::Argument>::TYPE)
                        .default(
                            || __genkit::Box::new(__default_tone()),
                            || __genkit::Shown(__default_tone()).value(),
                        ),
                ],
                |mut __input| __genkit::calling(
                    greet(
                        __genkit::take(&mut __input, 0),
                        __genkit::take(&mut __input, 1),
                    ),
                    |__value| {
                        __genkit::Returned(__value)
                            .split()
                            .map_err(|__error| __genkit::IntoError::into_error(__error))
                            .map(|__returned| __genkit::IntoPrompt::into_prompt(
                                __returned.0,
                            ))
                    },
                ),
            )
            .version("2")
            .options(|| {
                <__genkit::PromptOptions as ::core::default::Default>::default()
                    .with_model("gemini/gemini-2.5-flash")
                    .with_config(
                        __genkit::into_config(
                            __genkit::serde_json::json!({ "temperature" : 0.2 }),
                        ),
                    )
                    .with_tools([
                        __genkit::PromptTool::Value(
                            __genkit::Tool::of::<crate::birthday_of>(),
                        ),
                        <__genkit::PromptTool as ::core::convert::From<
                            &str,
                        >>::from("calendar/*"),
                    ])
                    .with_tool_choice(
                        __genkit::ToolChoice::tool(
                            __genkit::Tool::of::<crate::birthday_of>().name(),
                        ),
                    )
                    .with_max_turns(3)
                    .with_return_tool_requests(true)
                    .with_output_schema(
                        <Greeting as __genkit::SchemaType>::read_schema(),
                    )
            })
            .completers(
                &[
                    (
                        "department",
                        |request| __genkit::Completes::complete(departments, request),
                    ),
                    (
                        "tone",
                        |request| __genkit::suggest_values(&request, &["formal", "warm"]),
                    ),
                ],
            );
    }
    impl __genkit::AnnotatedFn for greet {
        const LINKED: __genkit::Linked = __genkit::Linked::prompt::<Self>();
    }
    __genkit::submit!(greet);
};
