//! Checks of messages that clients send.

use http::Uri;

use genkit_core::{Message, Part};

/// The hosts of file APIs. A provider reads files from them with the credentials of the program.
const FILE_HOSTS: [&str; 3] =
    ["generativelanguage.googleapis.com", "api.openai.com", "api.anthropic.com"];

/// Checks a user message from a client, and removes the metadata of its parts, which only this library writes.
///
/// # Errors
/// Returns the reason if a part is neither text, inline media, nor media at an `https` URL. Other parts refer to content
/// that requires the program's permissions, or are created only by this library.
pub fn check_user_message(message: &mut Message) -> Result<(), &'static str> {
    for part in &mut message.content {
        part.metadata_mut().clear();
        if !matches!(part, Part::Text { .. } | Part::Media { .. }) {
            return Err("a message from a client can contain only text and media");
        }
        check_media(part)?;
    }
    Ok(())
}

fn check_media(part: &Part) -> Result<(), &'static str> {
    let Part::Media { media, .. } = part else { return Ok(()) };
    match is_readable(&media.url) {
        true => Ok(()),
        false => Err("media from a client must be a `data:` URL or a public `https` URL"),
    }
}

/// Returns whether the media at `url` is inline, or can be read without the credentials of the program.
pub fn is_readable(url: &str) -> bool {
    if url.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case("data:")) {
        return true;
    }
    let Ok(uri) = url.parse::<Uri>() else { return false };
    let host = uri.host().unwrap_or_default().trim_end_matches('.');
    uri.scheme_str() == Some("https")
        && !FILE_HOSTS.iter().any(|files| host.eq_ignore_ascii_case(files))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_file_of_a_provider_is_rejected() {
        for url in [
            "file-abc",
            "file_abc",
            "gs://bucket/x",
            "file:///etc/passwd",
            "http://a.example/b.png",
            "https://generativelanguage.googleapis.com/v1beta/files/x",
            "https://GenerativeLanguage.googleapis.com.:443/v1beta/files/x",
            "https://me@api.openai.com/v1/files/x/content",
            "",
        ] {
            assert!(!is_readable(url), "{url}");
            let mut message = Message::user(Part::media(url, "image/png"));
            assert!(check_user_message(&mut message).is_err(), "{url}");
        }
        for url in ["data:image/png;base64,AA==", "https://a.example/b.png?c=d#e"] {
            assert!(is_readable(url), "{url}");
        }
    }

    #[test]
    fn only_text_and_media_come_from_a_user() {
        let mut text = Message::user("hello");
        text.content[0].metadata_mut().insert("outputRetry".into(), true.into());
        assert!(check_user_message(&mut text).is_ok());
        assert!(text.content[0].metadata().is_empty());
        let mut data = Message::user(Part::data(serde_json::json!({"a": 1})));
        assert!(check_user_message(&mut data).is_err());
    }
}
