/// Looks for books.
async fn find(filter: Filter, limit: u8) -> Vec<Book> {
    library::find(filter, limit).await
}
#[doc(hidden)]
///The definition of the tool `find`.
#[allow(non_camel_case_types)]
struct find {}
const _: () = {
    use ::genkit::__private as __genkit;
    use __genkit::scope::*;
    type __Param0 = Filter;
    type __Output = Vec<Book>;
    #[derive(__genkit::serde::Deserialize, __genkit::schemars::JsonSchema)]
    #[serde(
        crate = "__genkit::serde",
        bound(deserialize = "__Param0: __genkit::serde::Deserialize<'de>"),
        expecting = "an object with the arguments of the tool `find`"
    )]
    #[schemars(
        bound = "for<'a> __Param0: __genkit::schemars::JsonSchema",
        crate = "__genkit::schemars"
    )]
    struct __Input<const BELIEVED: bool = true> {
        #[serde(flatten)]
        filter: __Param0,
        #[serde(rename = "max", alias = "limit")]
        #[schemars(range(min = 1, max = 50))]
        #[serde(default = "__default_limit")]
        limit: u8,
    }
    fn __default_limit() -> u8 {
        10
    }
    fn __check() {
        let _ = <Filter as __genkit::Argument>::TYPE;
    }
    impl __genkit::ToolFn for find {
        const DEFINITION: &'static __genkit::StaticTool = &__genkit::StaticTool::with(
            __genkit::StaticInfo::new("find", "Looks for books."),
            __genkit::Function::new(
                    __genkit::Input::Whole(|| {
                        __genkit::TypedInput::<__Input>::new().ty()
                    }),
                    |_, mut __input| {
                        let __input: __Input = __genkit::take(&mut __input, 0);
                        __genkit::Result::Ok(
                            __genkit::calling(
                                find(__input.filter, __input.limit),
                                |__value| {
                                    __genkit::Returned(__value)
                                        .split()
                                        .map_err(|__error| __genkit::IntoError::into_error(__error))
                                        .and_then(|__returned| __genkit::IntoOutput::into_output(
                                            __returned.value(),
                                        ))
                                },
                            ),
                        )
                    },
                )
                .with_output_schema(|| {
                    __genkit::Returns::<__Output>::new().success().schema()
                }),
        );
    }
    impl __genkit::AnnotatedFn for find {
        const LINKED: __genkit::Linked = __genkit::Linked::tool::<Self>();
    }
    __genkit::submit!(find);
};
