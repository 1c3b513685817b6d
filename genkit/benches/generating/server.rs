//! A server with Gemini's wire format and a minimal implementation of HTTP.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};

/// The number of tool rounds that it requests.
const ROUNDS: usize = 3;

/// Serves until the process is killed. Prints its port first.
pub(crate) fn serve() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    println!("{}", listener.local_addr().unwrap().port());
    for connection in listener.incoming() {
        std::thread::spawn(move || while_open(connection.unwrap()));
    }
}

fn while_open(connection: TcpStream) {
    connection.set_nodelay(true).unwrap();
    let mut reader = BufReader::new(connection.try_clone().unwrap());
    let mut writer = connection;
    while let Some((stream, body)) = request(&mut reader) {
        let answer = answer(stream, &body);
        if writer.write_all(&answer).is_err() {
            return;
        }
    }
}

/// Reads a request. Returns whether it requests a stream, and the body.
fn request(reader: &mut BufReader<TcpStream>) -> Option<(bool, Vec<u8>)> {
    let (mut line, mut length, mut stream) = (String::new(), 0, false);
    loop {
        line.clear();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        if line.starts_with("POST") {
            stream = line.contains("streamGenerateContent");
        } else if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        } else if line.trim().is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some((stream, body))
}

fn count(body: &[u8], word: &str) -> usize {
    body.windows(word.len()).filter(|window| *window == word.as_bytes()).count()
}

fn answer(stream: bool, body: &[u8]) -> Vec<u8> {
    let rounds = count(body, "\"functionResponse\"") / 2;
    if count(body, "\"thoughtSignature\":\"c2lnbmF0dXJl") != rounds {
        return http(
            400,
            "application/json",
            r#"{"error":{"code":400,"message":"Function call is missing a thought_signature","status":"INVALID_ARGUMENT"}}"#,
        );
    }
    let parts = if rounds < ROUNDS {
        format!(
            r#"[{{"functionCall":{{"name":"add","args":{{"a":{rounds},"b":2}},"id":"a{rounds}"}},"thoughtSignature":"c2lnbmF0dXJl{rounds}"}},{{"functionCall":{{"name":"get_weather","args":{{"city":"Baltimore"}},"id":"b{rounds}"}}}}]"#
        )
    } else {
        r#"[{"text":"It is 63 degrees and sunny in Baltimore, and the sum is four."}]"#.to_owned()
    };
    let usage = r#""usageMetadata":{"promptTokenCount":120,"candidatesTokenCount":20,"totalTokenCount":140},"modelVersion":"gemini-bench""#;
    let whole = format!(
        r#"{{"candidates":[{{"content":{{"parts":{parts},"role":"model"}},"finishReason":"STOP","index":0}}],{usage}}}"#
    );
    if !stream {
        return http(200, "application/json", &whole);
    }
    let events: String = if rounds < ROUNDS {
        format!("data: {whole}\r\n\r\n")
    } else {
        let words =
            "It is 63 degrees and sunny in Baltimore, and the sum is four.".split_inclusive(' ');
        let pieces = words.map(|word| {
            format!(
                "data: {{\"candidates\":[{{\"content\":{{\"parts\":[{{\"text\":\"{word}\"}}],\"role\":\"model\"}},\"index\":0}}],{usage}}}\r\n\r\n"
            )
        });
        let end = format!(
            "data: {{\"candidates\":[{{\"content\":{{\"parts\":[{{\"text\":\"\"}}],\"role\":\"model\"}},\"finishReason\":\"STOP\",\"index\":0}}],{usage}}}\r\n\r\n"
        );
        pieces.chain([end]).collect()
    };
    http(200, "text/event-stream", &events)
}

fn http(status: u16, kind: &str, body: &str) -> Vec<u8> {
    format!(
        "HTTP/1.1 {status} OK\r\ncontent-type: {kind}\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}
