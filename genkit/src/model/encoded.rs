//! Encoded front: the JSON of the messages that earlier turns of a run have sent.

#[cfg(feature = "http-model")]
use std::hash::{BuildHasher as _, Hash, RandomState};
#[cfg(feature = "http-model")]
use std::sync::{Mutex, MutexGuard};

#[cfg(feature = "http-model")]
use serde::Serialize;

#[cfg(feature = "http-model")]
use super::request::ModelRequest;
#[cfg(feature = "http-model")]
use crate::message::{Message, Role};
#[cfg(feature = "http-model")]
use crate::sync::lock;

/// What the loop keeps of its own request, so that the next turn encodes only what is new.
///
/// Never a stale body: the request of a run belongs to the machine of its turns, which only adds messages to it, and
/// lends it out without the right to change it. A clone keeps nothing, so that whoever changes messages, which takes
/// a clone, is encoded as a whole; and nothing is kept past the end of the run. Builds with debug assertions
/// encode each such request a second time, and compare.
#[derive(Debug, Default)]
pub(crate) struct Encoded(#[cfg(feature = "http-model")] Option<Box<Mutex<Front>>>);

/// The first messages of a request as a provider writes them.
#[cfg(feature = "http-model")]
#[derive(Debug, Default)]
struct Front {
    hasher: RandomState,
    /// Of what else shapes the messages.
    key: u64,
    /// How many messages it is.
    messages: usize,
    /// The elements of the list, without its brackets.
    json: Vec<u8>,
}

impl Encoded {
    /// For a request of which the owner only adds messages.
    pub(crate) fn kept() -> Self {
        #[cfg(feature = "http-model")]
        return Self(Some(Box::default()));
        #[cfg(not(feature = "http-model"))]
        return Self();
    }

    /// How many messages are kept.
    #[cfg(all(feature = "http-model", debug_assertions))]
    pub(crate) fn messages(&self) -> usize {
        self.0.as_ref().map_or(0, |front| lock(front).messages)
    }
}

impl Clone for Encoded {
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// It is no part of what is asked.
impl PartialEq for Encoded {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// The list of messages of a body being written.
#[cfg(feature = "http-model")]
pub(crate) struct MessageList<'a> {
    front: Option<MutexGuard<'a, Front>>,
    key: u64,
    /// How many messages were encoded before: those after them are to be written.
    pub(crate) from: usize,
    all: usize,
}

#[cfg(feature = "http-model")]
impl<'a> MessageList<'a> {
    /// The list of `request`. `shape` is all that shapes one message beside itself, those before it and the names of
    /// the tools. Where a provider's messages depend on those that come after them, `is_open` says so: then nothing
    /// is kept.
    pub(crate) fn of(request: &'a ModelRequest, shape: impl Hash, is_open: bool) -> Self {
        let all = request.messages.len();
        let front = request.encoded.0.as_ref().filter(|_| !is_open && request.docs.is_empty());
        let Some(front) = front.map(|front| lock(front)) else {
            return Self { front: None, key: 0, from: 0, all };
        };
        let names: Vec<&str> = request.tools.iter().map(|tool| tool.name.as_str()).collect();
        let key = front.hasher.hash_one((shape, names));
        let is_same = front.key == key && front.messages <= all;
        let from = if is_same { front.messages } else { 0 };
        // Answers to one turn of the model may become one, or have something in common behind them.
        let answers = |message: Option<&Message>| message.is_some_and(|it| it.role == Role::Tool);
        let is_cut = from > 0
            && answers(request.messages.get(from - 1))
            && answers(request.messages.get(from));
        Self { front: Some(front), key, from: if is_cut { 0 } else { from }, all }
    }

    /// The elements that are known, in bytes.
    pub(crate) fn len(&self) -> usize {
        self.front.as_ref().map_or(0, |front| front.json.len())
    }

    /// Writes the list: what is known, then `rest`.
    pub(crate) fn write<T: Serialize>(
        mut self,
        body: &mut Vec<u8>,
        rest: &[T],
    ) -> serde_json::Result<()> {
        body.push(b'[');
        let mut begin = body.len();
        if let Some(front) = self.front.as_ref().filter(|_| self.from > 0) {
            body.extend_from_slice(&front.json);
        }
        let known = body.len();
        for element in rest {
            if body.len() > begin {
                body.push(b',');
            }
            serde_json::to_writer(&mut *body, element)?;
        }
        if let Some(front) = &mut self.front {
            if self.from > 0 {
                begin = known;
            } else {
                front.json.clear();
            }
            front.json.extend_from_slice(&body[begin..]);
            (front.key, front.messages) = (self.key, self.all);
        }
        body.push(b']');
        Ok(())
    }
}

/// Writes the members of an object after those that stand in `body` already, and closes it.
#[cfg(feature = "http-model")]
pub(crate) fn write_members(body: &mut Vec<u8>, object: &impl Serialize) -> serde_json::Result<()> {
    let at = body.len();
    serde_json::to_writer(&mut *body, object)?;
    if body.get(at + 1) == Some(&b'}') {
        body.truncate(at);
        body.push(b'}');
    } else {
        body[at] = b',';
    }
    Ok(())
}

#[cfg(all(test, feature = "http-model"))]
mod tests {
    use super::*;
    use crate::model::ToolDefinition;

    /// The body with `shape`, and how many messages of it were known.
    fn written(request: &ModelRequest, shape: &str) -> (String, usize) {
        let list = MessageList::of(request, shape, false);
        let from = list.from;
        let rest: Vec<String> = request.messages[from..].iter().map(Message::text).collect();
        let mut body = b"{\"messages\":".to_vec();
        list.write(&mut body, &rest).unwrap();
        write_members(&mut body, &serde_json::json!({"shape": shape})).unwrap();
        (String::from_utf8(body).unwrap(), from)
    }

    fn run() -> ModelRequest {
        ModelRequest {
            encoded: Encoded::kept(),
            ..ModelRequest::new([Message::user("a"), Message::model("b")])
        }
    }

    #[test]
    fn only_what_is_new_is_written_and_the_body_is_the_same() {
        let mut request = run();
        for known in [0, 2, 3, 3] {
            let (body, from) = written(&request, "x");
            assert_eq!((&body, from), (&written(&request.clone(), "x").0, known));
            if known < 3 {
                request.messages.push(Message::user("c"));
                request.messages.truncate(4 - usize::from(known == 0));
            }
        }
    }

    #[test]
    fn another_shape_another_tool_and_a_clone_are_written_as_a_whole() {
        let mut request = run();
        assert_eq!(written(&request, "x").1, 0);
        assert_eq!(written(&request, "x").1, 2);
        assert_eq!(written(&request.clone(), "x").1, 0);
        assert_eq!(written(&request, "y").1, 0, "of another provider");
        assert_eq!(written(&request, "y").1, 2);
        request.tools.push(ToolDefinition::new("t", ""));
        assert_eq!(written(&request, "y").1, 0, "names may differ now");
        request.docs.push("d".into());
        assert_eq!(written(&request, "y").1, 0, "documents have a place of their own");
    }

    #[test]
    fn answers_of_one_turn_are_not_parted() {
        let mut request = run();
        request.messages.push(Message::new(Role::Tool, []));
        written(&request, "x");
        request.messages.push(Message::new(Role::Tool, []));
        assert_eq!(written(&request, "x").1, 0);
    }

    #[test]
    fn an_object_without_members_is_closed() {
        let mut body = b"{\"a\":[]".to_vec();
        write_members(&mut body, &serde_json::json!({})).unwrap();
        assert_eq!(body, b"{\"a\":[]}");
    }
}
