//! Tests of `genkit_untrusted::secret`.

use genkit_untrusted::secret::*;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};

const VALUE: &str = "sk-T0ken/\"with+é~ 7f3a9c";

fn redact(text: &str) -> String {
    let secrets = [Secret::new(VALUE, "<key>"), Secret::new("sk-T0k99-other", "<other>")];
    redact_secrets(text, secrets.iter()).into_owned()
}

#[test]
fn secret_is_hidden_in_every_spelling() {
    let hex: String = VALUE.bytes().map(|byte| format!("{byte:02X}")).collect();
    let json = serde_json::to_string(VALUE).unwrap();
    let twice = serde_json::to_string(&json).unwrap();
    let percent = percent_encoded(VALUE);
    let mut spellings = vec![VALUE.to_owned(), VALUE.to_ascii_uppercase(), hex, json, twice];
    spellings.extend([percent.to_lowercase(), form_encoded(&percent), percent]);
    for before in ["", "a", "ab"] {
        spellings.push(STANDARD.encode(format!("{before}{VALUE}!")));
        spellings.push(URL_SAFE_NO_PAD.encode(format!("{before}{VALUE}")));
    }
    for spelling in spellings {
        let shown = redact(&format!("it said {spelling}, and more"));
        assert!(shown.contains("<key>") && !shown.contains("7f3a9c"), "{spelling}: {shown}");
        assert!(shown.starts_with("it said ") && shown.ends_with(", and more"), "{shown}");
    }
}

#[test]
fn secret_is_hidden_if_it_is_cut_off_or_broken_into_lines() {
    assert_eq!(redact("got sk-T0ken… then"), "got <key>… then");
    assert_eq!(redact("got sk-T0\n  ken/\"with+é~ 7f\r\n3a9c."), "got <key>.");
    assert_eq!(redact("got sk-T0\\nken/\"with+é"), "got <key>");
    assert_eq!(redact("sk-T0k99-other"), "<other>", "the longest match");
    for harmless in ["sk-T0", "nothing", "é", ""] {
        assert_eq!(redact(harmless), harmless);
    }
}

/// .NET and Go escape symbols as `\u002B`, some programs escape every character, and text may be escaped several times.
#[test]
fn a_secret_is_hidden_if_characters_are_escaped() {
    let secret = Secret::new("Aw+b/c&d=e~ \"7f3a9c", "<key>");
    let units = |of: fn(char) -> bool, prefix: &str| -> String {
        let escaped = secret.value().chars().map(|part| match of(part) {
            true => format!("{prefix}u{:04X}", u32::from(part)),
            false => part.to_string(),
        });
        escaped.collect()
    };
    let hex = |separator: &str| {
        let bytes: Vec<String> = secret.value().bytes().map(|byte| format!("{byte:02x}")).collect();
        bytes.join(separator)
    };
    let percent = percent_encoded(secret.value());
    for spelling in [
        units(|part| "+&".contains(part), "\\"),
        units(|part| !part.is_alphanumeric(), "\\"),
        units(|_| true, "\\"),
        units(|_| true, "\\\\"),
        percent.replace('%', "%25"),
        percent.replace('%', "%2525"),
        "Aw&#x2b;b/c&amp;d=e~ &quot;7f3a9c".to_owned(),
        "Aw&#43;b&#x2F;c&amp;amp;d&#61;e~ &#34;7f3a9c".to_owned(),
        hex(":"),
        hex(" "),
        hex("-"),
        "Aw+b\\\\n/c&d\\\\\\n=e~ \"7f3a9c".to_owned(),
    ] {
        let shown =
            redact_secrets(&format!("it said {spelling}."), std::iter::once(&secret)).into_owned();
        assert_eq!(shown, "it said <key>.", "{spelling}");
    }
}

#[test]
fn a_secret_of_words_is_hidden_if_it_is_cut_off() {
    for (value, text) in [
        ("super-secret-token", "got super-secret-to… then"),
        ("sk-proj-ab12cd34ef", "got SK-PROJ-AB12… then"),
    ] {
        let secret = Secret::new(value, "<key>");
        let shown = redact_secrets(text, std::iter::once(&secret)).into_owned();
        assert_eq!(shown, "got <key>… then");
    }
}

#[test]
fn parts_of_credentials_are_found() {
    for (value, parts) in [
        ("Bearer abcdefgh", &["Bearer abcdefgh", "abcdefgh"][..]),
        ("token abcdefgh", &["token abcdefgh", "abcdefgh"]),
        (
            "Basic dXNlcjpwYXNzd29yZDE=",
            &["Basic dXNlcjpwYXNzd29yZDE=", "dXNlcjpwYXNzd29yZDE=", "user:password1", "password1"],
        ),
        ("a=12345678; b=\"x%2Bsecret\"", &["12345678", "x%2Bsecret", "x+secret"]),
        ("one-line\nother-line", &["one-line", "other-line"]),
        ("p%40ssword", &["p%40ssword", "p@ssword"]),
    ] {
        let found = secret_parts(value, 8);
        assert!(parts.iter().all(|part| found.iter().any(|it| it == part)), "{value}: {found:?}");
        assert!(found.iter().all(|part| part.len() >= 8), "{found:?}");
    }
    assert!(secret_parts("Bearer k", 8).is_empty(), "the credential is too short to be recognized");
}

#[test]
fn words_that_begin_like_a_secret_stay() {
    for (value, text) in [
        ("everything-list-123", "the everything server"),
        ("/work/project1/bin", "in /work/project1/src"),
        ("https://h1.example/a", "see https://h1.example/b"),
        ("Argument-Number-1", "an Argument"),
    ] {
        let secret = Secret::new(value, "*");
        let redacted = redact_secrets(text, std::iter::once(&secret));
        assert_eq!(redacted, text, "{value}");
    }
}

#[test]
fn short_secret_is_hidden_as_a_whole_only() {
    let secret = Secret::new("abc123", "*");
    assert_eq!(redact_secrets("abc12 abc123", std::iter::once(&secret)), "abc12 *");
}

#[test]
fn debug_output_does_not_show_it() {
    assert_eq!(format!("{:?}", Secret::new("abc123", "*")), "Secret(\"*\")");
}

#[test]
fn names_of_secrets_are_found_for_every_client() {
    for name in [
        "Authorization",
        "x-api-key",
        "X-Goog-Api-Key",
        "set-cookie",
        "PASSPHRASE",
        "credentials",
        "x-amz-signature",
        "sig",
        "code",
        "db_pwd",
    ] {
        assert!(is_secret_name(name), "{name}");
    }
    for name in ["content-encoding", "design", "accept", "pinned", "host", "status", "decode"] {
        assert!(!is_secret_name(name), "{name}");
    }
}
