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
    impl __genkit::ToolFn for add {
        const DEFINITION: &'static __genkit::StaticTool = &__genkit::StaticTool::new(
            __genkit::StaticInfo::new("add", "Adds two numbers."),
            &[
                __genkit::Field::new("a", <i64 as __genkit::Argument>::TYPE),
                __genkit::Field::new("b", <i64 as __genkit::Argument>::TYPE),
            ],
            |mut __input| __genkit::calling(
                add(__genkit::take(&mut __input, 0), __genkit::take(&mut __input, 1)),
                __genkit::IntoOutput::into_output,
            ),
            <i64 as __genkit::IntoOutput>::schema,
        );
    }
    impl __genkit::AnnotatedFn for add {
        const LINKED: __genkit::Linked = __genkit::Linked::tool::<Self>();
    }
    __genkit::submit!(add);
};
