//! `--install`: adds this program to the configuration of a client.

use std::env;
use std::path::Path;

use genkit_mcp_servers_file::{ClientApp, EditPlan, NewServer};
use serde_json::{Value, json};

use super::cli_command::Install;
use super::error::Error as E;
use super::print;
use crate::package::{Variable, check_variables};
use crate::settings::ServerSettings;
use genkit_core::Result;

/// The note about an entry that starts a program in `target`.
const BUILD_NOTE: &str = "This entry points to a build in `target`, which `cargo clean` deletes. Run `cargo install --path .`, then run `--install` with the installed program.\n";

pub(super) fn install_entry(
    wanted: &Install,
    settings: &ServerSettings,
    args: Vec<String>,
) -> Result<()> {
    let app = wanted.app;
    let name = match &wanted.name {
        Some(name) if NewServer::accepts_name(name) => name.clone(),
        Some(name) => return Err(E::ServerName { name: name.clone() }.into()),
        None => NewServer::name_from(&settings.name),
    };
    let program = program_path()?;
    let mut server = args.into_iter().fold(NewServer::new(&name, &program), NewServer::arg);
    let given: Vec<_> = wanted.env.iter().map(|it| parse_variable(it)).collect::<Result<_>>()?;
    let given_value = |name: &str| given.iter().rfind(|(key, _)| key == name).map(|(_, it)| it);
    // The client starts the server with the variables of the entry, so the required ones must have a value.
    check_variables(&settings.variables, |name| match given_value(name) {
        Some(value) => Some(value.into()),
        None => env::var(name).ok().map(Into::into),
    })?;
    for name in settings.variables.iter().map(Variable::name) {
        let value = env::var(name).ok().filter(|it| !it.is_empty() && given_value(name).is_none());
        if let Some(value) = value {
            server = server.env(name, value);
        }
    }
    for (key, value) in given {
        server = server.env(key, value);
    }
    let path = match &wanted.config {
        Some(path) => path.clone(),
        None => app.config_file(|name| env::var_os(name)).ok_or(E::HomeNotFound)?,
    };
    let plan = EditPlan::new(&path, app, &server).map_err(E::File);
    if wanted.dry_run {
        print::print_text(&format!("{:#}\n", entry_for_print(&name, app, &server)))?;
        if let Err(error) = plan {
            return print::print_text(&format!("Nothing was written: {error}.\n"));
        }
    }
    let plan = plan?;
    let file = plan.path().display().to_string();
    if !plan.changes() {
        let there = format!("`{name}` is already in {file}; nothing was changed.\n");
        return print::print_text(&there);
    }
    if wanted.dry_run {
        return print::print_text(&format!(
            "This entry would be written to {file}; nothing was written.\n"
        ));
    }
    let written = plan.write().map_err(E::File)?;
    let copy = written.copy.map_or_else(String::new, |copy| {
        format!("The previous version is in {}.\n", copy.display())
    });
    let moves = if is_build(Path::new(&program)) { BUILD_NOTE } else { "" };
    let next = next_step(app);
    print::print_text(&format!("Added `{name}` to {app}, in {file}.\n{copy}{moves}{next}\n"))
}

fn next_step(app: ClientApp) -> &'static str {
    match app {
        ClientApp::ClaudeDesktop => "Quit Claude Desktop and start it again.",
        ClientApp::ClaudeCode => "Start a new session; `/mcp` shows the server.",
        ClientApp::Cursor => "The server is in Cursor's settings, under MCP.",
        _ => "Start it with `MCP: List Servers` in the command palette.",
    }
}

/// Returns the absolute path of this program.
pub(super) fn program_path() -> Result<String> {
    let path = env::current_exe().map_err(|source| E::ProgramPathUnknown { source })?;
    path.into_os_string().into_string().map_err(|_| E::NotText.into())
}

/// Returns whether the next `cargo clean` would delete the program.
fn is_build(program: &Path) -> bool {
    let folder = program.parent().and_then(Path::file_name);
    folder.is_some_and(|name| name == "debug" || name == "release")
}

/// Parses `KEY=VALUE`; `KEY` alone takes its value from this environment.
fn parse_variable(text: &str) -> Result<(String, String)> {
    let (key, value) = match text.split_once('=') {
        Some((key, value)) => (key, Some(value.to_owned())),
        None => (text, None),
    };
    if key.is_empty() {
        return Err(E::VariableName.into());
    }
    let known = || env::var(key).map_err(|_| E::UnknownVariable { key: key.to_owned() });
    let value = value.map_or_else(known, Ok)?;
    Ok((key.to_owned(), value))
}

/// Returns the entry for printing, without the values of variables, which can be secrets.
fn entry_for_print(name: &str, app: ClientApp, server: &NewServer) -> Value {
    let mut entry = server.entry(app);
    if let Some(env) = entry.get_mut("env").and_then(Value::as_object_mut) {
        env.values_mut().for_each(|value| *value = json!("…"));
    }
    json!({ app.section(): { name: entry } })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variable_is_passed_through_or_set() {
        assert_eq!(parse_variable("A=b=c").unwrap(), ("A".to_owned(), "b=c".to_owned()));
        assert_eq!(parse_variable("PATH").unwrap().1, env::var("PATH").unwrap());
        assert!(parse_variable("=b").is_err());
        let missing = parse_variable("GENKIT_NO_SUCH_VARIABLE").unwrap_err().to_string();
        assert!(missing.contains("GENKIT_NO_SUCH_VARIABLE"), "{missing}");
    }

    #[test]
    fn printed_entry_omits_variable_values() {
        let server = NewServer::new("notes", "/opt/notes").env("TOKEN", "t0p");
        let shown = entry_for_print("notes", ClientApp::Cursor, &server).to_string();
        assert!(shown.contains("TOKEN") && !shown.contains("t0p"), "{shown}");
        assert!(shown.starts_with(r#"{"mcpServers":{"notes":{"#), "{shown}");
    }
}
