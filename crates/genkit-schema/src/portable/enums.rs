//! Fixed values: `enum`, `const`, and choices between them.

use serde_json::{Map, Value};

use super::draft::Draft;
use super::flat::Flat;
use super::rewriter::PortableRewriter;
use crate::json::json_type::list_types;

/// The only keywords that a documented constant may contain if it is folded into a list of values.
const FOLDED: [&str; 5] = ["type", "enum", "title", "description", "deprecated"];

impl<'a> PortableRewriter<'a> {
    /// Writes `enum` and `const` as an `enum` without null.
    pub(super) fn rewrite_values(&self, flat: &Flat<'a>, types: &[&str], draft: &mut Draft) {
        let constant = flat.find_keyword("const").map(|(only, _)| vec![only.clone()]);
        let listed =
            || flat.find_keyword("enum").and_then(|(listed, _)| listed.as_array().cloned());
        let Some(mut values) = constant.or_else(listed) else {
            return;
        };
        if values.len() > 1 && values.contains(&Value::Null) {
            values.retain(|value| !value.is_null());
            draft.nullable |= types.is_empty();
        }
        if values.is_empty() {
            draft.never = true;
            return;
        }
        if types.is_empty()
            && let [common] = list_types(&values)[..]
        {
            draft.assertions.insert("type".to_owned(), common.into());
        }
        draft.assertions.insert("enum".to_owned(), Value::Array(values));
    }
}

/// Joins the fixed values among the branches of a choice into one branch, whose description contains the descriptions
/// of the values.
pub(super) fn fold_values(branches: Vec<Value>) -> Vec<Value> {
    let is_alone = branches.len() == 1;
    let Some(kind) = branches.iter().find_map(foldable_type).map(str::to_owned) else {
        return branches;
    };
    let is_folded = |branch: &Value| foldable_type(branch) == Some(kind.as_str());
    if !is_alone && branches.iter().filter(|branch| is_folded(branch)).count() < 2 {
        return branches;
    }
    let mut values = Vec::new();
    let mut remarks = Vec::new();
    let mut others = Vec::new();
    let mut place = None;
    for branch in branches {
        if !is_folded(&branch) {
            others.push(branch);
            continue;
        }
        place.get_or_insert(others.len());
        remarks.extend(value_remark(&branch));
        for value in branch.get("enum").and_then(Value::as_array).into_iter().flatten() {
            if !values.contains(value) {
                values.push(value.clone());
            }
        }
    }
    let mut folded = Map::from_iter([
        ("type".to_owned(), Value::from(kind)),
        ("enum".to_owned(), Value::Array(values)),
    ]);
    if !remarks.is_empty() {
        folded.insert("description".to_owned(), remarks.join("\n").into());
    }
    others.insert(place.unwrap_or_default(), Value::Object(folded));
    others
}

/// Returns the type of a branch that only lists values.
pub(super) fn foldable_type(branch: &Value) -> Option<&str> {
    let map = branch.as_object()?;
    map.get("enum")?;
    let kind = map.get("type")?.as_str()?;
    map.keys().all(|key| FOLDED.contains(&key.as_str())).then_some(kind)
}

/// Returns a line that documents the values of a branch.
fn value_remark(branch: &Value) -> Option<String> {
    let text = |key| branch.get(key).and_then(Value::as_str);
    let is_deprecated = branch.get("deprecated") == Some(&Value::Bool(true));
    let deprecated = is_deprecated.then_some("(deprecated)");
    let texts: Vec<_> =
        [deprecated, text("title"), text("description")].into_iter().flatten().collect();
    if texts.is_empty() {
        return None;
    }
    let values = branch.get("enum")?.as_array()?;
    let names: Vec<_> = values.iter().map(value_name).collect();
    // Indented, so that a string of several lines stays with its value.
    Some(format!("- {}: {}", names.join(", "), texts.join(" ").replace('\n', "\n  ")))
}

fn value_name(value: &Value) -> String {
    match value {
        Value::String(text) => format!("`{text}`"),
        other => format!("`{other}`"),
    }
}
