/// Greets somebody of a department.
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
    #[derive(__genkit::serde::Deserialize, __genkit::schemars::JsonSchema)]
    #[serde(
        crate = "__genkit::serde",
        deny_unknown_fields,
        expecting = "an object with the arguments of the prompt `greet`"
    )]
    #[schemars(crate = "__genkit::schemars")]
    struct __Input {
        department: String,
        #[serde(default = "__default_tone")]
        tone: String,
    }
    fn __default_tone() -> String {
        __genkit::TextDefault::value("warm")
    }
    impl __genkit::ActionFn for greet {
        type Output = __genkit::PromptOutput;
        fn call(
            __context: &__genkit::Context,
            __arguments: __genkit::Arguments,
        ) -> __genkit::BoxFuture<'_, __genkit::Result<__genkit::PromptOutput>> {
            __genkit::Inject::<()>::of()
                .calling(async move {
                    let __input = __genkit::TypedInput::<__Input>::new()
                        .read(__arguments)?;
                    let __returned = __genkit::Returned(
                            greet(__input.department, __input.tone).await,
                        )
                        .split()
                        .map_err(|__error| __genkit::IntoError::into_error(__error))?;
                    __genkit::Result::Ok(__genkit::IntoPrompt::into_prompt(__returned.0))
                })
        }
        fn input_schema() -> __genkit::Value {
            __genkit::TypedInput::<__Input>::new().schema()
        }
    }
    impl __genkit::PromptFn for greet {
        const DEFINITION: &'static __genkit::StaticPrompt = &__genkit::StaticPrompt::new::<
            Self,
        >(
                __genkit::StaticInfo::new(
                        "greet",
                        "Greets somebody of a department.",
                        ::core::file!(),
                        ::core::line!(),
                    )
                    .metadata(|| __genkit::serde_json::json!({ "owner" : "people" })),
            )
            .version("2")
            .options(|| {
                <__genkit::PromptOptions as ::core::default::Default>::default()
                    .with_model("gemini/gemini-2.5-flash")
                    .with_config(
                        __genkit::config_of(
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
                    ("tone", |request| __genkit::suggest(&request, &["formal", "warm"])),
                ],
            );
    }
    impl __genkit::AnnotatedFn for greet {
        const LINKED: __genkit::Linked = __genkit::Linked::Prompt(
            <Self as __genkit::PromptFn>::DEFINITION,
        );
    }
    __genkit::submit!(greet);
};
