use serde_json::{Value, json};

use super::{SONNET, begin, decode, end, messages, piece, start, stream};
use genkit_core::ErrorKind;
use genkit_core::Part;
use genkit_core::{FinishReason, ModelRequest, ToolDefinition};
use genkit_model::internal::wire::WireFormat as _;

/// Returns the content as encoded in a later request.
fn back(response: &genkit_core::ModelResponse) -> Value {
    let message = serde_json::to_value(response.message.as_ref().unwrap()).unwrap();
    let asked = json!({"role": "user", "content": [{"text": "x"}]});
    messages(json!([asked, message, asked]))[1]["content"].take()
}

#[test]
fn anthropic_response_is_sent_back_unchanged() {
    let blocks = json!([
        {"type": "thinking", "thinking": "hm", "signature": "EqoBCkgI=="},
        {"type": "redacted_thinking", "data": "EmwK"},
        {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"z": 1, "a": 2}},
        {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": [{"encrypted_content": "x"}]},
        {"type": "text", "text": "Blue.", "citations": [{"type": "web_search_result_location", "url": "u"}]},
        {"type": "new_block", "what": [1]},
    ]);
    let response = decode(json!({"content": blocks, "stop_reason": "end_turn"}));
    assert_eq!(back(&response), blocks);
    assert_eq!(response.message.unwrap().text(), "Blue.");
    // The same response, streamed block by block.
    let mut events = vec![start()];
    for (index, block) in (0..).zip(blocks.as_array().unwrap()) {
        events.extend([begin(index, block.clone()), end(index)]);
    }
    assert_eq!(back(&stream(&events).0.unwrap()), blocks);
}

#[test]
fn call_that_code_made_keeps_its_caller() {
    let call = |caller: Value| {
        let block =
            json!({"type": "tool_use", "id": "t1", "name": "a", "input": {}, "caller": caller});
        decode(json!({"content": [block], "stop_reason": "tool_use"}))
            .message
            .unwrap()
            .content
            .remove(0)
    };
    assert!(call(json!({"type": "direct"})).metadata().is_empty());
    let code = json!({"type": "code_execution_20250825", "tool_id": "srvtoolu_1"});
    assert_eq!(call(code.clone()).metadata()["caller"], code);
}

#[test]
fn tools_have_our_names_again() {
    let request = ModelRequest::default().with_tools([ToolDefinition::new("fs/read", "")]);
    let answer = json!({"content": [{"type": "tool_use", "id": "t", "name": "fs__read"}], "stop_reason": "tool_use"});
    let response =
        super::wire(SONNET).decode_response(&request, answer.to_string().as_bytes()).unwrap();
    let message = response.message.unwrap();
    let call = message.tool_requests().next().unwrap();
    assert_eq!((call.name.as_str(), &call.input), ("fs/read", &json!({})));
}

#[test]
fn every_reason_has_its_meaning() {
    let of = |reason: Value| {
        let response = decode(json!({"content": [], "stop_reason": reason}));
        (response.finish_reason.unwrap(), response.finish_message)
    };
    for reason in ["end_turn", "stop_sequence", "tool_use"] {
        assert_eq!(of(reason.into()), (FinishReason::Stop, None));
    }
    for reason in ["max_tokens", "model_context_window_exceeded"] {
        assert_eq!(of(reason.into()), (FinishReason::Length, None));
    }
    for reason in ["pause_turn", "compaction"] {
        assert_eq!(of(reason.into()), (FinishReason::Other, Some(reason.to_owned())));
    }
    assert_eq!(of("new".into()), (FinishReason::Unknown, Some("new".to_owned())));
    assert_eq!(of(Value::Null), (FinishReason::Unknown, None));
    assert_eq!(of("refusal".into()), (FinishReason::Blocked, Some("refusal".to_owned())));
    let details = json!({"category": "cyber", "explanation": "Not this."});
    let refused = decode(json!({"content": [], "stop_reason": "refusal", "stop_details": details}));
    assert_eq!(refused.finish_message.as_deref(), Some("Not this."));
    assert_eq!(refused.custom["stopDetails"], details);
}

#[test]
fn cached_tokens_are_part_of_the_input() {
    let usage = decode(json!({"content": [], "usage": {
        "input_tokens": 3, "cache_read_input_tokens": 100, "cache_creation_input_tokens": 20, "output_tokens": 7,
        "output_tokens_details": {"thinking_tokens": 4}, "server_tool_use": {"web_search_requests": 2},
    }}))
    .usage;
    assert_eq!(
        (usage.input_tokens, usage.output_tokens, usage.total_tokens),
        (Some(123), Some(7), Some(130))
    );
    assert_eq!((usage.cached_content_tokens, usage.thoughts_tokens), (Some(100), Some(4)));
    assert_eq!(usage.custom["cacheCreationInputTokens"], 20);
    assert_eq!(usage.custom["webSearchRequests"], 2);
    assert_eq!(decode(json!({"content": []})).usage, genkit_core::Usage::default());
}

#[test]
fn counts_of_a_stream_grow_and_zeros_do_not_replace_them() {
    let counts = |counts: Value| json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": counts});
    let (response, _) = stream(&[
        start(),
        counts(json!({"input_tokens": 0, "output_tokens": 5, "cache_read_input_tokens": null})),
        counts(json!({"output_tokens": 9})),
        json!({"type": "message_stop"}),
        counts(json!({"output_tokens": 100})),
    ]);
    let usage = response.unwrap().usage;
    assert_eq!((usage.input_tokens, usage.output_tokens), (Some(3), Some(9)));
}

#[test]
fn pieces_are_shown_as_they_come_and_calls_when_they_are_whole() {
    let json = |text: &str| piece(2, json!({"type": "input_json_delta", "partial_json": text}));
    let (response, chunks) = stream(&[
        start(),
        begin(0, json!({"type": "thinking", "thinking": "", "signature": ""})),
        json!({"type": "ping"}),
        piece(0, json!({"type": "thinking_delta", "thinking": "Let me "})),
        piece(0, json!({"type": "thinking_delta", "thinking": "see."})),
        piece(0, json!({"type": "signature_delta", "signature": "EqQB=="})),
        end(0),
        begin(1, json!({"type": "text", "text": ""})),
        piece(1, json!({"type": "text_delta", "text": "Look: "})),
        piece(1, json!({"type": "citations_delta", "citation": {"url": "u"}})),
        begin(2, json!({"type": "tool_use", "id": "t1", "name": "add", "input": {}})),
        json(""),
        json("{\"a\":"),
        json(" 1}"),
        end(2),
        piece(1, json!({"type": "text_delta", "text": "done"})),
        end(1),
        json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}}),
        json!({"type": "message_stop"}),
    ]);
    let message = response.unwrap().message.unwrap();
    assert_eq!(message.content[0].metadata()["thoughtSignature"], "EqQB==");
    assert_eq!(message.content[1].metadata()["citations"], json!([{"url": "u"}]));
    assert_eq!(message.text(), "Look: done");
    assert_eq!(message.tool_requests().next().unwrap().input, json!({"a": 1}));
    let text: String = chunks.iter().map(|chunk| chunk.text()).collect();
    let thoughts: String = chunks.iter().map(|chunk| chunk.reasoning()).collect();
    assert_eq!((text.as_str(), thoughts.as_str()), ("Look: done", "Let me see."));
    let calls: Vec<_> = chunks
        .iter()
        .flat_map(|chunk| chunk.content.iter().filter_map(Part::as_tool_request))
        .collect();
    assert_eq!(calls.iter().map(|call| call.partial).collect::<Vec<_>>(), [true, false]);
}

#[test]
fn block_of_a_new_kind_grows_with_its_pieces() {
    let (response, _) = stream(&[
        start(),
        begin(0, json!({"type": "compaction", "content": ""})),
        piece(0, json!({"type": "compaction_delta", "content": "We "})),
        piece(0, json!({"type": "compaction_delta", "content": "met."})),
        end(0),
    ]);
    let message = response.unwrap().message.unwrap();
    let Part::Custom { custom, .. } = &message.content[0] else { panic!() };
    assert_eq!(custom["anthropicBlock"], json!({"type": "compaction", "content": "We met."}));
}

#[test]
fn call_that_was_cut_off_is_not_run() {
    let cut = |reason: Value, last: &[Value]| {
        let mut events = vec![
            start(),
            begin(0, json!({"type": "tool_use", "id": "t", "name": "a", "input": {}})),
        ];
        events
            .push(piece(0, json!({"type": "input_json_delta", "partial_json": "{\"path\": \"/"})));
        events.extend_from_slice(last);
        events.push(json!({"type": "message_delta", "delta": {"stop_reason": reason}}));
        let message = stream(&events).0.unwrap().message.unwrap();
        assert_eq!(message.content[0].as_tool_request().unwrap().input, "{\"path\": \"/");
        message.tool_requests().count()
    };
    assert_eq!(cut("max_tokens".into(), &[end(0)]), 0);
    assert_eq!(cut(Value::Null, &[]), 0);
    let whole = decode(json!({"stop_reason": "max_tokens", "content": [
        {"type": "tool_use", "id": "t", "name": "a", "input": {}}]}));
    assert_eq!(whole.message.unwrap().tool_requests().count(), 0);
}

#[test]
fn error_inside_a_response_is_an_error() {
    let error =
        json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}});
    let wire = super::wire(SONNET);
    let unary =
        wire.decode_response(&ModelRequest::default(), error.to_string().as_bytes()).unwrap_err();
    assert_eq!((unary.kind(), unary.is_retryable()), (ErrorKind::Unavailable, true));
    let text = [start(), begin(0, json!({"type": "text", "text": "a"})), error];
    let (ended, chunks) = stream(&text);
    assert_eq!(ended.unwrap_err().to_string(), "anthropic: HTTP 529: Overloaded");
    assert_eq!(chunks[0].text(), "a");
}
