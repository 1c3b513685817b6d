//! The output limit of tools. It applies to the value and all content of a tool response together.

use serde_json::Value;

use genkit_core::internal::visible::Logged;
use genkit_core::{Part, ToolResponse};
use genkit_schema::internal::size::json_size;
use genkit_schema::internal::truncate::truncate;

/// The size up to which a part counts as small, in bytes of JSON. Default is 512.
const SMALL_PART: usize = 512;

/// The number of small parts that are kept beyond the limit. Default is 8.
const SMALL_PARTS: usize = 8;

/// Truncates a tool response to `limit` bytes of JSON. Text is cut and marked; other parts are replaced with a text
/// part that describes them.
pub(super) fn truncate_response(response: &mut ToolResponse, limit: usize) {
    let size = if response.output.is_null() { 0 } else { json_size(&response.output) };
    let whole = size.saturating_add(response.content.iter().map(measure_part).sum());
    if whole <= limit {
        return;
    }
    tracing::warn!(
        tool = %Logged::name(&response.name), size = whole, limit, "truncated a tool response for the model"
    );
    if size > limit {
        let text = match response.output.take() {
            Value::String(text) => text,
            other => other.to_string(),
        };
        response.output = Value::String(cut_output(&text, limit));
    }
    let mut left = limit.saturating_sub(size);
    let mut small = SMALL_PARTS;
    for part in &mut response.content {
        let size = measure_part(part);
        if size <= left {
            left -= size;
        } else if part.as_text().is_none() && size <= SMALL_PART && small > 0 {
            small -= 1;
        } else {
            cut_part(part, size, left);
            left = 0;
        }
    }
    merge_left_out(&mut response.content);
}

/// Returns the size of a part in bytes of JSON. Text counts with its unescaped length, unless most of its characters
/// need escaping.
fn measure_part(part: &Part) -> usize {
    let json = json_size(part);
    part.as_text().map_or(json, |text| text.len().max(json / 2))
}

/// Returns the first `limit` bytes of a string, with a note about its full length.
pub(super) fn cut_output(text: &str, limit: usize) -> String {
    let shown = truncate(text, limit);
    format!(
        "{shown}\n[cut: the first {} of {} bytes are shown; request less, for example with a filter \
         or a smaller page]",
        shown.len(),
        text.len()
    )
}

const LEFT_OUT: &str = "[left out: ";

fn cut_part(part: &mut Part, size: usize, left: usize) {
    match part {
        Part::Text { text, .. } if left > 0 => {
            let shown = text.len().saturating_mul(left) / size.max(1);
            *text = cut_output(text, shown);
        }
        Part::Resource { resource, metadata, .. } if resource.text.is_some() && left > 0 => {
            let text = resource.text.take().unwrap_or_default();
            let cut = cut_output(&text, left / 2);
            let metadata = std::mem::take(metadata);
            *part = Part::text(cut);
            *part.metadata_mut() = metadata;
        }
        other => {
            let what = match other {
                Part::Text { .. } => "text",
                Part::Media { .. } => "media",
                Part::Resource { .. } => "a resource",
                _ => "content",
            };
            *other = Part::text(format!(
                "{LEFT_OUT}{what} of {size} bytes, which exceeds the output limit]"
            ));
        }
    }
}

/// Merges the notes about removed parts into a single note if there are many, since a tool can return any number of
/// parts.
fn merge_left_out(content: &mut Vec<Part>) {
    const NAMED: usize = 10;
    let is_left_out = |part: &Part| {
        part.as_text().is_some_and(|text| text.starts_with(LEFT_OUT) || text.is_empty())
    };
    let mut count = 0;
    let before = content.len();
    content.retain(|part| {
        count += usize::from(is_left_out(part));
        !is_left_out(part) || count <= NAMED
    });
    let gone = before - content.len();
    if gone > 0 {
        content.push(Part::text(format!("{LEFT_OUT}{gone} more parts]")));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use genkit_core::ToolRequest;

    fn answer(output: Value, content: Vec<Part>, limit: usize) -> ToolResponse {
        let mut response = ToolRequest::new("t", json!({})).respond(output);
        response.content = content;
        truncate_response(&mut response, limit);
        response
    }

    fn image(bytes: usize) -> Part {
        Part::media(format!("data:image/png;base64,{}", "A".repeat(bytes)), "image/png")
    }

    #[test]
    fn output_within_the_limit_is_unchanged() {
        let content = vec![image(100), Part::text("beside")];
        let cut = answer(json!({"a": 1}), content.clone(), 1000);
        assert_eq!((cut.output, cut.content), (json!({"a": 1}), content));
    }

    #[test]
    fn media_counts_and_is_replaced_by_a_text() {
        let cut = answer(json!("seen"), vec![image(12_000_000), Part::text("beside")], 1000);
        assert_eq!(cut.output, "seen");
        let [left_out, beside] = &cut.content[..] else { panic!("{:?}", cut.content) };
        let text = left_out.as_text().expect("a text");
        assert!(text.starts_with("[left out: media of 12000"), "{text}");
        assert!(beside.as_text().expect("a text").len() < 200);
    }

    #[test]
    fn value_and_content_share_one_limit() {
        for (output, content) in [
            (json!("x".repeat(900)), vec![Part::text("y".repeat(900))]),
            (Value::Null, vec![Part::text("\"".repeat(900)), Part::text("y".repeat(900))]),
            (Value::Null, vec![Part::resource_text("a://b", "text/plain", "x".repeat(5000))]),
            (json!({"a": "x".repeat(5000)}), vec![image(900), image(900)]),
            (Value::Null, vec![Part::data(json!(vec![0; 5000]))]),
            (Value::Null, (0..10_000).map(|_| Part::text("yyyyyyyyy")).collect()),
            (Value::Null, (0..10_000).map(|_| image(900)).collect()),
        ] {
            let cut = answer(output, content, 1000);
            let size = json_size(&cut);
            assert!(size < 4000, "{size}");
            let said = serde_json::to_string(&cut).expect("JSON");
            assert!(said.contains("[cut: ") || said.contains("[left out: "), "{said}");
        }
    }
}
