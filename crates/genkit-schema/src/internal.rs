//! Items that the sibling crates of genkit use. They are not part of the public API and change without notice.

pub use crate::bounds::{Bounds, Shape};
pub mod bounded_json {
    pub use crate::bounded_json::*;
}
pub use crate::conversion::{Loss, MAX_DEPTH, warn_losses};
pub use crate::derive::{inlined_schema, input_schema, output_schema};
pub use crate::dialect::position::Position;
pub use crate::dialect::property_names::PropertyNames;
pub use crate::dialect::validated::to_validated;
pub use crate::dialect::{Dialect, RepairedDialect, ToolInput};
pub use crate::error::Error;
pub use crate::form::form;
pub use crate::json::finite::{check_finite, to_finite_value};
pub use crate::json::json_type::list_types;
pub use crate::lenient_json::{parse_leniently, repair_json};
pub use crate::nulls::drop_optional_nulls;
pub use crate::portable::portable;
pub use crate::properties::properties;
pub mod pointer {
    pub use crate::json::pointer::*;
}
pub use crate::repair::{Patterns, Repaired, repair, repair_arguments};
pub use crate::result_shape::ResultShape;
pub use crate::retry_parse::parse_embedded_json;
pub use crate::schemas::{OutputSchema, Schemas};
pub use crate::shared::Schema;
pub use crate::strictness::Strictness;
pub mod canonical {
    pub use crate::json::canonical::canonical;
}
pub mod conversion {
    pub use crate::conversion::MAX_NODES;
}
pub mod dialect {
    pub use crate::dialect::{
        StrictDialectRewriter, TraversalLimits, check_required, is_definition, rewrite_list,
        rewrite_named, unsupported_part,
    };
    pub use crate::dialect::{
        find_choice, fixed_values, listed_types, merge_schemas, resolve_reference, tuple_items,
    };
}
pub mod partial_json {
    pub use crate::partial_json::*;
}
pub mod placed {
    pub use crate::placed::*;
}
pub mod size {
    pub use crate::json::size::{is_larger, json_size};
}
pub mod strictness {
    pub use crate::strictness::Strictness;
}
#[cfg(any(test, feature = "testing"))]
pub mod testing {
    pub use crate::testing::{deep_schema, wide_schema, with_property, zoo_schemas};
}
pub mod truncate {
    pub use crate::truncate::{excerpt, truncate};
}
