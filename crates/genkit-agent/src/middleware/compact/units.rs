//! Units of messages that are kept or removed together.

use std::collections::BTreeSet;
use std::ops::Range;

use genkit_core::{Message, Role};

/// Messages that are kept or removed together: a tool call and its responses.
#[derive(Debug, PartialEq)]
pub(super) struct Unit {
    pub(super) messages: Range<usize>,
    /// Whether the unit is always kept.
    stays: bool,
}

/// Splits a conversation into units, the oldest first. System messages, pinned messages, the last user message and the
/// last unit, which the model responds to, are always kept.
pub(super) fn split_units(messages: &[Message]) -> Vec<Unit> {
    let mut units: Vec<Unit> = Vec::new();
    let answers = |message: &Message| message.tool_responses().next().is_some();
    let says = |message: &Message| message.role == Role::User && !answers(message);
    let said_last = messages.iter().rposition(says);
    for (at, message) in messages.iter().enumerate() {
        let stays = message.role == Role::System || message.is_pinned() || said_last == Some(at);
        match units.last_mut().filter(|_| answers(message)) {
            Some(unit) => {
                unit.messages.end = at + 1;
                unit.stays |= stays;
            }
            None => units.push(Unit { messages: at..at + 1, stays }),
        }
    }
    if let Some(last) = units.last_mut() {
        last.stays = true;
    }
    units
}

/// Returns the indices of the messages to remove next, the oldest first, with a total weight of at least `excess`.
/// Returns fewer if all others must be kept.
pub(super) fn choose_cut(
    units: &[Unit],
    left_out: &BTreeSet<usize>,
    excess: u64,
    weight: impl Fn(usize) -> u64,
) -> Vec<usize> {
    let (mut more, mut gone) = (Vec::new(), 0);
    for unit in units.iter().filter(|unit| !unit.stays) {
        if gone >= excess {
            break;
        }
        if left_out.contains(&unit.messages.start) {
            continue;
        }
        gone += unit.messages.clone().map(&weight).sum::<u64>();
        more.extend(unit.messages.clone());
    }
    more
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use genkit_core::ToolRequest;

    fn call(id: usize) -> Message {
        Message::model(ToolRequest::new("t", json!({})).with_id(id.to_string()))
    }

    fn answer(id: usize) -> Message {
        let request = ToolRequest::new("t", json!({})).with_id(id.to_string());
        Message::new(Role::Tool, [request.respond("x").into()])
    }

    fn stays(messages: &[Message]) -> Vec<(Range<usize>, bool)> {
        split_units(messages).into_iter().map(|unit| (unit.messages, unit.stays)).collect()
    }

    #[test]
    fn call_and_its_results_are_one_unit() {
        let history = [
            Message::system("S"),
            Message::user("a").pinned(),
            Message::model("b"),
            Message::user("c"),
            call(1),
            answer(1),
            answer(2),
            call(3),
            answer(3),
        ];
        let expected =
            [(0..1, true), (1..2, true), (2..3, false), (3..4, true), (4..7, false), (7..9, true)];
        assert_eq!(stays(&history), expected);
        let mut by_user = answer(1);
        by_user.role = Role::User;
        let by_hand = [call(1), by_user, Message::user("c")];
        assert_eq!(stays(&by_hand), [(0..2, false), (2..3, true)]);
        assert_eq!(stays(&[answer(1)]), [(0..1, true)]);
        assert!(split_units(&[]).is_empty());
    }

    #[test]
    fn oldest_go_first_and_no_more_than_needed() {
        let history: Vec<Message> = (0..6).map(|n| Message::model(n.to_string())).collect();
        let units = split_units(&history);
        let cut = |left_out: &[usize], excess| {
            choose_cut(&units, &left_out.iter().copied().collect(), excess, |_| 10)
        };
        assert_eq!(cut(&[], 0), Vec::<usize>::new());
        assert_eq!(cut(&[], 11), [0, 1]);
        assert_eq!(cut(&[0], 11), [1, 2]);
        assert_eq!(cut(&[], 1_000), [0, 1, 2, 3, 4], "the last unit is kept");
    }

    fn message() -> impl Strategy<Value = Vec<Message>> {
        prop_oneof![
            Just(vec![Message::user("u")]),
            Just(vec![Message::model("m")]),
            Just(vec![Message::user("p").pinned()]),
            (1_usize..4).prop_map(|n| {
                let mut round = vec![call(n)];
                round.extend((0..n).map(answer));
                round
            }),
        ]
    }

    proptest! {
        #[test]
        fn no_call_is_parted_from_its_answer(
            parts in proptest::collection::vec(message(), 1..12), excess in 0_u64..200
        ) {
            let history: Vec<Message> = parts.into_iter().flatten().collect();
            let gone: BTreeSet<usize> =
                choose_cut(&split_units(&history), &BTreeSet::new(), excess, |_| 10).into_iter().collect();
            for (at, message) in history.iter().enumerate() {
                if message.tool_responses().next().is_some() {
                    prop_assert_eq!(gone.contains(&at), gone.contains(&(at - 1)));
                }
                prop_assert!(!(message.is_pinned() && gone.contains(&at)));
            }
            let said = history.iter().rposition(|message| message.role == Role::User);
            prop_assert!(said.is_none_or(|at| !gone.contains(&at)));
        }
    }
}
