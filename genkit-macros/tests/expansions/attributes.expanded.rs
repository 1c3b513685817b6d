/// Looks for books.
async fn find(words: String, limit: u8) -> Value {
    library::find(words, limit).await
}
#[doc(hidden)]
///The definition of the tool `find`.
#[allow(non_camel_case_types)]
struct find {}
const _: () = {
    use ::genkit::__private as __genkit;
    use __genkit::scope::*;
    fn __default_limit() -> u8 {
        limit()
    }
    impl __genkit::ToolFn for find {
        const DEFINITION: &'static __genkit::StaticTool = &__genkit::StaticTool::new(
                __genkit::StaticInfo::new("find", "Looks for books."),
                &[
                    __genkit::Field::new("words", <String as __genkit::Argument>::TYPE)
                        .notes(
                            &[
                                __genkit::Note::Doc("# Words\n\nThe words to match."),
                                __genkit::Note::Example(|| {
                                    __genkit::serde_json::to_value(&"the sea").ok()
                                }),
                                __genkit::Note::Bound {
                                    of: "string",
                                    keyword: "minLength",
                                    value: || __genkit::json(1),
                                },
                                __genkit::Note::Bound {
                                    of: "string",
                                    keyword: "maxLength",
                                    value: || __genkit::json(80),
                                },
                                __genkit::Note::Bound {
                                    of: "array",
                                    keyword: "minItems",
                                    value: || __genkit::json(1),
                                },
                                __genkit::Note::Bound {
                                    of: "array",
                                    keyword: "maxItems",
                                    value: || __genkit::json(80),
                                },
                                __genkit::Note::Bound {
                                    of: "string",
                                    keyword: "pattern",
                                    value: || __genkit::json("^[^*]*$"),
                                },
                            ],
                        ),
                    __genkit::Field::new("max", <u8 as __genkit::Argument>::TYPE)
                        .names(&["limit", "max"])
                        .notes(
                            &[
                                __genkit::Note::Bound {
                                    of: "number",
                                    keyword: "minimum",
                                    value: || __genkit::json(1),
                                },
                                __genkit::Note::Bound {
                                    of: "number",
                                    keyword: "maximum",
                                    value: || __genkit::json(MAX),
                                },
                            ],
                        )
                        .default(
                            || __genkit::Box::new(__default_limit()),
                            || __genkit::Shown(__default_limit()).value(),
                        ),
                ],
                |mut __input| __genkit::calling(
                    find(
                        __genkit::take(&mut __input, 0),
                        __genkit::take(&mut __input, 1),
                    ),
                    |__value| {
                        __genkit::Returned(__value)
                            .split()
                            .map_err(|__error| __genkit::IntoError::into_error(__error))
                            .and_then(|__returned| __genkit::IntoOutput::into_output(
                                __returned.value(),
                            ))
                    },
                ),
                || {
                    __genkit::Describable::check(
                        __genkit::Returns::<Value>::new().success().described(),
                    );
                    __genkit::Returns::<Value>::new().success().schema()
                },
            )
            .needs_approval(true)
            .output_schema(
                __genkit::OutputSchema::Type(<Books as __genkit::SchemaType>::schema),
            );
    }
    impl __genkit::AnnotatedFn for find {
        const LINKED: __genkit::Linked = __genkit::Linked::tool::<Self>();
    }
    __genkit::submit!(find);
};
