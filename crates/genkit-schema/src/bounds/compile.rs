//! Compilation of a schema to its checks.

use std::collections::{HashMap, HashSet, VecDeque};

use serde_json::{Map, Value};

use super::Shape;
use super::keywords::{AdditionalMembers, Check, Id, Leaf, Members, Node, Types};
use super::listed::ValueList;
use super::number::Num;
use super::pattern::Patterns;
use super::plain::is_of_the_type;
use super::references::References;
use crate::error::Error as E;
use crate::json::pointer;
use crate::truncate::excerpt;

/// Compiles all schemas inside `root`. The first one is `root` itself.
pub(super) fn compile_nodes(root: &Value, shape: Shape) -> Result<Vec<Node>, E> {
    let draft = root.get("$schema").and_then(Value::as_str).unwrap_or_default();
    let is_old = ["draft-04", "draft-06", "draft-07"].iter().any(|old| draft.contains(old));
    let mut compiler = Compiler {
        shape,
        is_old,
        references: References::for_schema(root, is_old),
        patterns: Patterns::new(shape == Shape::Written),
        ids: HashMap::new(),
        shared: HashSet::new(),
        queue: VecDeque::new(),
    };
    compiler.node_id(root, String::new());
    let mut nodes = Vec::new();
    while let Some((schema, at)) = compiler.queue.pop_front() {
        nodes.push(compiler.compile_node(schema, &at)?);
    }
    for id in compiler.shared {
        nodes[id].is_shared = true;
    }
    Ok(nodes)
}

struct Compiler<'a> {
    shape: Shape,
    /// Whether this is a draft up to 7, where `$ref` hides its sibling keywords.
    is_old: bool,
    /// The ids by address, so that a schema that is referenced several times is compiled once.
    ids: HashMap<usize, Id>,
    /// The schemas that are referenced more than once.
    shared: HashSet<Id>,
    references: References<'a>,
    patterns: Patterns,
    queue: VecDeque<(&'a Value, String)>,
}

impl<'a> Compiler<'a> {
    fn node_id(&mut self, schema: &'a Value, at: String) -> Id {
        let next = self.ids.len();
        let id = *self.ids.entry(std::ptr::from_ref(schema).addr()).or_insert(next);
        if id == next {
            self.queue.push_back((schema, at));
        } else {
            self.shared.insert(id);
        }
        id
    }

    fn compile_node(&mut self, schema: &'a Value, at: &str) -> Result<Node, E> {
        let mut node = Node::default();
        let map = match schema {
            Value::Bool(true) => return Ok(node),
            Value::Bool(false) => {
                node.checks.push(Check::Leaf(Leaf::Never));
                return Ok(node);
            }
            Value::Object(map) => map,
            _ => return Err(E::Malformed { at: at.to_owned() }),
        };
        if let Some(reference) = map.get("$ref") {
            let id = self.resolve_reference(schema, reference, &child_pointer(at, "$ref"))?;
            node.checks.push(Check::All(vec![id]));
            if self.is_old {
                return Ok(node);
            }
        }
        for keyword in ["$dynamicRef", "$recursiveRef"] {
            let Some(reference) = map.get(keyword) else { continue };
            // A dynamic reference with only one possible target is a plain reference.
            if reference.as_str().is_some_and(|name| self.references.is_dynamic(name)) {
                return Err(unsupported_keyword(keyword));
            }
            let id = self.resolve_reference(schema, reference, &child_pointer(at, keyword))?;
            node.checks.push(Check::All(vec![id]));
        }
        for (keyword, value) in map {
            let at = child_pointer(at, keyword);
            if let Some(check) = self.compile_check(map, keyword, value, &at)? {
                if let Check::Leaf(Leaf::Type(types)) = &check {
                    node.types = Some(*types);
                }
                node.checks.push(check);
            }
        }
        let needs = read_dependencies(map);
        if !needs.is_empty() {
            node.checks.push(Check::Leaf(Leaf::Needs(needs)));
        }
        if let Some(members) = self.compile_members(map, at)? {
            node.checks.push(members);
        }
        if let Some(items) = self.compile_items(map, at)? {
            node.checks.push(items);
        }
        // The deserializer of a type already rejects or accepts unevaluated members.
        let left_over = [("unevaluatedProperties", false), ("unevaluatedItems", true)];
        for (keyword, is_about_items) in left_over {
            if let Some(left) = map.get(keyword).filter(|_| self.shape == Shape::Written) {
                let schema = self.node_id(left, child_pointer(at, keyword));
                node.checks.push(Check::LeftOver { schema, is_about_items });
            }
        }
        Ok(node)
    }

    fn compile_check(
        &mut self,
        map: &'a Map<String, Value>,
        keyword: &str,
        value: &'a Value,
        at: &str,
    ) -> Result<Option<Check>, E> {
        if let Some(leaf) = self.compile_leaf(map, keyword, value, at)? {
            return Ok(Some(Check::Leaf(leaf)));
        }
        Ok(Some(match keyword {
            "allOf" => Check::All(self.compile_list(value, at)?),
            "anyOf" => Check::Any { branches: self.compile_list(value, at)?, only_one: false },
            "oneOf" => Check::Any { branches: self.compile_list(value, at)?, only_one: true },
            "not" => Check::Not(self.node_id(value, at.to_owned())),
            "if" => {
                let mut branch = |key: &str| {
                    let branch = map.get(key)?;
                    Some(self.node_id(branch, child_pointer(at, key)))
                };
                let (then, otherwise) = (branch("then"), branch("else"));
                Check::If { condition: self.node_id(value, at.to_owned()), then, otherwise }
            }
            "contains" => {
                let least = self.read_count(map.get("minContains"), at)?.unwrap_or(1);
                let most = self.read_count(map.get("maxContains"), at)?;
                Check::Contains { item: self.node_id(value, at.to_owned()), least, most }
            }
            "propertyNames" => Check::MemberNames(self.node_id(value, at.to_owned())),
            "dependentSchemas" | "dependencies" => {
                let of = expect_object(value, at)?.iter().filter(|(_, needs)| !needs.is_array());
                let of = of.map(|(name, needs)| {
                    (name.clone(), self.node_id(needs, child_pointer(at, name)))
                });
                Check::Dependent(of.collect())
            }
            _ => return Ok(None),
        }))
    }

    fn compile_leaf(
        &mut self,
        map: &Map<String, Value>,
        keyword: &str,
        value: &Value,
        at: &str,
    ) -> Result<Option<Leaf>, E> {
        let malformed = || E::Malformed { at: at.to_owned() };
        let number = || value.as_number().and_then(Num::from_number).ok_or_else(malformed);
        let count = || self.read_count(Some(value), at)?.ok_or_else(malformed);
        Ok(Some(match keyword {
            "type" => Leaf::Type(read_types(value).ok_or_else(malformed)?),
            "const" => Leaf::Listed(ValueList::new(vec![value.clone()])),
            "enum" => Leaf::Listed(ValueList::new(value.as_array().ok_or_else(malformed)?.clone())),
            "minimum" | "maximum"
                if self.shape == Shape::Read && is_of_the_type(map, keyword, value) =>
            {
                return Ok(None);
            }
            // In draft 4, the exclusive keywords are flags.
            "minimum" if map.get("exclusiveMinimum") == Some(&Value::Bool(true)) => {
                Leaf::MoreThan(number()?)
            }
            "maximum" if map.get("exclusiveMaximum") == Some(&Value::Bool(true)) => {
                Leaf::LessThan(number()?)
            }
            "exclusiveMinimum" | "exclusiveMaximum" if value.is_boolean() => return Ok(None),
            "minimum" => Leaf::Minimum(number()?),
            "maximum" => Leaf::Maximum(number()?),
            "exclusiveMinimum" => Leaf::MoreThan(number()?),
            "exclusiveMaximum" => Leaf::LessThan(number()?),
            "multipleOf" => {
                let step = number()?;
                if !step.is_positive() {
                    return Err(malformed());
                }
                Leaf::MultipleOf(step)
            }
            "minLength" => Leaf::MinLength(count()?),
            "maxLength" => Leaf::MaxLength(count()?),
            "minItems" => Leaf::MinItems(count()?),
            "maxItems" => Leaf::MaxItems(count()?),
            "minProperties" => Leaf::MinMembers(count()?),
            "maxProperties" => Leaf::MaxMembers(count()?),
            "pattern" => {
                let text = value.as_str().ok_or_else(malformed)?;
                Leaf::Pattern(Box::new(self.patterns.compile_pattern(text)?))
            }
            "uniqueItems" => match value.as_bool().ok_or_else(malformed)? {
                true => Leaf::Unique,
                false => return Ok(None),
            },
            // `required: true` in a property (draft 3) has no effect in draft 4.
            "required" if value.is_boolean() => return Ok(None),
            "required" => {
                let mut names = read_names(value).ok_or_else(malformed)?;
                let mut known = HashSet::new();
                names.retain(|name| known.insert(name.clone()));
                Leaf::Required(names)
            }
            _ => return Ok(None),
        }))
    }

    fn compile_members(
        &mut self,
        map: &'a Map<String, Value>,
        at: &str,
    ) -> Result<Option<Check>, E> {
        let mut members = Members::default();
        for (name, schema) in schema_part(map, "properties", at)? {
            let at = child_pointer(&child_pointer(at, "properties"), name);
            members.index.insert(name.clone(), members.named.len());
            members.named.push((name.clone(), self.node_id(schema, at)));
        }
        for (regex, schema) in schema_part(map, "patternProperties", at)? {
            let at = child_pointer(&child_pointer(at, "patternProperties"), regex);
            members
                .patterns
                .push((self.patterns.compile_pattern(regex)?, self.node_id(schema, at)));
        }
        members.rest = match map.get("additionalProperties") {
            None | Some(Value::Bool(true)) => AdditionalMembers::Anything,
            Some(Value::Bool(false)) => AdditionalMembers::Nothing,
            Some(schema) => AdditionalMembers::Schema(
                self.node_id(schema, child_pointer(at, "additionalProperties")),
            ),
        };
        members.sees_rest =
            self.references.has_unevaluated && map.contains_key("additionalProperties");
        let is_empty = members.named.is_empty()
            && members.patterns.is_empty()
            && !members.sees_rest
            && matches!(members.rest, AdditionalMembers::Anything);
        Ok((!is_empty).then(|| Check::Members(Box::new(members))))
    }

    /// Compiles `prefixItems` and `items`, or `items` as a list and `additionalItems` in older drafts.
    fn compile_items(&mut self, map: &'a Map<String, Value>, at: &str) -> Result<Option<Check>, E> {
        let (first, rest) = match (map.get("prefixItems"), map.get("items")) {
            (None, Some(Value::Array(_))) => ("items", "additionalItems"),
            _ => ("prefixItems", "items"),
        };
        let rest = map.get(rest).map(|schema| self.node_id(schema, child_pointer(at, rest)));
        let first = match map.get(first) {
            Some(list) => self.compile_list(list, &child_pointer(at, first))?,
            None => Vec::new(),
        };
        let is_empty = first.is_empty() && rest.is_none();
        Ok((!is_empty).then_some(Check::Items { first, rest }))
    }

    fn compile_list(&mut self, value: &'a Value, at: &str) -> Result<Vec<Id>, E> {
        let list = value.as_array().ok_or_else(|| E::Malformed { at: at.to_owned() })?;
        let ids = list.iter().enumerate();
        Ok(ids.map(|(i, schema)| self.node_id(schema, child_pointer(at, &i.to_string()))).collect())
    }

    fn resolve_reference(&mut self, from: &'a Value, reference: &Value, at: &str) -> Result<Id, E> {
        let text = reference.as_str().ok_or_else(|| E::Malformed { at: at.to_owned() })?;
        let found = self.references.find_target(from, text);
        let (schema, at) =
            found.ok_or_else(|| E::UnresolvedReference { reference: text.to_owned() })?;
        Ok(self.node_id(schema, excerpt(&at, 400)))
    }

    fn read_count(&self, value: Option<&Value>, at: &str) -> Result<Option<u64>, E> {
        let Some(value) = value else { return Ok(None) };
        #[expect(clippy::cast_sign_loss, clippy::cast_possible_truncation, reason = "checked")]
        let whole = |f: f64| (f.fract() == 0.0 && (0.0..1e15).contains(&f)).then_some(f as u64);
        let count = value.as_u64().or_else(|| value.as_f64().and_then(whole));
        count.map(Some).ok_or_else(|| E::Malformed { at: at.to_owned() })
    }
}

/// Returns the path of a member for messages. Long paths are truncated, because each schema stores its path.
fn child_pointer(at: &str, key: &str) -> String {
    /// The maximum length of a path that is extended, and of a name in it.
    const LONG: usize = 200;
    if at.len() > LONG { at.to_owned() } else { pointer::child(at, &excerpt(key, LONG)) }
}

fn schema_part<'a>(
    map: &'a Map<String, Value>,
    keyword: &str,
    at: &str,
) -> Result<impl Iterator<Item = (&'a String, &'a Value)> + use<'a>, E> {
    let part = map.get(keyword).map(|value| expect_object(value, &child_pointer(at, keyword)));
    Ok(part.transpose()?.into_iter().flatten())
}

fn expect_object<'a>(value: &'a Value, at: &str) -> Result<&'a Map<String, Value>, E> {
    value.as_object().ok_or_else(|| E::Malformed { at: at.to_owned() })
}

fn unsupported_keyword(keyword: &str) -> E {
    E::Unsupported { keyword: keyword.to_owned() }
}

/// Returns the content of `dependentRequired`, and the lists of names in `dependencies`.
fn read_dependencies(map: &Map<String, Value>) -> Vec<(String, Vec<String>)> {
    let keywords = ["dependentRequired", "dependencies"].into_iter();
    let all = keywords.filter_map(|keyword| map.get(keyword)?.as_object()).flatten();
    all.filter_map(|(name, others)| Some((name.clone(), read_names(others)?))).collect()
}

fn read_types(value: &Value) -> Option<Types> {
    let none = Types::default();
    match value {
        Value::String(name) => none.with_type(name),
        Value::Array(names) => {
            names.iter().try_fold(none, |types, name| types.with_type(name.as_str()?))
        }
        _ => None,
    }
}

fn read_names(value: &Value) -> Option<Vec<String>> {
    value.as_array()?.iter().map(|name| name.as_str().map(str::to_owned)).collect()
}
