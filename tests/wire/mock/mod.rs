//! Stand-ins for the providers, one for each wire format. They send the responses of a test in the provider's format,
//! and parse requests into a common format.

mod anthropic;
mod chat;
mod gemini;
mod ollama;
mod responses;
mod server;

use serde_json::Value;

pub use server::{Mock, Request, answer};

/// Returns the stand-in for each provider, by its name in the cases.
pub fn dialect(provider: &str) -> &'static dyn Dialect {
    match provider {
        "anthropic" => &anthropic::Anthropic,
        "gemini" => &gemini::Gemini,
        "ollama" => &ollama::Ollama,
        "openai" => &chat::Chat,
        "openai-responses" => &responses::Responses,
        other => panic!("no mock for {other}"),
    }
}

/// The wire format of a provider.
pub trait Dialect: Sync {
    /// Returns a model that reasons and calls tools.
    fn model(&self) -> &'static str;

    /// Returns a complete response as JSON.
    fn whole(&self, said: &Said) -> Value;

    /// Returns the same response as the pieces of a stream.
    fn pieces(&self, said: &Said) -> Vec<Value>;

    /// Formats the pieces for the wire, with the end mark if there is one.
    fn framed(&self, pieces: &[Value]) -> String {
        self.events(pieces)
    }

    /// Formats the pieces without the end mark: a stream that continues or breaks.
    fn events(&self, pieces: &[Value]) -> String {
        let event = |piece: &Value| match piece["type"].as_str() {
            Some(name) => format!("event: {name}\ndata: {piece}\n\n"),
            None => format!("data: {piece}\n\n"),
        };
        pieces.iter().map(event).collect()
    }

    fn stream_type(&self) -> &'static str {
        "text/event-stream"
    }

    /// Returns the body of an error.
    fn failure(&self, status: u16, message: &str) -> Value;

    /// Returns whether a streamed response is requested.
    fn streams(&self, request: &Request) -> bool {
        request.body["stream"] == true
    }

    /// Parses a request.
    fn asked(&self, body: &Value) -> Asked;
}

/// A response from a model.
#[derive(Clone, Debug, Default)]
pub struct Said {
    /// Thoughts, and their signature.
    pub thoughts: Option<(String, String)>,
    pub text: String,
    pub calls: Vec<Called>,
    /// Content that was executed at the provider, and that only it understands.
    pub own: bool,
    pub end: End,
    /// Numbers of tokens: input, output, thoughts, cached input.
    pub usage: [u64; 4],
}

/// A call to a tool.
#[derive(Clone, Debug)]
pub struct Called {
    pub id: Option<String>,
    pub name: String,
    pub args: Value,
}

/// The reason why a model stopped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum End {
    #[default]
    Stop,
    Length,
    Blocked,
}

impl Said {
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), usage: [7, 5, 2, 3], ..Self::default() }
    }

    #[must_use]
    pub fn thought(mut self, thoughts: &str, signature: &str) -> Self {
        self.thoughts = Some((thoughts.to_owned(), signature.to_owned()));
        self
    }

    #[must_use]
    pub fn calls<'a>(mut self, id: impl Into<Option<&'a str>>, name: &str, args: Value) -> Self {
        let id = id.into().map(str::to_owned);
        self.calls.push(Called { id, name: name.to_owned(), args });
        self
    }

    /// Returns the id of a call, for formats that require one.
    fn id(&self, at: usize) -> String {
        self.calls[at].id.clone().unwrap_or_else(|| format!("made_up_{at}"))
    }
}

/// Splits the text, so that a stream has several pieces.
fn split(text: &str) -> Vec<String> {
    let characters: Vec<char> = text.chars().collect();
    characters.chunks(3).map(|piece| piece.iter().collect()).collect()
}

/// A request to a provider, in a common format.
#[derive(Debug, Default)]
pub struct Asked {
    pub system: String,
    pub turns: Vec<(Who, Vec<Piece>)>,
    /// The names of the tools and their schemas.
    pub tools: Vec<(String, Value)>,
    /// `auto`, `required`, `none`, or the name of a tool.
    pub choice: Option<String>,
    /// If true, JSON is requested, with `schema` if it is set.
    pub json: bool,
    pub schema: Option<Value>,
}

/// The author of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    User,
    Model,
}

/// A piece of a turn.
#[derive(Clone, Debug, PartialEq)]
pub enum Piece {
    Text(String),
    Thought {
        text: String,
        signature: Option<String>,
    },
    Call {
        id: Option<String>,
        name: String,
        args: Value,
    },
    Answer {
        id: Option<String>,
        name: Option<String>,
        output: Value,
    },
    /// Its media type, and its content or URL.
    Media(String, String),
    /// Content that only the provider understands.
    Own(Value),
}

impl Asked {
    pub fn pieces(&self) -> impl Iterator<Item = &Piece> {
        self.turns.iter().flat_map(|(_, pieces)| pieces)
    }

    /// Returns all text, including that of the system.
    pub fn text(&self) -> String {
        let texts = self.pieces().filter_map(|piece| match piece {
            Piece::Text(text) => Some(text.as_str()),
            _ => None,
        });
        std::iter::once(self.system.as_str()).chain(texts).collect::<Vec<_>>().join("\n")
    }

    /// Adds to the current turn, or starts a new one.
    fn add(&mut self, who: Who, piece: Piece) {
        match self.turns.last_mut() {
            Some((last, pieces)) if *last == who => pieces.push(piece),
            _ => self.turns.push((who, vec![piece])),
        }
    }
}

/// Returns the text of a value, or an empty string.
fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn some_text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// Parses a text as JSON, or returns the text.
fn parsed(value: &Value) -> Value {
    value.as_str().and_then(|text| serde_json::from_str(text).ok()).unwrap_or_else(|| value.clone())
}

/// Returns the type and the content of a `data:` URL, or any other URL itself.
fn media(kind: &str, url: &str) -> Piece {
    match url.strip_prefix("data:").and_then(|rest| rest.split_once(";base64,")) {
        Some((kind, data)) => Piece::Media(kind.to_owned(), data.to_owned()),
        None => Piece::Media(kind.to_owned(), url.to_owned()),
    }
}
