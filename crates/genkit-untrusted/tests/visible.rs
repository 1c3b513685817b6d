//! Tests of `genkit_untrusted::visible`.

use genkit_untrusted::visible::*;
use std::fmt;

#[test]
fn invisible_and_bidi_characters_are_escaped() {
    for (words, shown) in [
        ("plain text: {\"a\":1}", "plain text: {\"a\":1}"),
        ("Grüße, 你好, नमस्ते", "Grüße, 你好, नमस्ते"),
        ("a\u{202e}b", "a\\u{202e}b"),
        ("pay\u{200b}\u{2060}\u{feff}", "pay\\u{200b}\\u{2060}\\u{feff}"),
        ("a\nb\r\tc", "a\\nb\\r\\tc"),
        ("\u{1b}[2J\u{9b}31m\u{7f}", "\\u{1b}[2J\\u{9b}31m\\u{7f}"),
        ("a\u{2028}b\u{2029}c\u{a0}d", "a\\u{2028}b\\u{2029}c\\u{a0}d"),
        ("\u{e0041}\u{3164}\u{ad}", "\\u{e0041}\\u{3164}\\u{ad}"),
    ] {
        assert_eq!(escape_line(words), shown);
    }
}

#[test]
fn prose_keeps_its_lines_and_what_languages_need() {
    for (words, shown) in [
        ("one\n\ttwo", "one\n\ttwo"),
        ("می\u{200c}خواهم", "می\u{200c}خواهم"),
        ("क\u{94d}\u{200d}ष", "क\u{94d}\u{200d}ष"),
        ("❤\u{fe0f}!", "❤\u{fe0f}!"),
        ("10\u{a0}€", "10\u{a0}€"),
        ("re\u{200d}ad", "re\\u{200d}ad"),
        ("re\u{fe0f}ad", "re\\u{fe0f}ad"),
        ("\u{2066}a\u{2069}\r", "\\u{2066}a\\u{2069}\\r"),
    ] {
        assert_eq!(escape_prose(words), shown);
    }
}

#[test]
fn line_of_a_log_cannot_be_forged() {
    let logged = |text: &str| Logged::name(text).to_string();
    assert_eq!(logged("claude-ai/1.0"), "claude-ai/1.0");
    assert_eq!(logged(""), "\"\"");
    assert_eq!(logged("x principal=bob"), "\"x principal=bob\"");
    assert_eq!(logged("x\n2026 INFO \u{1b}[2J"), "\"x\\n2026 INFO \\u{1b}[2J\"");
    assert_eq!(logged("a\" b=\"c\\"), "\"a\\\" b=\\\"c\\\\\"");
    let long = logged(&"ä".repeat(1_000_000));
    assert_eq!(long, format!("\"{}…\"", "ä".repeat(100)));
}

#[test]
fn truncated_text_is_not_formatted() {
    struct Endless;
    impl fmt::Display for Endless {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            loop {
                f.write_str("again ")?;
            }
        }
    }
    assert!(Logged::text(Endless).to_string().len() < 2 * MAX_LOGGED_TEXT);
}
