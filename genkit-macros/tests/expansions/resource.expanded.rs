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
    impl __genkit::ActionFn for read_note {
        type Output = __genkit::ResourceOutput;
        fn call(
            __context: &__genkit::Context,
            __arguments: __genkit::Arguments,
        ) -> __genkit::BoxFuture<'_, __genkit::Result<__genkit::ResourceOutput>> {
            __genkit::Inject::<(Notes,)>::of()
                .calling(async move {
                    let __input = __genkit::TypedInput::<__Input>::new()
                        .read(__arguments)?;
                    let __injected0 = __genkit::Inject::<Notes>::of().inject(__context)?;
                    let __returned = __genkit::Returned(
                            read_note(&__injected0, __input.id).await,
                        )
                        .split()
                        .map_err(|__error| __genkit::IntoError::into_error(__error))?;
                    __genkit::Result::Ok(
                        __genkit::IntoContents::into_contents(__returned.0),
                    )
                })
        }
        fn input_schema() -> __genkit::Value {
            __genkit::TypedInput::<__Input>::new().schema()
        }
        fn requirements() -> __genkit::Vec<__genkit::Requirement> {
            <Notes as __genkit::Injectable>::check();
            __genkit::vec![__genkit::Inject:: < Notes > ::of().requirement()]
        }
    }
    impl __genkit::ResourceFn for read_note {
        const DEFINITION: &'static __genkit::StaticResource = &__genkit::StaticResource::new::<
            Self,
        >(
                "note://{id}",
                __genkit::StaticInfo::new(
                    "note",
                    "A note by its number.",
                    ::core::file!(),
                    ::core::line!(),
                ),
            )
            .mime_type("text/markdown");
    }
    impl __genkit::AnnotatedFn for read_note {
        const LINKED: __genkit::Linked = __genkit::Linked::Resource(
            <Self as __genkit::ResourceFn>::DEFINITION,
        );
    }
    __genkit::submit!(read_note);
};
