//! The text for users who start a server in a terminal.

use crate::settings::ServerSettings;

/// Describes the program and how to use it.
pub(super) fn usage_hint(settings: &ServerSettings) -> String {
    let program = program_name();
    let called = settings.title.as_ref().unwrap_or(&settings.name);
    let http = if cfg!(feature = "http") {
        format!("  {program} --http 127.0.0.1:8000      serve over HTTP\n")
    } else {
        String::new()
    };
    format!(
        "{called} {} is an MCP server. MCP clients start it and talk to it over stdio.\n\
         \n  {program} --install claude-desktop   add it to a client (or claude-code, cursor, vscode)\n  \
         {program} --inspect                  try it in the browser\n  \
         {program} --list                     list tools, prompts and resources\n{http}  \
         {program} --help                     all flags\n",
        settings.version
    )
}

/// Returns the name that the program was called with.
fn program_name() -> String {
    let called = std::env::args().next().unwrap_or_default();
    let name =
        std::path::Path::new(&called).file_name().map(|name| name.to_string_lossy().into_owned());
    name.filter(|name| !name.is_empty()).unwrap_or_else(|| "server".to_owned())
}
