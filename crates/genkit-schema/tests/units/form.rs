use genkit_schema::internal::*;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, JsonSchema)]
struct Address {
    city: String,
}

#[derive(Serialize, Deserialize, JsonSchema)]
enum Size {
    Small,
    Large,
}

fn refused<T: JsonSchema>() -> String {
    form(&genkit_schema::internal::input_schema::<T>()).expect_err("it is not a form").to_string()
}

#[test]
fn nested_field_error_names_field_type_and_remedy() {
    #[derive(Serialize, Deserialize, JsonSchema)]
    struct Order {
        item: String,
        to: Address,
    }
    let message = refused::<Order>();
    let start =
        "the form `Order`: a form cannot show the field `to`, which is an object (`Address`)";
    assert!(message.starts_with(start), "{message}");
    assert!(message.contains("Move the fields of `to` into the form itself, or ask"), "{message}");
}

#[test]
fn list_of_objects_and_an_optional_object_are_named_too() {
    #[derive(Serialize, Deserialize, JsonSchema)]
    struct Many {
        stops: Vec<Address>,
    }
    #[derive(Serialize, Deserialize, JsonSchema)]
    struct Perhaps {
        billing: Option<Address>,
    }
    assert!(
        refused::<Many>()
            .contains("`stops`, which is a list of values that are not enumerated (`Address`)")
    );
    assert!(refused::<Perhaps>().contains("`billing`, which is"), "{}", refused::<Perhaps>());
    assert!(refused::<Perhaps>().contains("(`Address`)"), "{}", refused::<Perhaps>());
}

#[test]
fn plain_fields_enumerations_and_lists_of_them_are_shown() {
    #[derive(Serialize, Deserialize, JsonSchema)]
    struct Plain {
        name: String,
        days: Option<u8>,
        size: Size,
        sizes: Vec<Size>,
    }
    assert!(form(&genkit_schema::internal::input_schema::<Plain>()).is_ok());
    assert!(refused::<String>().ends_with("use a struct or an object schema"));
}
