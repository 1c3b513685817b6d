/// Searches the notes.
async fn notes(index: &MemoryIndex, query: Document, k: usize) -> Result<Vec<Document>> {
    index.search(query, k).await
}
#[doc(hidden)]
///The definition of the retriever `notes`.
#[allow(non_camel_case_types)]
struct notes {}
const _: () = {
    use ::genkit::__private as __genkit;
    use __genkit::scope::*;
    type __Param1 = Document;
    type __Output = Result<Vec<Document>>;
    impl __genkit::RetrieverFn for notes {
        const DEFINITION: &'static __genkit::StaticFlow = &__genkit::StaticFlow::with(
            __genkit::StaticInfo::new("notes", "Searches the notes."),
            __genkit::Function::new(
                    __genkit::Input::Fields(
                        &[
                            __genkit::Field::new(
                                "query",
                                <__Param1 as __genkit::Argument>::TYPE,
                            ),
                            __genkit::Field::new(
                                "k",
                                <usize as __genkit::Argument>::TYPE,
                            ),
                        ],
                    ),
                    |__context, mut __input| {
                        let __injected0 = __genkit::Inject::<MemoryIndex>::of()
                            .inject(__context)?;
                        __genkit::Result::Ok(
                            __genkit::Inject::<(MemoryIndex,)>::of()
                                .calling(
                                    async move {
                                        notes(
                                                &__injected0,
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
                    <MemoryIndex as __genkit::Injectable>::check();
                    __genkit::vec![
                        __genkit::Inject:: < MemoryIndex > ::of().requirement()
                    ]
                })
                .with_output_schema(|| {
                    __genkit::Returns::<__Output>::new().success().schema()
                }),
        );
    }
    const _: fn() = || {
        <Document as ::genkit::retrieval::internal::IsQuery>::check();
        <usize as ::genkit::retrieval::internal::IsCount>::check();
        <Result<
            Vec<Document>,
        > as ::genkit::retrieval::internal::IsDocumentList>::check();
    };
    impl __genkit::AnnotatedFn for notes {
        const LINKED: __genkit::Linked = ::genkit::retrieval::internal::linked::<Self>();
    }
    __genkit::submit!(notes);
};
