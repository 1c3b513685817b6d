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
    impl __genkit::ResourceFn for read_note {
        const DEFINITION: &'static __genkit::StaticResource = &__genkit::StaticResource::with(
                "note://{id}",
                __genkit::StaticInfo::new("note", "A note by its number."),
                __genkit::Function::new(
                        __genkit::Input::Fields(
                            &[
                                __genkit::Field::new(
                                    "id",
                                    <u64 as __genkit::Argument>::TYPE,
                                ),
                            ],
                        ),
                        |__context, mut __input| {
                            let __injected0 = __genkit::Inject::<Notes>::of()
                                .inject(__context)?;
                            __genkit::Result::Ok(
                                __genkit::Inject::<(Notes,)>::of()
                                    .calling(
                                        async move {
                                            read_note(&__injected0, __genkit::take(&mut __input, 0))
                                                .await
                                        },
                                        |__value| {
                                            __genkit::Returned(__value)
                                                .split()
                                                .map_err(|__error| __genkit::IntoError::into_error(__error))
                                                .map(|__returned| __genkit::IntoContents::into_contents(
                                                    __returned.0,
                                                ))
                                        },
                                    ),
                            )
                        },
                    )
                    .needs(|| {
                        <Notes as __genkit::Injectable>::check();
                        __genkit::vec![__genkit::Inject:: < Notes > ::of().requirement()]
                    }),
            )
            .mime_type("text/markdown");
    }
    impl __genkit::AnnotatedFn for read_note {
        const LINKED: __genkit::Linked = __genkit::Linked::resource::<Self>();
    }
    __genkit::submit!(read_note);
};
