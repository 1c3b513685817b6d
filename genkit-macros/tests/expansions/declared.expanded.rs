/// Shows the cart in the browser.
#[allow(non_camel_case_types)]
pub struct update_cart {}
const _: () = {
    use ::genkit::__private as __genkit;
    use __genkit::scope::*;
    impl __genkit::ToolFn for update_cart {
        const DEFINITION: &'static __genkit::StaticTool = &__genkit::StaticTool::with(
                __genkit::StaticInfo::new(
                    "update_cart",
                    "Shows the cart in the browser.",
                ),
                __genkit::Function::new(
                    __genkit::Input::Fields(
                        &[
                            __genkit::Field::new(
                                "items",
                                <u32 as __genkit::Argument>::TYPE,
                            ),
                        ],
                    ),
                    |__context, _| __genkit::Result::Ok(
                        __genkit::wait_for_response(__context),
                    ),
                ),
            )
            .needs_approval(true)
            .output_schema(
                __genkit::OutputSchema::Type(<Cart as __genkit::SchemaType>::schema),
            )
            .declared();
    }
    impl __genkit::DeclaredFn for update_cart {
        type Output = Cart;
    }
    impl __genkit::AnnotatedFn for update_cart {
        const LINKED: __genkit::Linked = __genkit::Linked::tool::<Self>();
    }
    __genkit::submit!(update_cart);
};
