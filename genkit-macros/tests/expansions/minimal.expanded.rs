/// Adds two numbers.
async fn add(a: i64, b: i64) -> i64 {
    a + b
}
#[doc(hidden)]
///The definition of the tool `add`.
#[allow(non_camel_case_types)]
struct add {}
const _: () = {
    use ::genkit::__private as __genkit;
    use __genkit::scope::*;
    #[derive(__genkit::serde::Deserialize, __genkit::schemars::JsonSchema)]
    #[serde(
        crate = "__genkit::serde",
        deny_unknown_fields,
        expecting = "an object with the arguments of the tool `add`"
    )]
    #[schemars(crate = "__genkit::schemars")]
    struct __Input {
        a: i64,
        b: i64,
    }
    impl __genkit::ActionFn for add {
        type Output = __genkit::ToolOutput;
        fn call(
            __context: &__genkit::Context,
            __arguments: __genkit::Arguments,
        ) -> __genkit::BoxFuture<'_, __genkit::Result<__genkit::ToolOutput>> {
            __genkit::Inject::<()>::of()
                .calling(async move {
                    let __input = __genkit::TypedInput::<__Input>::new()
                        .read(__arguments)?;
                    let __returned = __genkit::Returned(add(__input.a, __input.b).await)
                        .split()
                        .map_err(|__error| __genkit::IntoError::into_error(__error))?;
                    __genkit::IntoOutput::into_output(__returned.value())
                })
        }
        fn input_schema() -> __genkit::Value {
            __genkit::TypedInput::<__Input>::new().schema()
        }
        fn output_schema() -> __genkit::Option<__genkit::Value> {
            __genkit::Returns::<i64>::new().success().schema()
        }
    }
    impl __genkit::ToolFn for add {
        const DEFINITION: &'static __genkit::StaticTool = &__genkit::StaticTool::new::<
            Self,
        >(
            __genkit::StaticInfo::new(
                "add",
                "Adds two numbers.",
                ::core::file!(),
                ::core::line!(),
            ),
        );
    }
    impl __genkit::AnnotatedFn for add {
        const LINKED: __genkit::Linked = __genkit::Linked::Tool(
            <Self as __genkit::ToolFn>::DEFINITION,
        );
    }
    __genkit::submit!(add);
};
