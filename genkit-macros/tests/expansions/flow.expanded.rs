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
    fn __check() {
        <Menu as __genkit::Argument>::check();
    }
    fn __output_schema() -> __genkit::Option<__genkit::Value> {
        __genkit::Returns::<Result<Meal>>::new().success().schema()
    }
    impl __genkit::ActionFn for cook {
        type Output = __genkit::ToolOutput;
        fn call(
            __context: &__genkit::Context,
            __arguments: __genkit::Arguments,
        ) -> __genkit::BoxFuture<'_, __genkit::Result<__genkit::ToolOutput>> {
            __genkit::Inject::<(__Param0,)>::of()
                .calling(async move {
                    let __input = __genkit::TypedInput::<__Param1>::new()
                        .read(__arguments)?;
                    let __injected0 = __genkit::Inject::<__Param0>::of()
                        .inject(__context)?;
                    let __returned = __genkit::Returned(
                            cook(&__injected0, __input).await,
                        )
                        .split()
                        .map_err(|__error| __genkit::IntoError::into_error(__error))?;
                    __genkit::IntoOutput::into_output(__returned.value())
                })
        }
        fn input_schema() -> __genkit::Value {
            __genkit::TypedInput::<__Param1>::new().schema()
        }
        fn requirements() -> __genkit::Vec<__genkit::Requirement> {
            <__Param0 as __genkit::Injectable>::check();
            __genkit::vec![__genkit::Inject:: < __Param0 > ::of().requirement()]
        }
        fn output_schema() -> __genkit::Option<__genkit::Value> {
            __output_schema()
        }
    }
    impl __genkit::FlowFn for cook {
        const DEFINITION: &'static __genkit::StaticFlow = &__genkit::StaticFlow::new::<
            Self,
        >(
            __genkit::StaticInfo::new(
                "cook",
                "Cooks a menu.",
                ::core::file!(),
                ::core::line!(),
            ),
        );
    }
    impl __genkit::AnnotatedFn for cook {
        const LINKED: __genkit::Linked = __genkit::Linked::Flow(
            <Self as __genkit::FlowFn>::DEFINITION,
        );
    }
    __genkit::submit!(cook);
};
