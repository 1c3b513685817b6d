//! Variables that start with `@`.

use serde_json::{Value, json};

use super::scope::{DataFrame, Kind, RenderInput, Scope};
use super::value::Val;
use crate::template::Path;

/// Returns the value of `@name`.
pub(super) fn data_variable<'s>(path: &'s Path, context: &Scope<'s>) -> Val<'s> {
    let mut frame = Some(context.frame);
    for _ in 0..path.depth {
        frame = frame.and_then(|frame| frame.parent);
    }
    path.parts.first().map_or(Val::Missing, |name| look_up_in_frame(name, frame))
}

fn look_up_in_frame<'s>(name: &str, mut frame: Option<&'s DataFrame<'s>>) -> Val<'s> {
    while let Some(DataFrame { kind, parent }) = frame {
        match kind {
            Kind::Each { index, key, last } => match (name, key) {
                ("index", _) | ("key", None) => return Val::Owned((*index).into()),
                ("key", Some(key)) => return Val::Text(key),
                ("first", _) => return Val::Owned((*index == 0).into()),
                ("last", _) => return Val::Owned((*last).into()),
                _ => {}
            },
            Kind::Root(root) => return look_up_in_root(name, root),
            Kind::Block(_) => {}
        }
        frame = *parent;
    }
    Val::Missing
}

fn look_up_in_root<'s>(name: &str, root: &'s RenderInput<'s>) -> Val<'s> {
    if let Some(value) = root.data.context.get(name) {
        return Val::Ref(value);
    }
    match name {
        "root" => Val::Map(root.input),
        "metadata" => Val::Ref(root.metadata.get_or_init(|| metadata_variable(root))),
        _ => Val::Missing,
    }
}

/// Returns `@metadata`. Lists that were not provided are omitted, so that they print nothing.
fn metadata_variable(root: &RenderInput<'_>) -> Value {
    let mut metadata = json!({"prompt": root.prompt.as_map()});
    for (key, list) in [("docs", &root.data.docs), ("messages", &root.data.messages)] {
        if !list.is_empty() {
            metadata[key] = list.as_slice().into();
        }
    }
    metadata
}
