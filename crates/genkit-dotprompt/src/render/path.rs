//! Evaluation of paths and expressions.

use serde_json::Value;

use super::Renderer;
use super::scope::{Params, Scope};
use super::value::Val;
use crate::error::Error;
use crate::template::{Builtin, Expr, Head, Path};

/// Returns the start value of a path, and the number of parts of the path that were used.
fn path_start<'s>(path: &'s Path, context: &Scope<'s>) -> (Val<'s>, usize) {
    if path.data {
        return (super::data::data_variable(path, context), 1);
    }
    let mut depth = context.depth;
    for _ in 0..path.depth {
        depth = depth.and_then(|depth| depth.parent);
    }
    let param = match path.parts.first() {
        Some(name) if path.depth == 0 && !path.scoped => block_param(name, context.params),
        _ => None,
    };
    match param {
        Some(value) => (value, 1),
        None => (depth.map_or(Val::Missing, |depth| depth.this.borrow()), 0),
    }
}

fn block_param<'s>(name: &str, mut params: Option<&'s Params<'s>>) -> Option<Val<'s>> {
    while let Some(Params { names, values, parent }) = params {
        if let Some(position) = names.iter().position(|known| **known == *name) {
            return Some(values.get(position).map_or(Val::Missing, Val::borrow));
        }
        params = *parent;
    }
    None
}

impl Renderer<'_> {
    pub(super) fn resolve_path<'s>(
        &mut self,
        path: &'s Path,
        context: &Scope<'s>,
    ) -> Result<Val<'s>, Error> {
        let (mut value, taken) = path_start(path, context);
        for part in path.parts.iter().skip(taken) {
            value = self.lookup_key(value, part, context)?;
        }
        Ok(value)
    }

    /// Looks up a member. Charges the bytes of a string, because each lookup counts its characters.
    pub(super) fn lookup_key<'s>(
        &mut self,
        value: Val<'s>,
        key: &str,
        context: &Scope<'s>,
    ) -> Result<Val<'s>, Error> {
        self.charge_bytes(value.as_text().map_or(0, str::len), context)?;
        Ok(value.get_key(key))
    }

    /// Converts to a value that outlives the data, copying it if it is borrowed.
    pub(super) fn detach_value(
        &mut self,
        value: Val<'_>,
        context: &Scope<'_>,
    ) -> Result<Value, Error> {
        self.charge_bytes(value.borrowed_bytes(), context)?;
        Ok(value.into_value())
    }

    pub(super) fn eval_expr<'s>(
        &mut self,
        expr: &'s Expr,
        context: &Scope<'s>,
    ) -> Result<Val<'s>, Error> {
        match expr {
            Expr::Literal(Some(Value::String(text))) => Ok(Val::Text(text)),
            Expr::Literal(Some(value)) => Ok(Val::Ref(value)),
            Expr::Literal(None) => Ok(Val::Missing),
            Expr::Path(path) => self.resolve_path(path, context),
            Expr::Call(call) => {
                self.count_step(context)?;
                match &call.head {
                    Head::Builtin(Builtin::Lookup) => self.lookup_member(call, context),
                    Head::Builtin(Builtin::Json) => self.json_text(call, context),
                    Head::Builtin(Builtin::Log) => {
                        self.log_arguments(call, context)?;
                        Ok(Val::Missing)
                    }
                    Head::Helper(name) => self.call_custom_helper(name, call, context),
                    // Blocks and tags are rejected by the parser.
                    Head::Builtin(_) | Head::Maybe(_) | Head::Variable(_) => Ok(Val::Missing),
                }
            }
        }
    }
}
