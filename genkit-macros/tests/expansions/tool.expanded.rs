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
    type __Output = Result<Weather>;
    fn __default_days() -> u8 {
        3
    }
    impl __genkit::ToolFn for get_weather {
        const DEFINITION: &'static __genkit::StaticTool = &__genkit::StaticTool::with(
                __genkit::StaticInfo::new("get_weather", "Gets the weather in a city.")
                    .title("Weather")
                    .tags(&["public"]),
                __genkit::Function::new(
                        __genkit::Input::Fields(
                            &[
                                __genkit::Field::new(
                                        "city",
                                        <__Param2 as __genkit::Argument>::TYPE,
                                    )
                                    .notes(&[__genkit::Note::Doc("The city.")]),
                                __genkit::Field::new(
                                        "days",
                                        <u8 as __genkit::Argument>::TYPE,
                                    )
                                    .default(
                                        || __genkit::Box::new(__default_days()),
                                        || __genkit::Shown(__default_days()).value(),
                                    ),
                            ],
                        ),
                        |__context, mut __input| {
                            let __injected0 = __genkit::Inject::<Context>::of()
                                .inject(__context)?;
                            let __injected1 = __genkit::Inject::<Db>::of()
                                .inject(__context)?;
                            __genkit::Result::Ok(
                                __genkit::Inject::<(Context, Db)>::of()
                                    .calling(
                                        async move {
                                            get_weather(
                                                    &__injected0,
                                                    &__injected1,
                                                    __genkit::take(&mut __input, 0),
                                                    __genkit::take(&mut __input, 1),
                                                )
                                                .await
                                        },
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
                    .needs(|| {
                        <Context as __genkit::Injectable>::check();
                        <Db as __genkit::Injectable>::check();
                        __genkit::vec![
                            __genkit::Inject:: < Context > ::of().requirement(),
                            __genkit::Inject:: < Db > ::of().requirement()
                        ]
                    })
                    .with_output_schema(|| {
                        __genkit::Returns::<__Output>::new().success().schema()
                    }),
            )
            .read_only(true)
            .timeout(__genkit::Duration::from_millis(30000));
    }
    impl __genkit::AnnotatedFn for get_weather {
        const LINKED: __genkit::Linked = __genkit::Linked::tool::<Self>();
    }
    __genkit::submit!(get_weather);
};
