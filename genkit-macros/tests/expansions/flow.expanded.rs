/// Cooks a menu.
async fn cook(chunks: &Chunks<Step>, menu: Menu) -> Result<Meal> {
    kitchen::cook(chunks, menu).await
}
#[doc(hidden)]
///The definition of the flow `cook`.
#[allow(non_camel_case_types)]
struct cook {}
const _: () = {
    use ::genkit::__private as __genkit;
    use __genkit::scope::*;
    type __Param0 = Chunks<Step>;
    type __Param1 = Menu;
    type __Output = Result<Meal>;
    impl __genkit::FlowFn for cook {
        const DEFINITION: &'static __genkit::StaticFlow = &__genkit::StaticFlow::with(
            __genkit::StaticInfo::new("cook", "Cooks a menu."),
            __genkit::Function::new(
                    __genkit::Input::Whole(|| <__Param1 as __genkit::Argument>::TYPE),
                    |__context, mut __input| {
                        let __injected0 = __genkit::Inject::<__Param0>::of()
                            .inject(__context)?;
                        __genkit::Result::Ok(
                            __genkit::Inject::<(__Param0,)>::of()
                                .calling(
                                    async move {
                                        cook(&__injected0, __genkit::take(&mut __input, 0)).await
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
                    <__Param0 as __genkit::Injectable>::check();
                    __genkit::vec![__genkit::Inject:: < __Param0 > ::of().requirement()]
                })
                .with_output_schema(|| {
                    __genkit::Returns::<__Output>::new().success().schema()
                }),
        );
    }
    impl __genkit::AnnotatedFn for cook {
        const LINKED: __genkit::Linked = __genkit::Linked::flow::<Self>();
    }
    __genkit::submit!(cook);
};
