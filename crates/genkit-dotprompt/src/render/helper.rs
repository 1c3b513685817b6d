//! Helpers: built-in helpers that write structure or return a value, and the helpers of the environment.

use serde_json::{Map, Value};

use super::scope::Scope;
use super::value::Val;
use super::{Renderer, json, number, write};
use crate::environment::HelperCall;
use crate::error::Error;
use crate::error_kind::ErrorKind;
use crate::message::Role;
use crate::template::{Builtin, Call, Head, Path};

impl Renderer<'_> {
    /// Renders `{{name ..}}`.
    pub(super) fn value_tag<'s>(
        &mut self,
        call: &'s Call,
        context: Scope<'s>,
    ) -> Result<(), Error> {
        let value = match &call.head {
            Head::Builtin(builtin) => return self.call_builtin(*builtin, call, &context),
            Head::Helper(name) => self.call_custom_helper(name, call, &context)?,
            Head::Maybe(name) if self.is_helper(name) => {
                self.call_custom_helper(&name.parts[0], call, &context)?
            }
            Head::Maybe(name) | Head::Variable(name) => self.resolve_path(name, &context)?,
        };
        self.print_value(&value, call, &context)
    }

    /// Returns whether a name without arguments is a helper of the environment.
    pub(super) fn is_helper(&self, name: &Path) -> bool {
        name.parts.first().is_some_and(|name| self.environment.has_helper(name))
    }

    fn print_value(
        &mut self,
        value: &Val<'_>,
        call: &Call,
        context: &Scope<'_>,
    ) -> Result<(), Error> {
        let written = match value.as_text() {
            Some(text) => self.output.push_text(text),
            None => {
                let limit = self.output.bytes_left();
                write::display_text(value, limit).and_then(|text| self.output.push_text(&text))
            }
        };
        written.map_err(|fault| context.template.error_at(fault, call.at))
    }

    fn call_builtin<'s>(
        &mut self,
        builtin: Builtin,
        call: &'s Call,
        context: &Scope<'s>,
    ) -> Result<(), Error> {
        let at = |fault| context.template.error_at(fault, call.at);
        match builtin {
            Builtin::Role => {
                let value = self.first_argument(call, context)?;
                let name = value.as_text().ok_or_else(|| at(ErrorKind::RoleIsNoText))?;
                let role = Role::read(name).ok_or_else(|| at(ErrorKind::unknown_role(name)))?;
                self.output.begin_role(role).map_err(at)
            }
            Builtin::History => {
                let messages = self.messages;
                self.output.push_history(messages).map_err(at)
            }
            Builtin::Section => {
                let value = self.first_argument(call, context)?;
                let name = value.as_text().ok_or_else(|| at(ErrorKind::SectionNotText))?;
                self.output.push_section(name).map_err(at)
            }
            Builtin::Media => self.render_media(call, context),
            Builtin::Lookup => {
                let value = self.lookup_member(call, context)?;
                self.print_value(&value, call, context)
            }
            Builtin::Json => {
                let value = self.json_text(call, context)?;
                self.print_value(&value, call, context)
            }
            Builtin::Log => self.log_arguments(call, context),
            // Rejected by the parser.
            _ => Ok(()),
        }
    }

    fn render_media<'s>(&mut self, call: &'s Call, context: &Scope<'s>) -> Result<(), Error> {
        let at = |fault| context.template.error_at(fault, call.at);
        let url = self.named_argument(call, "url", context)?;
        let url =
            url.as_text().filter(|url| !url.is_empty()).ok_or_else(|| at(ErrorKind::MediaUrl))?;
        let kind = self.named_argument(call, "contentType", context)?;
        let kind = match kind.as_text() {
            Some("") => None,
            Some(kind) => Some(kind),
            None if kind.is_missing_or_null() => None,
            None => return Err(at(ErrorKind::MediaType)),
        };
        self.output.push_media(url, kind).map_err(at)
    }

    fn named_argument<'s>(
        &mut self,
        call: &'s Call,
        key: &str,
        context: &Scope<'s>,
    ) -> Result<Val<'s>, Error> {
        match call.hash.iter().find(|(known, _)| **known == *key) {
            Some((_, expr)) => self.eval_expr(expr, context),
            None => Ok(Val::Missing),
        }
    }

    pub(super) fn lookup_member<'s>(
        &mut self,
        call: &'s Call,
        context: &Scope<'s>,
    ) -> Result<Val<'s>, Error> {
        let value = self.first_argument(call, context)?;
        let key = match call.params.get(1) {
            Some(expr) => self.eval_expr(expr, context)?,
            None => Val::Missing,
        };
        match (key.as_text(), key.as_value()) {
            // As in the reference implementation, a lookup in `null`, 0, false or "" returns that value.
            _ if !matches!(value, Val::Missing)
                && (value.is_zero() || value.is_empty() && value.as_list().is_none()) =>
            {
                Ok(value)
            }
            (Some(key), _) => self.lookup_key(value, key, context),
            (None, Some(Value::Number(key))) => {
                self.lookup_key(value, &number::format_number(key), context)
            }
            (None, Some(Value::Bool(key))) => self.lookup_key(value, &key.to_string(), context),
            _ => Ok(Val::Missing),
        }
    }

    /// Returns the text that `{{json ..}}` writes, which is empty for a missing value.
    pub(super) fn json_text<'s>(
        &mut self,
        call: &'s Call,
        context: &Scope<'s>,
    ) -> Result<Val<'s>, Error> {
        let value = self.first_argument(call, context)?;
        let indent = self.named_argument(call, "indent", context)?;
        let at = |fault| context.template.error_at(fault, call.at);
        let indent = write::json_indent(&indent).map_err(at)?;
        if matches!(value, Val::Missing) {
            return Ok(Val::Missing);
        }
        let text = json::write_json(&value, &indent, self.output.bytes_left()).map_err(at)?;
        self.charge_bytes(text.len(), context)?;
        Ok(Val::Owned(text.into()))
    }

    pub(super) fn log_arguments<'s>(
        &mut self,
        call: &'s Call,
        context: &Scope<'s>,
    ) -> Result<(), Error> {
        if !self.environment.has_log() {
            return Ok(());
        }
        let level = self.named_argument(call, "level", context)?;
        let level = level.as_text().unwrap_or("info").to_owned();
        let mut texts = Vec::with_capacity(call.params.len());
        for expr in &call.params {
            let value = self.eval_expr(expr, context)?;
            let text = write::display_text(&value, self.output.bytes_left());
            let text = text.map_err(|fault| context.template.error_at(fault, call.at))?;
            self.charge_bytes(text.len(), context)?;
            texts.push(text);
        }
        self.environment.write_log(&level, &texts.join(" "));
        Ok(())
    }

    /// Calls a helper of the environment.
    pub(super) fn call_custom_helper<'s>(
        &mut self,
        name: &str,
        call: &'s Call,
        context: &Scope<'s>,
    ) -> Result<Val<'s>, Error> {
        let mut params = Vec::with_capacity(call.params.len());
        for expr in &call.params {
            let value = self.eval_expr(expr, context)?;
            params.push(self.detach_value(value, context)?);
        }
        let mut hash = Map::new();
        for (key, expr) in &call.hash {
            let value = self.eval_expr(expr, context)?;
            hash.insert(key.to_string(), self.detach_value(value, context)?);
        }
        let given = HelperCall { params: &params, hash: &hash };
        let value = self.environment.call_helper(name, &given);
        value.map(Val::Owned).map_err(|fault| context.template.error_at(fault, call.at))
    }
}
