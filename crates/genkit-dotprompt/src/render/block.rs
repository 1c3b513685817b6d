//! Blocks: `if`, `each`, `with`, comparisons, and plain variables.

use serde_json::Value;

use super::Renderer;
use super::equal::{are_equal, compared_bytes, is_same_this};
use super::scope::{DataFrame, Depth, Kind, Params, Scope};
use super::value::Val;
use crate::error::Error;
use crate::template::{Block, Builtin, Call, Head, Program};

impl Renderer<'_> {
    pub(super) fn render_block<'s>(
        &mut self,
        block: &'s Block,
        context: Scope<'s>,
    ) -> Result<(), Error> {
        let call = &block.call;
        match &call.head {
            Head::Builtin(Builtin::Each) => {
                let value = self.first_argument(call, &context)?;
                self.render_each(block, &value, context)
            }
            Head::Builtin(Builtin::With) => {
                let value = self.first_argument(call, &context)?;
                match value.is_empty() {
                    true => self.render_side(block, false, context),
                    false => self.render_with(block, value, context),
                }
            }
            Head::Builtin(builtin) => {
                let holds = self.condition_holds(*builtin, call, &context)?;
                self.render_side(block, holds, context)
            }
            Head::Helper(name) => {
                let value = self.call_custom_helper(name, call, &context)?;
                self.render_side(block, !value.is_empty() && !value.is_zero(), context)
            }
            Head::Maybe(name) if self.is_helper(name) => {
                let value = self.call_custom_helper(&name.parts[0], call, &context)?;
                self.render_side(block, !value.is_empty() && !value.is_zero(), context)
            }
            Head::Maybe(name) | Head::Variable(name) => {
                let value = self.resolve_path(name, &context)?;
                self.variable_block(block, value, context)
            }
        }
    }

    /// Renders `{{#name}}`: a loop for a list; a condition for a boolean, `null` or a missing value; otherwise `with`.
    fn variable_block<'s>(
        &mut self,
        block: &'s Block,
        value: Val<'s>,
        context: Scope<'s>,
    ) -> Result<(), Error> {
        match value.as_value() {
            Some(Value::Bool(holds)) => self.render_side(block, *holds, context),
            Some(Value::Null) => self.render_side(block, false, context),
            Some(Value::Array(_)) => self.render_each(block, &value, context),
            _ if matches!(value, Val::Missing) => self.render_side(block, false, context),
            _ => self.render_with(block, value, context),
        }
    }

    /// Returns the value of the first argument.
    pub(super) fn first_argument<'s>(
        &mut self,
        call: &'s Call,
        context: &Scope<'s>,
    ) -> Result<Val<'s>, Error> {
        match call.params.first() {
            Some(expr) => self.eval_expr(expr, context),
            None => Ok(Val::Missing),
        }
    }

    fn condition_holds<'s>(
        &mut self,
        builtin: Builtin,
        call: &'s Call,
        context: &Scope<'s>,
    ) -> Result<bool, Error> {
        let first = self.first_argument(call, context)?;
        if let Builtin::IfEquals | Builtin::UnlessEquals = builtin {
            let second = match call.params.get(1) {
                Some(expr) => self.eval_expr(expr, context)?,
                None => Val::Missing,
            };
            self.charge_bytes(compared_bytes(&first, &second), context)?;
            return Ok(are_equal(&first, &second) == (builtin == Builtin::IfEquals));
        }
        let zero_counts = match call.hash.first() {
            Some((_, expr)) => {
                let value = self.eval_expr(expr, context)?;
                !value.is_empty() && !value.is_zero()
            }
            None => false,
        };
        let holds = !first.is_empty() && (zero_counts || !first.is_zero());
        Ok(holds == (builtin == Builtin::If))
    }

    /// Renders the first or the `{{else}}` program of a block, if there is one.
    fn render_side<'s>(
        &mut self,
        block: &'s Block,
        first: bool,
        context: Scope<'s>,
    ) -> Result<(), Error> {
        match if first { &block.program } else { &block.inverse } {
            Some(program) => self.render_program(program, context),
            None => Ok(()),
        }
    }

    fn render_with<'s>(
        &mut self,
        block: &'s Block,
        value: Val<'s>,
        context: Scope<'s>,
    ) -> Result<(), Error> {
        let Some(program) = &block.program else { return Ok(()) };
        self.render_within(program, value.borrow(), Val::Missing, context)
    }

    /// Renders a program with `this`, which is also its first parameter. The second parameter is `key`.
    fn render_within<'s>(
        &mut self,
        program: &'s Program,
        this: Val<'s>,
        key: Val<'s>,
        context: Scope<'s>,
    ) -> Result<(), Error> {
        let params = Params {
            names: &program.params,
            values: match program.params.is_empty() {
                true => [Val::Missing, Val::Missing],
                false => [this.clone(), key],
            },
            parent: context.params,
        };
        let params = (!program.params.is_empty()).then_some(&params).or(context.params);
        self.charge_bytes(
            context.depth.map_or(0, |depth| compared_bytes(&depth.this, &this)),
            &context,
        )?;
        // If `this` stays the same, the block does not add a level for `../`.
        if context.depth.is_some_and(|depth| is_same_this(&depth.this, &this)) {
            return self.render_program(program, Scope { params, ..context });
        }
        let depth = Depth { this, parent: context.depth };
        self.render_program(program, Scope { depth: Some(&depth), params, ..context })
    }

    fn render_each<'s>(
        &mut self,
        block: &'s Block,
        value: &Val<'s>,
        context: Scope<'s>,
    ) -> Result<(), Error> {
        let value = value.borrow();
        let count = match (value.as_list(), value.as_map()) {
            (Some(list), _) => list.len(),
            (None, Some(map)) => map.len(),
            (None, None) => 0,
        };
        if count == 0 {
            return self.render_side(block, false, context);
        }
        let Some(program) = &block.program else { return Ok(()) };
        if let Some(list) = value.as_list() {
            for (index, item) in list.iter().enumerate() {
                self.render_iteration(program, item, (index, None), index + 1 == count, context)?;
            }
        } else if let Some(map) = value.as_map() {
            for (index, (key, item)) in map.iter().enumerate() {
                self.render_iteration(
                    program,
                    item,
                    (index, Some(key)),
                    index + 1 == count,
                    context,
                )?;
            }
        }
        Ok(())
    }

    fn render_iteration<'s>(
        &mut self,
        program: &'s Program,
        item: &'s Value,
        (index, key): (usize, Option<&'s str>),
        last: bool,
        context: Scope<'s>,
    ) -> Result<(), Error> {
        self.count_step(&context)?;
        let frame =
            DataFrame { kind: Kind::Each { index, key, last }, parent: Some(context.frame) };
        let key = match (program.params.len() < 2, key) {
            (true, _) => Val::Missing,
            (false, Some(key)) => Val::Text(key),
            (false, None) => Val::Owned(index.into()),
        };
        self.render_within(program, Val::Ref(item), key, Scope { frame: &frame, ..context })
    }
}
