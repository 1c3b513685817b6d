//! The list of messages in a request body: the cached JSON of earlier turns, followed by the new messages.

use std::hash::{BuildHasher as _, Hash, Hasher as _};
use std::sync::MutexGuard;

use serde::Serialize;

use super::CachedPrefix;
use crate::message::Role;
use crate::model::request::ModelRequest;

/// The capacity to reserve for new messages and for the other members of a body, in bytes.
const ROOM: usize = 4096;

/// The list of messages of a body that is being written.
pub struct MessageList<'a> {
    front: Option<MutexGuard<'a, CachedPrefix>>,
    key: u64,
    /// The number of messages that are cached; the messages after them must be encoded.
    pub from: usize,
    all: usize,
    is_open: bool,
}

impl<'a> MessageList<'a> {
    /// Creates the list of `request`. `shape` must contain everything that affects the encoding of
    /// a message other than the message itself, the messages before it and the names of the tools.
    pub fn from_request(request: &'a ModelRequest, shape: impl Hash) -> Self {
        let all = request.messages.len();
        let front = request.encoded.lock_front().filter(|_| request.docs.is_empty());
        let Some(front) = front else {
            return Self { front: None, key: 0, from: 0, all, is_open: false };
        };
        let mut hasher = front.hasher.build_hasher();
        shape.hash(&mut hasher);
        request.tools.iter().for_each(|tool| tool.name.hash(&mut hasher));
        let key = hasher.finish();
        // A message that is not from the model may be merged with the message before it.
        let goes_on = request.messages.get(front.messages).is_none_or(|it| it.role == Role::Model);
        let is_same = front.key == key && front.messages <= all && goes_on;
        let from = if is_same { front.messages } else { 0 };
        Self { front: Some(front), key, from, all, is_open: false }
    }

    /// Disables caching if `is_open`, because the end of the list then affects how the next messages are encoded.
    pub fn without_caching_if_open(self, is_open: bool) -> Self {
        Self { is_open, ..self }
    }

    /// Returns the body: the list under the key `name`, with `new` as the messages that are not
    /// cached, and then the members of `rest`.
    pub fn into_body<T: Serialize>(
        mut self,
        name: &str,
        new: &[T],
        rest: &impl Serialize,
    ) -> serde_json::Result<Vec<u8>> {
        let mut body = self.begin_list(name)?;
        self.write(&mut body, new)?;
        write_members(&mut body, rest)?;
        Ok(body)
    }

    /// Returns the body like `into_body`, and caches the encoded `rest`. `rest` must depend only on `shape`, on the
    /// system messages, and on the request without its messages.
    pub fn into_body_with<T: Serialize, R: Serialize, E: From<serde_json::Error>>(
        mut self,
        request: &ModelRequest,
        name: &str,
        new: &[T],
        shape: impl Hash,
        rest: impl FnOnce() -> Result<R, E>,
    ) -> Result<Vec<u8>, E> {
        let mut body = self.begin_list(name)?;
        // Some providers put system messages outside the list.
        let mut new_messages = request.messages.iter().skip(self.from);
        let is_known = self.from > 0 && new_messages.all(|it| it.role != Role::System);
        self.write(&mut body, new)?;
        let Some(front) = &mut self.front else {
            write_members(&mut body, &rest()?)?;
            return Ok(body);
        };
        let key = front.hasher.hash_one((self.key, shape));
        match front.rest.as_ref().filter(|(known, _)| is_known && *known == key) {
            Some((_, rest)) => body.extend_from_slice(rest),
            None => {
                let from = body.len();
                write_members(&mut body, &rest()?)?;
                front.rest = Some((key, body[from..].to_vec()));
            }
        }
        Ok(body)
    }

    /// Starts a body with enough capacity, up to the list.
    fn begin_list(&self, name: &str) -> serde_json::Result<Vec<u8>> {
        let front = self.front.as_ref();
        let known = front.map_or(0, |front| {
            front.json.len() + front.rest.as_ref().map_or(0, |(_, rest)| rest.len())
        });
        let mut body = Vec::with_capacity(ROOM + known);
        body.push(b'{');
        serde_json::to_writer(&mut body, name)?;
        body.push(b':');
        Ok(body)
    }

    /// Writes the list: the cached messages, then `rest`.
    fn write<T: Serialize>(&mut self, body: &mut Vec<u8>, rest: &[T]) -> serde_json::Result<()> {
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
                // The list grows with each turn.
                front.json.reserve(ROOM / 2);
            }
            if self.is_open {
                (front.key, front.messages) = (self.key, 0);
            } else {
                front.json.extend_from_slice(&body[begin..]);
                (front.key, front.messages) = (self.key, self.all);
            }
        }
        body.push(b']');
        Ok(())
    }
}

/// Appends the members of `object` to the members already in `body`, and closes the JSON object.
fn write_members(body: &mut Vec<u8>, object: &impl Serialize) -> serde_json::Result<()> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::Message;
    use crate::model::encoded::EncodedMessages;
    use crate::model::request::ToolDefinition;

    /// Returns the body with `shape`, and the number of its messages that were cached.
    fn written(request: &ModelRequest, shape: &str) -> (String, usize) {
        let list = MessageList::from_request(request, shape);
        let from = list.from;
        let rest: Vec<String> = request.messages[from..].iter().map(Message::text).collect();
        let body = list.into_body("messages", &rest, &serde_json::json!({"shape": shape})).unwrap();
        (String::from_utf8(body).unwrap(), from)
    }

    fn request() -> ModelRequest {
        ModelRequest {
            encoded: EncodedMessages::for_run(),
            ..ModelRequest::new([Message::user("a"), Message::model("b")])
        }
    }

    #[test]
    fn only_new_messages_are_encoded_and_the_body_is_identical() {
        let mut request = request();
        for known in [0, 2, 4] {
            let (body, from) = written(&request, "x");
            assert_eq!((&body, from), (&written(&request.clone(), "x").0, known));
            request.messages.extend([Message::model("c"), Message::user("\"d\"")]);
        }
    }

    #[test]
    fn another_shape_another_tool_and_a_clone_are_written_as_a_whole() {
        let mut request = request();
        assert_eq!(written(&request, "x").1, 0);
        assert_eq!(written(&request, "x").1, 2);
        assert_eq!(written(&request.clone(), "x").1, 0);
        assert_eq!(written(&request, "y").1, 0, "a different shape disables the cache");
        assert_eq!(written(&request, "y").1, 2);
        request.tools.push(ToolDefinition::new("t", ""));
        assert_eq!(written(&request, "y").1, 0, "a new tool may change the sent names");
        request.docs.push("d".into());
        assert_eq!(written(&request, "y").1, 0, "documents disable the cache");
    }

    #[test]
    fn message_that_may_merge_is_encoded_with_its_predecessor() {
        for role in [Role::Tool, Role::User, Role::System] {
            let mut request = request();
            request.messages.push(Message::new(Role::Tool, []));
            written(&request, "x");
            request.messages.push(Message::new(role, []));
            assert_eq!(written(&request, "x").1, 0, "{role:?}");
        }
    }

    #[test]
    fn suffix_is_cached_until_its_shape_changes() {
        let mut request = request();
        let made = |request: &ModelRequest, shape: &str| {
            let (list, mut made) = (MessageList::from_request(request, "x"), false);
            let new: Vec<String> =
                request.messages[list.from..].iter().map(Message::text).collect();
            let body = list.into_body_with(request, "messages", &new, shape, || {
                made = true;
                Ok::<_, serde_json::Error>(serde_json::json!({"shape": shape}))
            });
            let end = format!("],\"shape\":\"{shape}\"}}");
            assert!(String::from_utf8(body.unwrap()).unwrap().ends_with(&end));
            made
        };
        assert!(made(&request, "a"));
        request.messages.extend([Message::model("c"), Message::user("d")]);
        assert!(!made(&request, "a"));
        assert!(made(&request, "b"), "a different shape is encoded again");
        assert!(!made(&request, "b"));
        assert!(made(&request.clone(), "b"), "a clone has an empty cache");
        request.encoded.forget_rest();
        assert!(made(&request, "b"), "`forget_rest` clears the cached rest");
        request.messages.extend([Message::model("e"), Message::system("f")]);
        assert!(made(&request, "b"), "the rest may contain system messages");
    }

    #[test]
    fn object_without_members_is_closed() {
        let mut body = b"{\"a\":[]".to_vec();
        write_members(&mut body, &serde_json::json!({})).unwrap();
        assert_eq!(body, b"{\"a\":[]}");
    }
}
