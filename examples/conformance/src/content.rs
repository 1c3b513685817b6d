//! Tools with different kinds of results.

use genkit::{Error, ErrorKind, Part, Result, tool};

/// One red pixel.
pub(crate) const PNG: &[u8] = &[
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44, 0x52,
    0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0x08, 0x02, 0x00, 0x00, 0x00, 0x90, 0x77, 0x53,
    0xde, 0x00, 0x00, 0x00, 0x0c, 0x49, 0x44, 0x41, 0x54, 0x08, 0xd7, 0x63, 0xf8, 0xcf, 0xc0, 0x00,
    0x00, 0x03, 0x01, 0x01, 0x00, 0x18, 0xdd, 0x8d, 0xb0, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e,
    0x44, 0xae, 0x42, 0x60, 0x82,
];

/// An empty WAV file.
const WAV: &[u8] = b"RIFF\x24\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00\
    \x40\x1f\x00\x00\x80\x3e\x00\x00\x02\x00\x10\x00data\x00\x00\x00\x00";

/// Returns plain text.
#[tool(read_only)]
async fn test_simple_text() -> String {
    "This is a simple text response for testing.".to_owned()
}

/// Returns an image.
#[tool(read_only)]
async fn test_image_content() -> Part {
    Part::image("image/png", PNG)
}

/// Returns a sound.
#[tool(read_only)]
async fn test_audio_content() -> Part {
    Part::audio("audio/wav", WAV)
}

/// Returns a resource with its text.
#[tool(read_only)]
async fn test_embedded_resource() -> Part {
    let text = "This is an embedded resource content.";
    Part::resource_text("test://embedded-resource", "text/plain", text)
}

/// Returns text, an image and a resource.
#[tool(read_only)]
async fn test_multiple_content_types() -> Vec<Part> {
    let json = r#"{"test":"data","value":123}"#;
    vec![
        Part::text("Multiple content types test:"),
        Part::image("image/png", PNG),
        Part::resource_text("test://mixed-content-resource", "application/json", json),
    ]
}

/// Always fails.
#[tool]
async fn test_error_handling() -> Result<String> {
    Err(Error::new(ErrorKind::Aborted, "This tool intentionally returns an error for testing"))
}

/// Echoes a value that clients also send as an HTTP header.
#[tool(read_only)]
async fn test_custom_header(
    /// The value.
    #[schemars(extend("x-mcp-header" = "Value"))]
    value: String,
) -> String {
    value
}

/// Prints to stdout, as a mistake would; on stdio the text must not reach the client.
#[tool]
#[allow(clippy::print_stdout, reason = "the test needs it")]
async fn test_stray_print() -> String {
    println!("this is no message");
    "Printed.".to_owned()
}
