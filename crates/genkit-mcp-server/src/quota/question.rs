//! The open questions. If a limit is reached, the oldest question of the session with the most questions is dropped.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::bound::Kind;
use super::holder::Claim;

/// Open questions by number. Numbers increase, so the oldest is first.
#[derive(Default)]
pub(super) struct OpenQuestions {
    open: Vec<(u64, Open)>,
    next: u64,
}

struct Open {
    claim: Claim,
    gives_way: CancellationToken,
}

impl OpenQuestions {
    /// Adds a question. Returns its number, and a token that is cancelled when the question must end in favor of
    /// another question.
    pub(super) fn add(&mut self, claim: Claim) -> (u64, CancellationToken) {
        let number = self.next;
        self.next += 1;
        let gives_way = CancellationToken::new();
        self.open.push((number, Open { claim, gives_way: gives_way.clone() }));
        (number, gives_way)
    }

    /// Removes a question, and returns its claim if it was still open.
    pub(super) fn remove_question(&mut self, number: u64) -> Option<Claim> {
        self.take_question(number).map(|open| open.claim)
    }

    /// Ends the oldest question of the session with the most open questions, if it has more than the session of
    /// `claim`. Considers only sessions of the same client if `of_its_client` is set.
    pub(super) fn end_one_for(&mut self, claim: &Claim, of_its_client: bool) -> Option<Claim> {
        let (mut most, mut found) = (claim.session.amount_held(Kind::Question), None);
        for (number, open) in &self.open {
            let held = open.claim.session.amount_held(Kind::Question);
            let counts = !of_its_client || Arc::ptr_eq(&open.claim.client, &claim.client);
            if counts && held > most {
                (most, found) = (held, Some(*number));
            }
        }
        let open = self.take_question(found?)?;
        open.gives_way.cancel();
        Some(open.claim)
    }

    fn take_question(&mut self, number: u64) -> Option<Open> {
        let place = self.open.binary_search_by_key(&number, |(known, _)| *known).ok()?;
        Some(self.open.remove(place).1)
    }
}
