/// Gets the weather in a city.
pub async fn get_weather(
    ctx: &Context,
    db: &Db,
    city: City,
    days: u8,
) -> Result<Weather> {
    db.weather(ctx, city, days).await
}
#[doc(hidden)]
///The definition of the tool `get_weather`.
#[allow(non_camel_case_types)]
pub struct get_weather {}
const _: () = {
    use ::genkit::__private as __genkit;
    use __genkit::scope::*;
    type __Param2 = City;
    #[derive(__genkit::serde::Deserialize, __genkit::schemars::JsonSchema)]
    #[serde(
        crate = "__genkit::serde",
        bound(deserialize = "__Param2: __genkit::serde::Deserialize<'de>"),
        deny_unknown_fields,
        expecting = "an object with the arguments of the tool `get_weather`"
    )]
    #[schemars(
        bound = "for<'a> __Param2: __genkit::schemars::JsonSchema",
        crate = "__genkit::schemars"
    )]
    struct __Input<const BELIEVED: bool = true> {
        /// The city.
        city: __Param2,
        #[serde(default = "__default_days")]
        days: u8,
    }
    fn __default_days() -> u8 {
        3
    }
    fn __check() {
        <City as __genkit::Argument>::check();
    }
    fn __output_schema() -> __genkit::Option<__genkit::Value> {
        __genkit::Returns::<Result<Weather>>::new().success().schema()
    }
    impl __genkit::ActionFn for get_weather {
        type Output = __genkit::ToolOutput;
        fn call(
            __context: &__genkit::Context,
            __arguments: __genkit::Arguments,
        ) -> __genkit::BoxFuture<'_, __genkit::Result<__genkit::ToolOutput>> {
            __genkit::Inject::<(Context, Db)>::of()
                .calling(async move {
                    let __input = __genkit::TypedInput::<__Input>::new()
                        .read(__arguments)?;
                    let __injected0 = __genkit::Inject::<Context>::of()
                        .inject(__context)?;
                    let __injected1 = __genkit::Inject::<Db>::of().inject(__context)?;
                    let __returned = __genkit::Returned(
                            get_weather(
                                    &__injected0,
                                    &__injected1,
                                    __input.city,
                                    __input.days,
                                )
                                .await,
                        )
                        .split()
                        .map_err(|__error| __genkit::IntoError::into_error(__error))?;
                    __genkit::IntoOutput::into_output(__returned.value())
                })
        }
        fn input_schema() -> __genkit::Value {
            __genkit::TypedInput::<__Input>::new().schema()
        }
        fn requirements() -> __genkit::Vec<__genkit::Requirement> {
            <Context as __genkit::Injectable>::check();
            <Db as __genkit::Injectable>::check();
            __genkit::vec![
                __genkit::Inject:: < Context > ::of().requirement(), __genkit::Inject:: <
                Db > ::of().requirement()
            ]
        }
        fn output_schema() -> __genkit::Option<__genkit::Value> {
            __output_schema()
        }
    }
    impl __genkit::ToolFn for get_weather {
        const DEFINITION: &'static __genkit::StaticTool = &__genkit::StaticTool::new::<
            Self,
        >(
                __genkit::StaticInfo::new(
                        "get_weather",
                        "Gets the weather in a city.",
                        ::core::file!(),
                        ::core::line!(),
                    )
                    .title("Weather")
                    .tags(&["public"]),
            )
            .read_only(true)
            .timeout(__genkit::Duration::from_millis(30000));
    }
    impl __genkit::AnnotatedFn for get_weather {
        const LINKED: __genkit::Linked = __genkit::Linked::Tool(
            <Self as __genkit::ToolFn>::DEFINITION,
        );
    }
    __genkit::submit!(get_weather);
};
