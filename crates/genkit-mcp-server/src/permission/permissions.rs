//! Permission checks: the scopes that a function requires, and the rules of the program.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use super::{Caller, Item};

/// A permission rule of the program, which returns whether the item is available to the caller.
pub(crate) type PermitRule = Arc<dyn Fn(&Caller<'_>, &Item<'_>) -> bool + Send + Sync>;

/// The permission rules of a server. All of them must grant access.
#[derive(Clone, Default)]
pub(crate) struct Permissions {
    pub(crate) rules: Vec<PermitRule>,
}

impl Permissions {
    pub(crate) fn permits(&self, caller: &Caller<'_>, item: Item<'_>) -> bool {
        item.scopes().all(|scope| caller.has_scope(scope))
            && self.rules.iter().all(|rule| is_granted(rule, caller, &item))
    }

    /// Returns the scopes that `item` requires if missing scopes are the only reason to deny the caller access.
    #[cfg(feature = "http")]
    pub(crate) fn lacking_scopes<'a>(
        &self,
        caller: &Caller<'_>,
        item: Item<'a>,
    ) -> Option<Vec<&'a str>> {
        let lacks = item.scopes().any(|scope| !caller.has_scope(scope));
        let permits = lacks && self.rules.iter().all(|rule| is_granted(rule, caller, &item));
        permits.then(|| item.scopes().collect())
    }

    /// Returns whether the program has rules in addition to the scopes of functions.
    pub(crate) fn has_rules(&self) -> bool {
        !self.rules.is_empty()
    }
}

/// Evaluates a rule. If the rule panics, access is denied.
fn is_granted(rule: &PermitRule, caller: &Caller<'_>, item: &Item<'_>) -> bool {
    catch_unwind(AssertUnwindSafe(|| rule(caller, item))).unwrap_or_else(|_| {
        tracing::error!(item = item.name(), "a rule of `.permit(..)` panicked; access is denied");
        false
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::principal::Principal;
    use genkit_core::Tool;

    fn tool(scopes: &'static str) -> Tool {
        let builder = Tool::builder("t", "A tool.").permit(scopes);
        builder.handler(|_: genkit_core::Context, (): ()| async move { Ok("") })
    }

    #[test]
    fn all_scopes_are_needed_and_only_a_local_client_has_all() {
        let permissions = Permissions::default();
        let ada = Principal::new("ada").with_scopes(["read", "write"]);
        let bob = Principal::new("bob").with_scopes(["read", "writer"]);
        for (principal, is_local, scopes, granted) in [
            (None, false, "", true),
            (None, false, "read", false),
            (None, true, "read write", true),
            (Some(&ada), false, "read write", true),
            (Some(&bob), false, "read write", false),
            (Some(&bob), false, "read", true),
            (Some(&bob), true, "read write", false),
        ] {
            let caller = Caller::new(principal, is_local);
            let is = permissions.permits(&caller, Item::Tool(&tool(scopes)));
            assert_eq!(is, granted, "{caller:?} {scopes}");
        }
    }

    #[test]
    fn rules_only_take_away_and_a_panic_is_a_no() {
        let rule =
            |answer: fn() -> bool| Permissions { rules: vec![Arc::new(move |_, _| answer())] };
        let local = Caller::new(None, true);
        let stranger = Caller::new(None, false);
        assert!(rule(|| true).permits(&local, Item::Tool(&tool(""))));
        assert!(!rule(|| true).permits(&stranger, Item::Tool(&tool("read"))));
        assert!(!rule(|| false).permits(&local, Item::Tool(&tool(""))));
        assert!(!rule(|| panic!("a rule that is wrong")).permits(&local, Item::Tool(&tool(""))));
    }
}
