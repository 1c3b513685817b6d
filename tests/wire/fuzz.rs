//! A call ends with a response or with an error without secrets, whatever a provider's server sends.

use std::sync::{Arc, Mutex};

use genkit::model::{ChunkSink, Model, ModelRequest, ToolDefinition};
use genkit::{Error, Message};
use genkit_tests::fuzz::{Rng, fuzz};
use serde_json::{Value, json};

use crate::cases::{self, BUILT};
use crate::faults::server::{KEY, PATIENCE};
use crate::mock::{Dialect, End, Mock, Said, dialect};

/// Seeds that failed once.
const SEEDS: &[u64] = &[];

/// A stand-in that sends whatever was set last.
struct Liar {
    model: Arc<dyn Model>,
    says: Arc<Mutex<Vec<u8>>>,
    runtime: tokio::runtime::Runtime,
}

impl Liar {
    fn of(provider: &str) -> Self {
        let says = Arc::new(Mutex::new(Vec::new()));
        let said = Arc::clone(&says);
        let mock = Mock::answers(dialect(provider), move |_, _| said.lock().unwrap().clone());
        let model = cases::model_with(provider, mock.dialect.model(), &mock.url, KEY, None);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        Self { model, says, runtime }
    }

    /// Makes a call. Returns the error if the call fails.
    fn hears(&self, kind: &str, body: &[u8], streams: bool) -> Option<Error> {
        let mut answer = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
            body.len()
        )
        .into_bytes();
        answer.extend_from_slice(body);
        *self.says.lock().unwrap() = answer;
        let request = ModelRequest::new([Message::user("hi")])
            .with_tools([
                ToolDefinition::new("add", "Adds.").with_input_schema(json!({"type": "object"}))
            ]);
        let sink = if streams { ChunkSink::new(|_| {}) } else { ChunkSink::none() };
        let call =
            async { tokio::time::timeout(PATIENCE, self.model.generate(&request, &sink)).await };
        let error = self.runtime.block_on(call).expect("the call ends").err()?;
        let whole = format!("{error} {error:?} {}", error.chain());
        assert!(!whole.contains(KEY), "{whole}");
        Some(error)
    }
}

/// Returns a random response in the provider's format.
fn said(rng: &mut Rng) -> Said {
    let mut said = Said::text(rng.text("hello wörld \n\"{}[]<>", 40));
    if rng.chance(50) {
        said = said.thought("hm, let me see", "c2ln");
    }
    for _ in 0..rng.below(4) {
        let id = *rng.pick(&[None, Some("call_1"), Some("call_2")]);
        said = said.calls(id, "add", json!({"a": rng.below(9), "b": [null, {"c": "d"}]}));
    }
    said.own = rng.chance(30);
    said.end = *rng.pick(&[End::Stop, End::Length, End::Blocked]);
    said
}

/// Modifies one place of a value: changes its type, or removes it.
fn bend(value: &mut Value, rng: &mut Rng) {
    match value {
        Value::Object(map) if !map.is_empty() && rng.chance(85) => {
            let keys: Vec<String> = map.keys().cloned().collect();
            let key = rng.pick(&keys).clone();
            if rng.chance(15) {
                map.shift_remove(&key);
            } else if let Some(inner) = map.get_mut(&key) {
                bend(inner, rng);
            }
        }
        Value::Array(list) if !list.is_empty() && rng.chance(85) => {
            let at = rng.below(list.len());
            if rng.chance(15) {
                let again = list[at].clone();
                list.push(again);
            } else {
                bend(&mut list[at], rng);
            }
        }
        other => {
            let strange = [
                json!(null),
                json!(true),
                json!(-1),
                json!(1e308),
                json!(u64::MAX),
                json!(""),
                json!("x"),
                json!("\u{2028}{}"),
                json!([]),
                json!([[]]),
                json!({}),
                json!({"a": {"b": []}}),
                json!("response.output_text.delta"),
                json!("tool_use"),
                json!("message_stop"),
                json!(99),
                // Servers may echo an invalid key.
                json!(KEY),
            ];
            *other = rng.pick(&strange).clone();
        }
    }
}

/// Returns the pieces of a response, modified, repeated, removed or reordered.
fn bent(dialect: &dyn Dialect, rng: &mut Rng) -> Vec<Value> {
    let mut pieces = dialect.pieces(&said(rng));
    for _ in 0..=rng.below(4) {
        let at = rng.below(pieces.len());
        match rng.below(5) {
            0 => drop(pieces.remove(at)),
            1 => pieces.push(pieces[at].clone()),
            2 => {
                let other = rng.below(pieces.len());
                pieces.swap(at, other);
            }
            _ => bend(&mut pieces[at], rng),
        }
        if pieces.is_empty() {
            break;
        }
    }
    pieces
}

#[test]
fn random_bytes_end_every_call() {
    for provider in BUILT {
        let liar = Liar::of(provider);
        fuzz(&format!("{provider}: random bytes"), SEEDS, |rng| {
            let mut body = rng.bytes(300);
            if rng.chance(50) {
                body.splice(
                    0..0,
                    rng.pick(&["{", "data: {", "[", "event: x\ndata: ", "\u{feff}", KEY]).bytes(),
                );
            }
            let kind =
                *rng.pick(&["text/event-stream", "application/json", "application/x-ndjson", "x"]);
            let streams = rng.chance(50);
            liar.hears(kind, &body, streams);
        });
    }
}

#[test]
fn answers_that_are_bent_end_every_call() {
    for provider in BUILT {
        let (liar, dialect) = (Liar::of(provider), dialect(provider));
        fuzz(&format!("{provider}: a bent answer"), SEEDS, |rng| {
            let mut whole = dialect.whole(&said(rng));
            for _ in 0..=rng.below(3) {
                bend(&mut whole, rng);
            }
            let streams = rng.chance(30);
            liar.hears("application/json", whole.to_string().as_bytes(), streams);
        });
    }
}

#[test]
fn streams_that_are_bent_or_cut_end_every_call() {
    for provider in BUILT {
        let (liar, dialect) = (Liar::of(provider), dialect(provider));
        fuzz(&format!("{provider}: a bent stream"), SEEDS, |rng| {
            let mut body = dialect.framed(&bent(dialect, rng)).into_bytes();
            if rng.chance(30) {
                let most = rng.below(body.len());
                body.truncate(most);
            }
            if rng.chance(20) && !body.is_empty() {
                let at = rng.below(body.len());
                body[at] = rng.bytes(1).first().copied().unwrap_or(b'\n');
            }
            liar.hears(dialect.stream_type(), &body, true);
        });
    }
}

/// A complete response is read completely, whatever it contains.
#[test]
fn answers_that_are_whole_are_read() {
    for provider in BUILT {
        let (liar, dialect) = (Liar::of(provider), dialect(provider));
        fuzz(&format!("{provider}: a whole answer"), SEEDS, |rng| {
            let said = said(rng);
            let whole = dialect.whole(&said).to_string();
            let error = liar.hears("application/json", whole.as_bytes(), false);
            assert!(error.is_none(), "{error:?} {whole}");
            let framed = dialect.framed(&dialect.pieces(&said));
            let error = liar.hears(dialect.stream_type(), framed.as_bytes(), true);
            assert!(error.is_none(), "{error:?} {framed}");
        });
    }
}
