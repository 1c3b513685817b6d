//! The browser that comes back to this machine.

use super::super::callback::CallbackListener;

async fn get(url: &str) -> (u16, String) {
    let browser = reqwest::Client::builder().no_proxy().build().unwrap();
    let answer = browser.get(url).send().await.unwrap();
    (answer.status().as_u16(), answer.text().await.unwrap())
}

#[tokio::test]
async fn only_the_answer_with_the_right_state_ends_the_wait() {
    crate::net::install_crypto();
    let listener = CallbackListener::bind(None, None).await.unwrap();
    let uri = listener.uri().to_owned();
    assert!(uri.starts_with("http://127.0.0.1:") && uri.ends_with("/callback"));
    let idle = tokio::net::TcpStream::connect(uri[7..].trim_end_matches("/callback")).await;
    let waiting = tokio::spawn(async move { listener.callback("s1").await });
    let favicon = uri.replace("/callback", "/favicon.ico");
    assert_eq!(get(&favicon).await.0, 404);
    let (status, page) = get(&format!("{uri}?code=a&state=%3Cb%3E")).await;
    assert!(status == 400 && !page.contains("<b>"), "{page}");
    assert!(!waiting.is_finished());
    let (status, page) = get(&format!("{uri}?code=a%20b&state=s1")).await;
    assert!(status == 200 && page.contains("Access was given"), "{page}");
    assert_eq!(waiting.await.unwrap(), format!("{uri}?code=a%20b&state=s1"));
    drop(idle);
}

#[tokio::test]
async fn a_port_that_is_taken_is_an_error_if_it_was_said_and_else_another_one() {
    let taken = CallbackListener::bind(None, None).await.unwrap();
    let error = CallbackListener::bind(Some(taken.uri()), None).await.map(drop).unwrap_err();
    assert!(error.to_string().contains("cannot wait for the browser at 127.0.0.1:"), "{error}");
    let port = reqwest::Url::parse(taken.uri()).unwrap().port();
    let other = CallbackListener::bind(None, port).await.unwrap();
    assert_ne!(other.uri(), taken.uri());
}

#[tokio::test]
async fn a_request_that_comes_to_nothing_does_not_end_the_wait_for_another() {
    use tokio::io::AsyncWriteExt;

    crate::net::install_crypto();
    for (uri, host) in [(None, "127.0.0.1"), (Some("http://127.0.0.2/callback"), "127.0.0.2")] {
        let listener = CallbackListener::bind(uri, None).await.unwrap();
        let uri = listener.uri().to_owned();
        let at = uri[7..].trim_end_matches("/callback").to_owned();
        assert!(at.starts_with(host));
        let waiting = tokio::spawn(async move { listener.callback("s1").await });
        let mut slow = tokio::net::TcpStream::connect(&at).await.unwrap();
        slow.write_all(b"GET /callback?code=a&state=s1 HTTP/1.1\r\n").await.unwrap();
        assert_eq!(get(&uri.replace("/callback", "/favicon.ico")).await.0, 404);
        slow.write_all(b"\r\n").await.unwrap();
        let patience = std::time::Duration::from_secs(5);
        let callback = tokio::time::timeout(patience, waiting).await.expect("the answer");
        assert!(callback.unwrap().contains("code=a"));
    }
}
