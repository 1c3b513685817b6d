//! What is held: given back when it is dropped.

use super::book::Claim;
use super::bound::Kind;
use crate::mcp::server::error::Error as E;

/// Something that all share, taken for one client.
#[must_use = "what is dropped is given back"]
pub(crate) struct Held {
    kind: Kind,
    amount: usize,
    claim: Claim,
}

impl Held {
    /// What the book has counted already.
    pub(super) fn taken(kind: Kind, amount: usize, claim: Claim) -> Self {
        Self { kind, amount, claim }
    }

    /// Takes more bytes of the same.
    pub(crate) fn grow(&mut self, more: usize) -> Result<(), E> {
        let taken = self.claim.session.book().take(self.kind, more, &self.claim);
        taken.map_err(|_| E::TooMuchKept)?;
        self.amount += more;
        Ok(())
    }

    /// Gives a part of it back.
    pub(crate) fn shrink(&mut self, less: usize) {
        let less = less.min(self.amount);
        self.amount -= less;
        self.claim.session.book().give_back(self.kind, less, &self.claim);
    }

    pub(super) fn claim(&self) -> &Claim {
        &self.claim
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.claim.session.book().give_back(self.kind, self.amount, &self.claim);
    }
}
