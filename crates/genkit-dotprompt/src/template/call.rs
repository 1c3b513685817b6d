//! Resolution of the first word of a tag: a built-in helper, a helper of the environment, or a variable.

use std::borrow::Cow;

use super::LocatedError;
use super::builtin::{Builtin, TagKind};
use super::parser::Parser;
use super::tree::{Call, Expr, Head, Path};
use crate::error_kind::{ErrorKind, Unknown};

/// The first word of a tag: a path, or a literal that is used as the name of a variable.
#[derive(Debug)]
pub(super) struct CallName<'a> {
    pub(super) path: Path,
    /// The name in the source, without brackets and quotes.
    pub(super) written: Cow<'a, str>,
}

/// The arguments after the name.
#[derive(Debug, Default)]
pub(super) struct CallArguments {
    pub(super) params: Vec<Expr>,
    pub(super) hash: Vec<(Box<str>, Expr)>,
}

/// Creates a call from `{{name ..}}`, `{{#name ..}}`, or `(name ..)`, which is always a helper.
pub(super) fn build_call(
    parser: &mut Parser<'_>,
    CallName { path, written }: CallName<'_>,
    CallArguments { params, hash }: CallArguments,
    place: TagKind,
) -> Result<Call, LocatedError> {
    let at = path.at;
    let has_arguments = !params.is_empty() || !hash.is_empty() || place == TagKind::Value;
    let head = match &path.parts[..] {
        [name] if is_simple(&path) && !parser.is_block_param(name) => {
            match Builtin::from_name(name) {
                Some(builtin) => Head::Builtin(builtin),
                None if has_arguments => Head::Helper(name.clone()),
                None => Head::Maybe(path),
            }
        }
        _ if has_arguments => {
            return Err((ErrorKind::ArgumentsOfVariable(written.into_owned()), at));
        }
        _ => Head::Variable(path),
    };
    if let Head::Helper(name) = &head {
        parser.helpers.push((name.clone(), at));
    }
    let call = Call { head, params, hash, at };
    if let Head::Builtin(builtin) = call.head {
        check_builtin(builtin, &call, place)?;
    }
    Ok(call)
}

/// Returns whether a path is a single name, without `this`, `../` and `@`.
fn is_simple(path: &Path) -> bool {
    path.depth == 0 && !path.scoped && !path.data
}

fn check_builtin(builtin: Builtin, call: &Call, place: TagKind) -> Result<(), LocatedError> {
    let signature = builtin.signature();
    let fits = match signature.place {
        TagKind::Block => place == TagKind::Block,
        TagKind::Value => place != TagKind::Block,
        TagKind::Tag => place == TagKind::Tag,
    };
    let wrong = |fault: fn(&'static str, &'static str) -> ErrorKind| {
        Err((fault(signature.name, signature.usage), call.at))
    };
    if !fits {
        return wrong(|name, usage| ErrorKind::HelperMisplaced { name, usage });
    }
    if !signature.params.contains(&call.params.len()) {
        return wrong(|name, usage| ErrorKind::HelperArguments { name, usage });
    }
    if builtin == Builtin::Media && !call.hash.iter().any(|(key, _)| &**key == "url") {
        return wrong(|name, usage| ErrorKind::HelperArguments { name, usage });
    }
    for (key, _) in &call.hash {
        if !signature.hash.contains(&&**key) {
            let unknown = Unknown::new(key, signature.hash.iter().copied());
            return Err((ErrorKind::UnknownArgument { of: signature.name, unknown }, call.at));
        }
    }
    Ok(())
}
