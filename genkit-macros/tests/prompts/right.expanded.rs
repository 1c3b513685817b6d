#[doc(hidden)]
#[allow(non_camel_case_types, dead_code, reason = "used only by the module")]
type __prompts_Recipe = crate::Recipe;
/// The prompts of the folder `prompts`.
#[allow(dead_code, reason = "prompts can also be looked up by name")]
#[allow(rustdoc::all, reason = "descriptions come from the files")]
#[allow(clippy::derive_partial_eq_without_eq, reason = "a field may be a float")]
pub(crate) mod prompts {
    use ::genkit::__private as __genkit;
    static __FILES: __genkit::StaticPromptFiles = __genkit::StaticPromptFiles::new(
            "prompts",
            &[
                (
                    "_header.prompt",
                    ::core::include_str!(
                        ::core::concat!(::core::env!("CARGO_MANIFEST_DIR"),
                        "/prompts/_header.prompt")
                    ),
                ),
                (
                    "hello.prompt",
                    ::core::include_str!(
                        ::core::concat!(::core::env!("CARGO_MANIFEST_DIR"),
                        "/prompts/hello.prompt")
                    ),
                ),
                (
                    "mails/2nd-try.prompt",
                    ::core::include_str!(
                        ::core::concat!(::core::env!("CARGO_MANIFEST_DIR"),
                        "/prompts/mails/2nd-try.prompt")
                    ),
                ),
                (
                    "mails/tags.prompt",
                    ::core::include_str!(
                        ::core::concat!(::core::env!("CARGO_MANIFEST_DIR"),
                        "/prompts/mails/tags.prompt")
                    ),
                ),
                (
                    "trip.formal.prompt",
                    ::core::include_str!(
                        ::core::concat!(::core::env!("CARGO_MANIFEST_DIR"),
                        "/prompts/trip.formal.prompt")
                    ),
                ),
                (
                    "trip.prompt",
                    ::core::include_str!(
                        ::core::concat!(::core::env!("CARGO_MANIFEST_DIR"),
                        "/prompts/trip.prompt")
                    ),
                ),
            ],
        )
        .schemas(
            &[
                (
                    "Recipe",
                    <super::__prompts_Recipe as __genkit::SchemaType>::inlined_schema,
                ),
            ],
        );
    __genkit::submit_files!(__FILES);
    /// Returns all prompts of the folder, for use with a custom registry.
    #[must_use]
    pub fn all() -> __genkit::Vec<__genkit::Prompt> {
        __genkit::embedded_prompts(&__FILES)
    }
    /// The prompt `hello`.
    ///
    /// From `prompts/hello.prompt`.
    pub fn hello() -> __genkit::Generate {
        __genkit::embedded_prompt(&__FILES, "hello")
    }
    /// The input of the prompt `trip`.
    #[derive(
        ::core::clone::Clone,
        ::core::fmt::Debug,
        ::core::cmp::PartialEq,
        __genkit::serde::Serialize,
        __genkit::serde::Deserialize
    )]
    #[serde(crate = "__genkit::serde")]
    pub struct Trip {
        /// where it goes
        pub city: ::std::string::String,
        /// how long it is
        #[serde(default, skip_serializing_if = "__genkit::Option::is_none")]
        pub days: __genkit::Option<i64>,
        /// how much there is to do in a day
        #[serde(default, skip_serializing_if = "__genkit::Option::is_none")]
        pub pace: __genkit::Option<TripPace>,
        /// `maxPrice`
        #[serde(rename = "maxPrice")]
        #[serde(default, skip_serializing_if = "__genkit::Option::is_none")]
        pub max_price: __genkit::Option<f64>,
        /// `type`
        #[serde(default, skip_serializing_if = "__genkit::Option::is_none")]
        pub r#type: __genkit::Option<::std::string::String>,
        /// `hotel`
        #[serde(default, skip_serializing_if = "__genkit::Option::is_none")]
        pub hotel: __genkit::Option<TripHotel>,
        /// who comes along
        pub companions: __genkit::Vec<TripCompanionsItem>,
        /// `notes`
        #[serde(default, skip_serializing_if = "__genkit::Value::is_null")]
        pub notes: __genkit::Value,
        /// `luggage`
        #[serde(default, skip_serializing_if = "__genkit::Option::is_none")]
        pub luggage: __genkit::Option<bool>,
    }
    impl Trip {
        /// Creates a value from the required fields; the others are omitted.
        #[must_use]
        #[allow(clippy::too_many_arguments, reason = "one per required field")]
        pub fn new(
            city: impl ::core::convert::Into<::std::string::String>,
            companions: __genkit::Vec<TripCompanionsItem>,
        ) -> Self {
            Self {
                city: ::core::convert::Into::into(city),
                companions,
                days: ::core::default::Default::default(),
                pace: ::core::default::Default::default(),
                max_price: ::core::default::Default::default(),
                r#type: ::core::default::Default::default(),
                hotel: ::core::default::Default::default(),
                notes: ::core::default::Default::default(),
                luggage: ::core::default::Default::default(),
            }
        }
    }
    impl __genkit::schemars::JsonSchema for Trip {
        fn schema_name() -> ::std::borrow::Cow<'static, str> {
            ::std::borrow::Cow::Borrowed("Trip")
        }
        fn json_schema(
            _: &mut __genkit::schemars::SchemaGenerator,
        ) -> __genkit::schemars::Schema {
            __genkit::written_schema(
                "{\"type\":\"object\",\"properties\":{\"city\":{\"type\":\"string\",\"description\":\"where it goes\"},\"days\":{\"type\":[\"integer\",\"null\"],\"description\":\"how long it is\"},\"pace\":{\"enum\":[\"slow\",\"very fast\"],\"description\":\"how much there is to do in a day\"},\"maxPrice\":{\"type\":[\"number\",\"null\"]},\"type\":{\"type\":[\"string\",\"null\"]},\"hotel\":{\"type\":[\"object\",\"null\"],\"properties\":{\"name\":{\"type\":\"string\"},\"stars\":{\"type\":[\"integer\",\"null\"]}},\"required\":[\"name\"],\"additionalProperties\":false},\"companions\":{\"type\":\"array\",\"items\":{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\"},\"age\":{\"type\":[\"integer\",\"null\"]}},\"required\":[\"name\"],\"additionalProperties\":false},\"description\":\"who comes along\"},\"notes\":{},\"luggage\":{\"type\":[\"boolean\",\"null\"]}},\"required\":[\"city\",\"pace\",\"companions\"],\"additionalProperties\":false}",
                &[],
            )
        }
    }
    /// how much there is to do in a day
    #[derive(
        ::core::clone::Clone,
        ::core::marker::Copy,
        ::core::fmt::Debug,
        ::core::cmp::PartialEq,
        ::core::cmp::Eq,
        ::core::hash::Hash,
        __genkit::serde::Serialize,
        __genkit::serde::Deserialize
    )]
    #[serde(crate = "__genkit::serde")]
    pub enum TripPace {
        /// `slow`
        #[serde(rename = "slow")]
        Slow,
        /// `very fast`
        #[serde(rename = "very fast")]
        VeryFast,
    }
    impl __genkit::schemars::JsonSchema for TripPace {
        fn schema_name() -> ::std::borrow::Cow<'static, str> {
            ::std::borrow::Cow::Borrowed("TripPace")
        }
        fn json_schema(
            _: &mut __genkit::schemars::SchemaGenerator,
        ) -> __genkit::schemars::Schema {
            __genkit::written_schema(
                "{\"enum\":[\"slow\",\"very fast\"],\"description\":\"how much there is to do in a day\"}",
                &[],
            )
        }
    }
    /// A type used by the prompt `trip`.
    #[derive(
        ::core::clone::Clone,
        ::core::fmt::Debug,
        ::core::cmp::PartialEq,
        __genkit::serde::Serialize,
        __genkit::serde::Deserialize
    )]
    #[serde(crate = "__genkit::serde")]
    pub struct TripHotel {
        /// `name`
        pub name: ::std::string::String,
        /// `stars`
        #[serde(default, skip_serializing_if = "__genkit::Option::is_none")]
        pub stars: __genkit::Option<i64>,
    }
    impl TripHotel {
        /// Creates a value from the required fields; the others are omitted.
        #[must_use]
        #[allow(clippy::too_many_arguments, reason = "one per required field")]
        pub fn new(name: impl ::core::convert::Into<::std::string::String>) -> Self {
            Self {
                name: ::core::convert::Into::into(name),
                stars: ::core::default::Default::default(),
            }
        }
    }
    impl __genkit::schemars::JsonSchema for TripHotel {
        fn schema_name() -> ::std::borrow::Cow<'static, str> {
            ::std::borrow::Cow::Borrowed("TripHotel")
        }
        fn json_schema(
            _: &mut __genkit::schemars::SchemaGenerator,
        ) -> __genkit::schemars::Schema {
            __genkit::written_schema(
                "{\"type\":[\"object\",\"null\"],\"properties\":{\"name\":{\"type\":\"string\"},\"stars\":{\"type\":[\"integer\",\"null\"]}},\"required\":[\"name\"],\"additionalProperties\":false}",
                &[],
            )
        }
    }
    /// A type used by the prompt `trip`.
    #[derive(
        ::core::clone::Clone,
        ::core::fmt::Debug,
        ::core::cmp::PartialEq,
        __genkit::serde::Serialize,
        __genkit::serde::Deserialize
    )]
    #[serde(crate = "__genkit::serde")]
    pub struct TripCompanionsItem {
        /// `name`
        pub name: ::std::string::String,
        /// `age`
        #[serde(default, skip_serializing_if = "__genkit::Option::is_none")]
        pub age: __genkit::Option<i64>,
    }
    impl TripCompanionsItem {
        /// Creates a value from the required fields; the others are omitted.
        #[must_use]
        #[allow(clippy::too_many_arguments, reason = "one per required field")]
        pub fn new(name: impl ::core::convert::Into<::std::string::String>) -> Self {
            Self {
                name: ::core::convert::Into::into(name),
                age: ::core::default::Default::default(),
            }
        }
    }
    impl __genkit::schemars::JsonSchema for TripCompanionsItem {
        fn schema_name() -> ::std::borrow::Cow<'static, str> {
            ::std::borrow::Cow::Borrowed("TripCompanionsItem")
        }
        fn json_schema(
            _: &mut __genkit::schemars::SchemaGenerator,
        ) -> __genkit::schemars::Schema {
            __genkit::written_schema(
                "{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\"},\"age\":{\"type\":[\"integer\",\"null\"]}},\"required\":[\"name\"],\"additionalProperties\":false}",
                &[],
            )
        }
    }
    /// The output of the prompt `trip`.
    #[derive(
        ::core::clone::Clone,
        ::core::fmt::Debug,
        ::core::cmp::PartialEq,
        __genkit::serde::Serialize,
        __genkit::serde::Deserialize
    )]
    #[serde(crate = "__genkit::serde")]
    pub struct TripOutput {
        /// `stops`
        pub stops: __genkit::Vec<::std::string::String>,
        /// `cost`
        #[serde(default, skip_serializing_if = "__genkit::Option::is_none")]
        pub cost: __genkit::Option<f64>,
    }
    impl TripOutput {
        /// Creates a value from the required fields; the others are omitted.
        #[must_use]
        #[allow(clippy::too_many_arguments, reason = "one per required field")]
        pub fn new(stops: __genkit::Vec<::std::string::String>) -> Self {
            Self {
                stops,
                cost: ::core::default::Default::default(),
            }
        }
    }
    impl __genkit::schemars::JsonSchema for TripOutput {
        fn schema_name() -> ::std::borrow::Cow<'static, str> {
            ::std::borrow::Cow::Borrowed("TripOutput")
        }
        fn json_schema(
            _: &mut __genkit::schemars::SchemaGenerator,
        ) -> __genkit::schemars::Schema {
            __genkit::written_schema(
                "{\"type\":\"object\",\"properties\":{\"stops\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}},\"cost\":{\"type\":[\"number\",\"null\"]}},\"required\":[\"stops\"],\"additionalProperties\":false}",
                &[],
            )
        }
    }
    /// Plans a trip.
    ///
    /// From `prompts/trip.prompt`, for `gemini/gemini-2.5-flash`. Tools: `get_weather`.
    ///
    /// Read the output with `.await?.output::<TripOutput>()?`: [`TripOutput`].
    pub fn trip(input: Trip) -> __genkit::Generate {
        __genkit::embedded_prompt(&__FILES, "trip").input(input)
    }
    /// The input of the prompt `trip.formal`.
    pub type TripFormal = Trip;
    /// Plans a trip, formally.
    ///
    /// let code = "indented";
    /// `
    /// not a test
    /// `
    ///
    /// From `prompts/trip.formal.prompt`.
    pub fn trip_formal(input: TripFormal) -> __genkit::Generate {
        __genkit::embedded_prompt(&__FILES, "trip.formal").input(input)
    }
    /// The prompts of the folder `mails`.
    pub mod mails {
        use super::__genkit;
        use super::__FILES;
        /// The input of the prompt `mails/2nd-try`.
        #[derive(
            ::core::clone::Clone,
            ::core::fmt::Debug,
            ::core::cmp::PartialEq,
            __genkit::serde::Serialize,
            __genkit::serde::Deserialize
        )]
        #[serde(crate = "__genkit::serde")]
        pub struct _2ndTry {
            /// `tree`
            pub tree: _2ndTryNode,
            /// `on`
            #[serde(default, skip_serializing_if = "__genkit::Option::is_none")]
            pub on: __genkit::Option<bool>,
        }
        impl _2ndTry {
            /// Creates a value from the required fields; the others are omitted.
            #[must_use]
            #[allow(clippy::too_many_arguments, reason = "one per required field")]
            pub fn new(tree: _2ndTryNode) -> Self {
                Self {
                    tree,
                    on: ::core::default::Default::default(),
                }
            }
        }
        /// A type used by the prompt `mails/2nd-try`.
        #[derive(
            ::core::clone::Clone,
            ::core::fmt::Debug,
            ::core::cmp::PartialEq,
            __genkit::serde::Serialize,
            __genkit::serde::Deserialize
        )]
        #[serde(crate = "__genkit::serde")]
        pub struct _2ndTryNode {
            /// `label`
            pub label: ::std::string::String,
            /// `next`
            #[serde(default, skip_serializing_if = "__genkit::Option::is_none")]
            pub next: __genkit::Option<::std::boxed::Box<_2ndTryNode>>,
            /// `children`
            #[serde(default, skip_serializing_if = "__genkit::Option::is_none")]
            pub children: __genkit::Option<__genkit::Vec<_2ndTryNode>>,
        }
        impl _2ndTryNode {
            /// Creates a value from the required fields; the others are omitted.
            #[must_use]
            #[allow(clippy::too_many_arguments, reason = "one per required field")]
            pub fn new(
                label: impl ::core::convert::Into<::std::string::String>,
            ) -> Self {
                Self {
                    label: ::core::convert::Into::into(label),
                    next: ::core::default::Default::default(),
                    children: ::core::default::Default::default(),
                }
            }
        }
        /// The output of the prompt `mails/2nd-try`.
        pub type _2ndTryOutput = ::std::collections::BTreeMap<
            ::std::string::String,
            super::super::__prompts_Recipe,
        >;
        /// The prompt `mails/2nd-try`.
        ///
        /// From `prompts/mails/2nd-try.prompt`.
        ///
        /// Read the output with `.await?.output::<_2ndTryOutput>()?`: [`_2ndTryOutput`].
        pub fn _2nd_try(input: _2ndTry) -> __genkit::Generate {
            __genkit::embedded_prompt(&__FILES, "mails/2nd-try").input(input)
        }
        /// The input of the prompt `mails/tags`.
        #[derive(
            ::core::clone::Clone,
            ::core::fmt::Debug,
            ::core::cmp::PartialEq,
            ::core::default::Default,
            __genkit::serde::Serialize,
            __genkit::serde::Deserialize
        )]
        #[serde(crate = "__genkit::serde")]
        pub struct Tags {
            /// `self`
            #[serde(rename = "self")]
            #[serde(default, skip_serializing_if = "__genkit::Option::is_none")]
            pub self_: __genkit::Option<::std::string::String>,
            /// The values of all other keys.
            #[serde(flatten)]
            pub others: ::std::collections::BTreeMap<
                ::std::string::String,
                ::std::string::String,
            >,
        }
        impl __genkit::schemars::JsonSchema for Tags {
            fn schema_name() -> ::std::borrow::Cow<'static, str> {
                ::std::borrow::Cow::Borrowed("Tags")
            }
            fn json_schema(
                _: &mut __genkit::schemars::SchemaGenerator,
            ) -> __genkit::schemars::Schema {
                __genkit::written_schema(
                    "{\"type\":\"object\",\"properties\":{\"self\":{\"type\":[\"string\",\"null\"]}},\"additionalProperties\":{\"type\":\"string\"}}",
                    &[],
                )
            }
        }
        /// A type used by the prompt `mails/tags`.
        #[derive(
            ::core::clone::Clone,
            ::core::marker::Copy,
            ::core::fmt::Debug,
            ::core::cmp::PartialEq,
            ::core::cmp::Eq,
            ::core::hash::Hash,
            __genkit::serde::Serialize,
            __genkit::serde::Deserialize
        )]
        #[serde(crate = "__genkit::serde")]
        pub enum TagsOutputItem {
            /// `a`
            #[serde(rename = "a")]
            A,
            /// `b`
            #[serde(rename = "b")]
            B,
        }
        impl __genkit::schemars::JsonSchema for TagsOutputItem {
            fn schema_name() -> ::std::borrow::Cow<'static, str> {
                ::std::borrow::Cow::Borrowed("TagsOutputItem")
            }
            fn json_schema(
                _: &mut __genkit::schemars::SchemaGenerator,
            ) -> __genkit::schemars::Schema {
                __genkit::written_schema(
                    "{\"type\":\"string\",\"enum\":[\"a\",\"b\"]}",
                    &[],
                )
            }
        }
        /// The output of the prompt `mails/tags`.
        pub type TagsOutput = __genkit::Vec<TagsOutputItem>;
        /// The prompt `mails/tags`.
        ///
        /// From `prompts/mails/tags.prompt`.
        ///
        /// Read the output with `.await?.output::<TagsOutput>()?`: [`TagsOutput`].
        pub fn tags(input: Tags) -> __genkit::Generate {
            __genkit::embedded_prompt(&__FILES, "mails/tags").input(input)
        }
    }
}
