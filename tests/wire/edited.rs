//! What a provider is sent of a call whose arguments the user changed.

use std::io::Write as _;
use std::net::TcpListener;
use std::sync::{Arc, Mutex};

use genkit::{tool, tools};
use serde_json::{Value, json};

use crate::cases;
use crate::faults::server::{http, read_request};

/// Pays.
#[tool(needs_approval)]
async fn pay(euros: u64) -> String {
    format!("paid {euros}")
}

/// A provider on loopback that gives these answers; what it was asked is noted.
fn provider(answers: [Value; 2]) -> (String, Arc<Mutex<Vec<Value>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let asked = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&asked);
    std::thread::spawn(move || {
        for answer in answers {
            let (mut connection, _) = listener.accept().unwrap();
            let request = read_request(&mut connection);
            let (_, body) = request.split_once("\r\n\r\n").unwrap();
            seen.lock().unwrap().push(serde_json::from_str(body).unwrap());
            connection.write_all(http("200 OK", "", &answer.to_string()).as_bytes()).unwrap();
        }
    });
    (url, asked)
}

/// The second request, after the user paid 20 instead of 500.
async fn sent(name: &str, answers: [Value; 2]) -> Value {
    let (url, asked) = provider(answers);
    let model = cases::model(name, "", &url).unwrap();
    let run = genkit::generate("Pay the bill.").model(model).tools(tools![pay]);
    let open = run.clone().await.unwrap();
    run.resume(open, |question| question.approve_with(json!({"euros": 20}))).await.unwrap();
    asked.lock().unwrap().pop().unwrap()
}

const NOTE: &str = "Note: the user changed the arguments of this call before it ran. You had asked for: \
                    {\"euros\":500}";

#[tokio::test]
async fn gemini_is_told_what_ran_and_what_it_had_asked_for() {
    let parts = |parts: Value| json!({"candidates": [{"finishReason": "STOP", "content": {"role": "model", "parts": parts}}]});
    let call = json!([{"functionCall": {"name": "pay", "args": {"euros": 500}, "id": "c1"}}]);
    let request = sent("gemini", [parts(call), parts(json!([{"text": "Paid."}]))]).await;
    let contents = request["contents"].as_array().unwrap();
    assert_eq!(contents[1]["parts"][0]["functionCall"]["args"], json!({"euros": 20}));
    let answer = contents[2]["parts"].as_array().unwrap();
    assert_eq!(answer[0]["functionResponse"]["response"]["output"], "paid 20");
    assert_eq!(answer[1]["text"], NOTE);
}

#[tokio::test]
async fn openai_is_told_what_ran_and_what_it_had_asked_for() {
    let says = |message: Value, reason: &str| json!({"choices": [{"message": message, "finish_reason": reason}]});
    let function = json!({"name": "pay", "arguments": "{\"euros\":500}"});
    let call = json!({"role": "assistant", "tool_calls": [{"id": "c1", "type": "function", "function": function}]});
    let text = json!({"role": "assistant", "content": "Paid."});
    let request = sent("openai", [says(call, "tool_calls"), says(text, "stop")]).await;
    let messages = request["messages"].as_array().unwrap();
    let sent = messages[1]["tool_calls"][0]["function"]["arguments"].as_str().unwrap();
    assert_eq!(serde_json::from_str::<Value>(sent).unwrap(), json!({"euros": 20}));
    assert_eq!(messages[2]["content"], format!("paid 20\n{NOTE}"));
}
