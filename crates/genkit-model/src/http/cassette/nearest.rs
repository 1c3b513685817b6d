//! Finds the recording that is most similar to a request, and describes the difference.

use serde_json::Value;

use super::file::RecordedRequest;
use genkit_schema::internal::truncate::excerpt;

/// The maximum length of a value in a message, in characters. Default is 200.
const SHOWN: usize = 200;

/// Describes how a request that was not recorded differs from the most similar recording.
pub(super) fn describe_difference(
    request: &RecordedRequest,
    recorded: &[&RecordedRequest],
) -> String {
    let nearest = recorded
        .iter()
        .enumerate()
        .map(|(index, recorded)| (Difference::between(recorded, request), index))
        .min_by_key(|(difference, _)| difference.count);
    let Some((difference, index)) = nearest else {
        return format!("the cassette is empty; requested {} {}", request.method, request.path);
    };
    let (at, before, now) = difference.first;
    format!(
        "the most similar recording is number {} of {}, which differs at {at}: recorded {before}, \
         requested {now}; record the cassette again if the change is intended",
        index + 1,
        recorded.len(),
    )
}

/// The differences between two requests.
struct Difference {
    count: usize,
    /// The location, the recorded value and the requested value.
    first: (String, String, String),
}

impl Difference {
    fn between(recorded: &RecordedRequest, request: &RecordedRequest) -> Self {
        let mut all = Self { count: 0, first: Default::default() };
        let line =
            |request: &RecordedRequest| Value::from(format!("{} {}", request.method, request.path));
        if line(recorded) != line(request) {
            // A request with a different path, for example for another model, is the least similar.
            all.add("the path", Some(&line(recorded)), Some(&line(request)));
            all.count += 1_000;
        }
        all.compare_values("body", Some(&recorded.body), Some(&request.body));
        all
    }

    fn compare_values(&mut self, at: &str, recorded: Option<&Value>, request: Option<&Value>) {
        match (recorded, request) {
            (Some(a), Some(b)) if a == b => {}
            (Some(Value::Object(a)), Some(Value::Object(b))) => {
                for key in a.keys().chain(b.keys().filter(|key| !a.contains_key(*key))) {
                    self.compare_values(&format!("{at}.{key}"), a.get(key), b.get(key));
                }
            }
            (Some(Value::Array(a)), Some(Value::Array(b))) => {
                for index in 0..a.len().max(b.len()) {
                    self.compare_values(&format!("{at}[{index}]"), a.get(index), b.get(index));
                }
            }
            (a, b) => self.add(at, a, b),
        }
    }

    fn add(&mut self, at: &str, recorded: Option<&Value>, request: Option<&Value>) {
        if self.count == 0 {
            self.first = (at.to_owned(), show_value(recorded), show_value(request));
        }
        self.count += 1;
    }
}

fn show_value(value: Option<&Value>) -> String {
    value.map_or_else(|| "nothing".to_owned(), |value| excerpt(&value.to_string(), SHOWN))
}
