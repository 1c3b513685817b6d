//! Tool calls whose arguments arrive in pieces, each with its JSON path.

use serde_json::{Map, Value};

use super::body::{FunctionCall, PartialArg};
use crate::error::Error as E;
use genkit_core::Part;
use genkit_core::internal::names::Names;

/// The maximum depth of a path in the arguments. Default is 100.
const MAX_DEPTH: usize = 100;

/// A call whose arguments are still arriving.
#[derive(Default)]
pub(super) struct StreamedFunctionCall {
    name: String,
    id: Option<String>,
    args: Value,
    metadata: Map<String, Value>,
    /// The path of a string that will be continued.
    open: Option<String>,
}

/// A step of a path.
enum PathStep<'a> {
    Key(&'a str),
    Index(usize),
}

impl StreamedFunctionCall {
    /// Stores the metadata of the call's part, which includes its signature.
    pub(super) fn add_metadata(&mut self, mut beside: Part) {
        self.metadata.append(beside.metadata_mut());
    }

    pub(super) fn add(&mut self, call: &FunctionCall) -> Result<(), E> {
        if let Some(name) = &call.name {
            self.name.push_str(name);
        }
        if self.id.is_none() {
            self.id.clone_from(&call.id);
        }
        if let Some(args @ Value::Object(_)) = &call.args {
            self.args = args.clone();
        }
        call.partial_args.iter().flatten().try_for_each(|piece| self.place_piece(piece))
    }

    fn place_piece(&mut self, piece: &PartialArg) -> Result<(), E> {
        let steps = parse_steps(&piece.json_path).ok_or(E::PartialArg)?;
        let place = reach_place(&mut self.args, &steps).ok_or(E::PartialArg)?;
        let goes_on = self.open.as_deref() == Some(piece.json_path.as_str());
        match (&piece.string_value, place) {
            (Some(more), Value::String(text)) if goes_on => text.push_str(more),
            (Some(text), place) => *place = text.as_str().into(),
            (None, place) => {
                let other = piece.number_value.as_ref().or(piece.bool_value.as_ref());
                *place = other.cloned().unwrap_or_default();
            }
        }
        self.open = (piece.will_continue == Some(true)).then(|| piece.json_path.clone());
        Ok(())
    }

    pub(super) fn into_part(self, names: &Names<'_>) -> Part {
        let call = FunctionCall {
            name: Some(self.name),
            args: Some(self.args),
            id: self.id,
            ..FunctionCall::default()
        };
        let mut part = call.into_part(names);
        *part.metadata_mut() = self.metadata;
        part
    }

    /// Converts the call with the arguments received so far.
    pub(super) fn into_partial(self, names: &Names<'_>) -> Part {
        let mut part = self.into_part(names);
        if let Part::ToolRequest { tool_request, .. } = &mut part {
            tool_request.partial = true;
        }
        part
    }
}

/// Parses a path. Returns `None` if it is invalid.
fn parse_steps(path: &str) -> Option<Vec<PathStep<'_>>> {
    let mut rest = path.strip_prefix('$')?;
    let mut steps = Vec::new();
    while !rest.is_empty() {
        if steps.len() == MAX_DEPTH {
            return None;
        }
        if let Some(after) = rest.strip_prefix('.') {
            let end = after.find(['.', '[']).unwrap_or(after.len());
            steps.push(PathStep::Key(&after[..end]));
            rest = &after[end..];
            continue;
        }
        let after = rest.strip_prefix('[')?;
        if let Some(quote) = after.chars().next().filter(|c| matches!(c, '\'' | '"')) {
            let (key, behind) = after[1..].split_once(quote)?;
            steps.push(PathStep::Key(key));
            rest = behind.strip_prefix(']')?;
        } else {
            let (index, behind) = after.split_once(']')?;
            steps.push(PathStep::Index(index.parse().ok()?));
            rest = behind;
        }
    }
    // The arguments as a whole are an object.
    (!steps.is_empty()).then_some(steps)
}

/// Returns the value at the end of the steps, creating missing values. A list grows by at most one
/// element.
fn reach_place<'a>(root: &'a mut Value, steps: &[PathStep<'_>]) -> Option<&'a mut Value> {
    let mut place = root;
    for step in steps {
        place = match step {
            PathStep::Key(key) => {
                if place.is_null() {
                    *place = Map::new().into();
                }
                place.as_object_mut()?.entry(*key).or_insert(Value::Null)
            }
            PathStep::Index(index) => {
                if place.is_null() {
                    *place = Value::Array(Vec::new());
                }
                let list = place.as_array_mut()?;
                if *index == list.len() {
                    list.push(Value::Null);
                }
                list.get_mut(*index)?
            }
        };
    }
    Some(place)
}

#[cfg(test)]
mod tests {
    use super::*;
    use genkit_core::ModelRequest;
    use serde_json::json;

    fn call(pieces: &Value) -> Result<Value, E> {
        let mut pending = StreamedFunctionCall::default();
        for piece in pieces.as_array().unwrap() {
            let call = json!({"partialArgs": [piece]});
            pending.add(&serde_json::from_value(call).unwrap())?;
        }
        let request = ModelRequest::default();
        let part = pending.into_part(&request.tool_names());
        Ok(part.as_tool_request().unwrap().input.clone())
    }

    #[test]
    fn pieces_come_together() {
        let args = call(&json!([
            {"jsonPath": "$.a.b[0]", "stringValue": "x", "willContinue": true},
            {"jsonPath": "$.a.b[0]", "stringValue": "y"},
            {"jsonPath": "$.a.b[1]", "numberValue": 2.5},
            {"jsonPath": "$['odd.key']", "boolValue": true},
            {"jsonPath": "$.none", "nullValue": "NULL_VALUE"},
            {"jsonPath": "$.a.b[0]", "stringValue": "new"},
        ]));
        let expected = json!({"a": {"b": ["new", 2.5]}, "odd.key": true, "none": null});
        assert_eq!(args.unwrap(), expected);
        assert_eq!(call(&json!([])).unwrap(), json!({}));
    }

    #[test]
    fn place_that_makes_no_sense_is_an_error() {
        for path in
            ["", "a", "$", "$[", "$['a", "$[x]", "$.a[7]", "$.a[99999999999999999999]", "$x"]
        {
            assert!(call(&json!([{"jsonPath": path, "stringValue": ""}])).is_err(), "{path}");
        }
        let both = json!([{"jsonPath": "$.a", "stringValue": ""}, {"jsonPath": "$.a.b", "stringValue": ""}]);
        assert!(call(&both).is_err());
    }

    #[test]
    fn place_is_at_most_a_hundred_deep() {
        let path = |depth: usize| json!([{"jsonPath": format!("${}", ".a".repeat(depth))}]);
        assert!(call(&path(MAX_DEPTH)).is_ok());
        assert!(call(&path(MAX_DEPTH + 1)).is_err());
    }
}
