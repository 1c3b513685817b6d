//! Parsing of the function, the options of its attribute, and its parameters.

mod app;
mod arg;
mod common_mistakes;
mod data;
mod docs;
mod formats;
mod item;
mod json;
mod meta;
mod options;
mod params;
mod resource;
mod retry;
mod tools;
mod values;

pub(crate) use app::AppRight;
pub(crate) use arg::{ArgCompletion, ArgDefault, InputField};
pub(crate) use data::{Bound, FieldData, SerdeDefault};
pub(crate) use docs::doc_description;
pub(crate) use item::Item;
pub(crate) use options::Options;
pub(crate) use params::{FnParam, parse_params};
pub(crate) use resource::split_uri;
pub(crate) use retry::RetrySetting;
pub(crate) use tools::{ToolChoice, ToolSource, format_path};
pub(crate) use values::{SchemaSource, Setting, TaskStart};
