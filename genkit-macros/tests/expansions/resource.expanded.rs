/// A note by its number.
async fn read_note(notes: &Notes, id: u64) -> Result<String> {
    notes.get(id).await
}
#[doc(hidden)]
///The definition of the resource `read_note`.
#[allow(non_camel_case_types)]
struct read_note {}
const _: () = {
    use ::genkit::__private as __genkit;
    use __genkit::scope::*;
    #[derive(__genkit::serde::Deserialize, __genkit::schemars::JsonSchema)]
    #[serde(
        crate = "__genkit::serde",
        deny_unknown_fields,
        expecting = "an object with the arguments of the resource `note`"
    )]
    #[schemars(crate = "__genkit::schemars")]
    struct __Input {
        id: u64,
    }
    impl __genkit::Function for read_note {
        type Output = __genkit::ResourceOutput;
        fn call(
            __context: &__genkit::Context,
            __arguments: __genkit::Arguments,
        ) -> __genkit::Calling<'_, __genkit::ResourceOutput> {
            __genkit::Lend::<(Notes,)>::of()
                .calling(async move {
                    let __input = __genkit::Input::<__Input>::new().read(__arguments)?;
                    let __lent0 = __genkit::Lend::<Notes>::of().lend(__context)?;
                    let __returned = __genkit::Returned(
                            read_note(&__lent0, __input.id).await,
                        )
                        .split()
                        .map_err(|__error| __genkit::Failure::into_error(__error))?;
                    __genkit::Result::Ok(
                        __genkit::IntoContents::into_contents(__returned.0),
                    )
                })
        }
        fn input_schema() -> __genkit::Value {
            __genkit::Input::<__Input>::new().schema()
        }
        fn requirements() -> __genkit::Vec<__genkit::Requirement> {
            <Notes as __genkit::State>::check();
            __genkit::vec![__genkit::Lend:: < Notes > ::of().requirement()]
        }
    }
    impl __genkit::ResourceFn for read_note {
        const DEFINITION: &'static __genkit::ResourceDefinition = &__genkit::ResourceDefinition::new::<
            Self,
        >(
                "note://{id}",
                __genkit::Described::new(
                    "note",
                    "A note by its number.",
                    ::core::file!(),
                    ::core::line!(),
                ),
            )
            .mime_type("text/markdown");
    }
    __genkit::submit!(Resource, read_note, ResourceFn);
};
