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
    impl __genkit::Function for greet {
        type Output = __genkit::PromptOutput;
        fn call(
            __context: &__genkit::Context,
            __arguments: __genkit::Arguments,
        ) -> __genkit::Calling<'_, __genkit::PromptOutput> {
            __genkit::Lend::<()>::of()
                .calling(async move {
                    let __input = __genkit::Input::<__Input>::new().read(__arguments)?;
                    let __returned = __genkit::Returned(
                            greet(__input.department, __input.tone).await,
                        )
                        .split()
                        .map_err(|__error| __genkit::Failure::into_error(__error))?;
                    __genkit::Result::Ok(__genkit::IntoPrompt::into_prompt(__returned.0))
                })
        }
        fn input_schema() -> __genkit::Value {
            __genkit::Input::<__Input>::new().schema()
        }
    }
    impl __genkit::PromptFn for greet {
        const DEFINITION: &'static __genkit::PromptDefinition = &__genkit::PromptDefinition::new::<
            Self,
        >(
                __genkit::Described::new(
                        "greet",
                        "Greets somebody of a department.",
                        ::core::file!(),
                        ::core::line!(),
                    )
                    .metadata(|| __genkit::serde_json::json!({ "owner" : "people" })),
            )
            .version("2")
            .completers(
                &[
                    (
                        "department",
                        |asked| __genkit::Completes::complete(departments, asked),
                    ),
                    ("tone", |asked| __genkit::suggest(&asked, &["formal", "warm"])),
                ],
            );
    }
    __genkit::submit!(Prompt, greet, PromptFn);
};
