//! Third-party packages, installed once, at exact versions, under `target/`.
//!
//! If an installation fails, the tests fail; no test is skipped because a tool is missing.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;

use crate::program::{self, Ran};

/// The conformance suite, the inspector, the TypeScript SDK in both generations, and a strict schema validator.
pub(crate) const NPM: [&str; 5] = [
    "@modelcontextprotocol/conformance@0.2.0-alpha.12",
    "@modelcontextprotocol/inspector@2.12.0",
    "@modelcontextprotocol/sdk@1.32.2",
    "@modelcontextprotocol/client@2.4.0",
    "ajv@8.20.0",
];

/// Third-party servers, in a separate folder with the SDK version that they need.
const SERVERS: [&str; 3] = [
    "@modelcontextprotocol/server-everything@2026.8.31",
    "@modelcontextprotocol/server-filesystem@2026.8.31",
    "@modelcontextprotocol/server-memory@2026.8.31",
];

/// Public servers of many authors, for their lists of tools.
pub(crate) const PUBLIC_SERVERS: [&str; 27] = [
    "@antv/mcp-server-chart@0.9.10",
    "@brave/brave-search-mcp-server@2.1.4",
    "@circleci/mcp-server-circleci@0.20.0",
    "@eslint/mcp@0.3.13",
    "@hubspot/mcp-server@0.4.0",
    "@kazuph/mcp-taskmanager@1.1.1",
    "@line/line-bot-mcp-server@0.5.0",
    "@microsoft/clarity-mcp-server@2.0.1",
    "@modelcontextprotocol/server-brave-search@0.6.2",
    "@modelcontextprotocol/server-github@2025.4.8",
    "@modelcontextprotocol/server-gitlab@2025.4.25",
    "@modelcontextprotocol/server-google-maps@0.6.2",
    "@modelcontextprotocol/server-postgres@0.6.2",
    "@modelcontextprotocol/server-sequential-thinking@2026.8.31",
    "@modelcontextprotocol/server-slack@2025.4.25",
    "@notionhq/notion-mcp-server@2.5.2",
    "@perplexity-ai/mcp-server@1.2.1",
    "@pinecone-database/mcp@0.3.0",
    "@playwright/mcp@0.0.83",
    "@sentry/mcp-server@0.39.0",
    "@upstash/context7-mcp@4.1.1",
    "airtable-mcp-server@1.14.0",
    "chrome-devtools-mcp@1.11.0",
    "exa-mcp-server@3.4.1",
    "firecrawl-mcp@3.26.0",
    "mcp-obsidian@1.0.0",
    "tavily-mcp@0.2.22",
];

/// Public servers in Python, in a separate environment.
pub(crate) const PUBLIC_PYTHON_SERVERS: [&str; 4] = [
    "duckduckgo-mcp-server==0.7.0",
    "mcp-server-fetch==2026.10.24",
    "mcp-server-git==2026.10.19",
    "wikipedia-mcp==2.0.1",
];

/// Genkit's own developer tools, in a separate folder because they are large.
const GENKIT_CLI: [&str; 1] = ["genkit-cli@1.43.0"];

/// Genkit's own client of flows, in a separate folder because its telemetry is large.
const GENKIT: [&str; 1] = ["genkit@1.42.0"];

/// The official client and schema of AG-UI, in a separate folder.
const AGUI: [&str; 3] = ["@ag-ui/client@1.0.0", "@ag-ui/core@1.0.0", "zod@4.6.7"];

/// TanStack AI's client, which has an older version of AG-UI's types, in a separate folder.
const TANSTACK: [&str; 2] = ["@tanstack/ai-client@0.33.2", "@tanstack/ai@0.58.0"];

/// The AG-UI runtime of assistant-ui, with an older version of AG-UI's client, in a separate folder.
const ASSISTANT_UI: [&str; 5] = [
    "@assistant-ui/react-ag-ui@0.0.57",
    "@assistant-ui/core@0.3.35",
    "@ag-ui/client@0.0.58",
    "react@19.3.1",
    "react-test-renderer@19.3.1",
];

/// Vercel's AI SDK, in a separate folder.
const AI: [&str; 1] = ["ai@7.0.173"];

/// The official tool for bundles, in a separate folder.
const MCPB: [&str; 1] = ["@anthropic-ai/mcpb@2.1.2"];

/// The types of MCP Apps, in a separate folder.
const EXT_APPS: [&str; 1] = ["@modelcontextprotocol/ext-apps@2.0.4"];

/// An authorization server, in a separate folder with its dependencies.
const OIDC_PROVIDER: [&str; 1] = ["oidc-provider@9.13.3"];

/// OpenAPI documents of real APIs: GitHub's, Figma's, and a collection.
const OPENAPI: [&str; 3] =
    ["@octokit/openapi@23.0.2", "@figma/rest-api-spec@0.43.0", "@readme/oas-examples@8.2.2"];

/// A headless Chromium for Linux on x86-64, contained in its package.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
const CHROMIUM: [&str; 1] = ["@sparticuz/chromium@153.0.0"];

/// The Python SDK, a validator for the results of its tools, and a server.
const PYPI: [&str; 3] = ["mcp==2.3.0", "jsonschema==4.26.0", "mcp-server-time==2026.10.19"];

/// OpenTelemetry's own decoder for data exported to collectors.
const OTLP: [&str; 1] = ["opentelemetry-proto==1.45.2"];

/// The scripts for the TypeScript SDK. They are copied next to `node_modules`, where Node resolves their imports.
const SCRIPTS: [(&str, &str); 5] = [
    ("oauth.mjs", include_str!("oauth/ts.mjs")),
    ("notes.mjs", include_str!("clients/notes.mjs")),
    ("ts1.mjs", include_str!("clients/ts1.mjs")),
    ("ts2.mjs", include_str!("clients/ts2.mjs")),
    ("visit.mjs", include_str!("guide_clients/visit.mjs")),
];

/// The time limit of one installation.
const PATIENCE: Duration = Duration::from_secs(600);

/// Returns the folder to which these tests write.
pub(crate) fn root() -> PathBuf {
    // Cargo sets `target/tmp`, wherever `target` is.
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("a target directory");
    target.join("protocol-tests")
}

/// Returns an empty folder for one test, whose contents can be inspected afterwards.
pub(crate) fn scratch(test: &str) -> PathBuf {
    let path = root().join("scratch").join(test);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).expect("a directory under target/");
    path
}

/// Returns the folder with `node_modules` and the scripts.
pub(crate) fn npm() -> &'static Path {
    static DONE: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    installed(DONE.get_or_init(install_npm))
}

/// Returns the script for Genkit's client of flows, next to its dependencies.
pub(crate) fn genkit_client() -> PathBuf {
    static DONE: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    installed(DONE.get_or_init(install_genkit)).join("flows.mjs")
}

/// Returns the script for Genkit's client of agents, next to its dependencies.
pub(crate) fn genkit_agents() -> PathBuf {
    genkit_client().with_file_name("agents.mjs")
}

/// Returns the script for the official client of AG-UI, next to its dependencies.
pub(crate) fn agui_client() -> PathBuf {
    static DONE: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    installed(DONE.get_or_init(install_agui)).join("agui.mjs")
}

/// Returns the script for TanStack AI's client, next to its dependencies.
pub(crate) fn tanstack_client() -> PathBuf {
    static DONE: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    let install = || install_script("npm-tanstack", &TANSTACK, include_str!("agui/tanstack.mjs"));
    installed(DONE.get_or_init(install)).join("client.mjs")
}

/// Returns the script for assistant-ui, next to its dependencies.
pub(crate) fn assistant_ui_client() -> PathBuf {
    static DONE: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    let script = include_str!("agui/assistant_ui.mjs");
    let install = || install_script("npm-assistant-ui", &ASSISTANT_UI, script);
    installed(DONE.get_or_init(install)).join("client.mjs")
}

/// Returns the script for Vercel's AI SDK, next to its dependencies.
pub(crate) fn ai_client() -> PathBuf {
    static DONE: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    let install = || install_script("npm-ai", &AI, include_str!("agui/ai.mjs"));
    installed(DONE.get_or_init(install)).join("client.mjs")
}

/// Returns the script of the server with this name.
pub(crate) fn node_server(name: &str) -> PathBuf {
    static DONE: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    let folder = installed(DONE.get_or_init(install_servers));
    folder.join("node_modules/@modelcontextprotocol").join(name).join("dist/index.js")
}

/// Returns the script that a public server's package runs.
pub(crate) fn public_server(package: &str) -> PathBuf {
    static DONE: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    let folder = installed(DONE.get_or_init(install_public_servers));
    let name = package.rsplit_once('@').expect("a version").0;
    let folder = folder.join("node_modules").join(name);
    let manifest = fs::read(folder.join("package.json")).expect("the package is installed");
    let manifest: serde_json::Value = serde_json::from_slice(&manifest).expect("a manifest");
    let script = match &manifest["bin"] {
        serde_json::Value::Object(scripts) => scripts.values().next().cloned(),
        script => Some(script.clone()),
    };
    folder.join(script.as_ref().and_then(serde_json::Value::as_str).expect("a program"))
}

/// Returns the program of a public server's Python package.
pub(crate) fn public_python_server(package: &str) -> PathBuf {
    static DONE: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    let install = || install_python("venv-public-servers", &PUBLIC_PYTHON_SERVERS);
    let name = package.split_once("==").expect("a version").0;
    installed(DONE.get_or_init(install)).with_file_name(name)
}

/// Returns the script of Genkit's CLI.
pub(crate) fn genkit_cli() -> PathBuf {
    static DONE: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    let folder = installed(DONE.get_or_init(install_genkit_cli));
    folder.join("node_modules/genkit-cli/dist/bin/genkit.js")
}

/// Returns the script of an authorization server, next to its dependencies.
pub(crate) fn oidc_provider() -> PathBuf {
    static DONE: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    installed(DONE.get_or_init(install_oidc_provider)).join("provider.mjs")
}

/// Returns the folder with Chromium, its libraries and its fonts.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
pub(crate) fn chromium() -> PathBuf {
    static DONE: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    installed(DONE.get_or_init(install_chromium)).join("chromium")
}

/// Returns the path of an OpenAPI document in a package.
pub(crate) fn openapi(path: &str) -> PathBuf {
    static DONE: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    installed(DONE.get_or_init(install_openapi)).join("node_modules").join(path)
}

/// Returns the script of the official tool for bundles.
pub(crate) fn mcpb() -> PathBuf {
    static DONE: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    let folder = installed(DONE.get_or_init(install_mcpb));
    folder.join("node_modules/@anthropic-ai/mcpb/dist/cli/cli.js")
}

/// Returns the path of a file in the package of MCP Apps.
pub(crate) fn ext_apps(path: &str) -> PathBuf {
    static DONE: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    let folder = installed(DONE.get_or_init(install_ext_apps));
    folder.join("node_modules/@modelcontextprotocol/ext-apps").join(path)
}

/// Returns the Python interpreter that has the packages.
pub(crate) fn python() -> &'static Path {
    static DONE: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    installed(DONE.get_or_init(|| install_python("venv", &PYPI)))
}

/// Returns the Python interpreter that decodes what is exported to collectors.
pub(crate) fn otlp_python() -> &'static Path {
    static DONE: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    installed(DONE.get_or_init(|| install_python("venv-otlp", &OTLP)))
}

/// Returns a command for a tool, with its home and its caches under `target/`.
pub(crate) fn tool(program: &Path) -> Command {
    let mut command = Command::new(program);
    let home = root().join("home");
    let _ = fs::create_dir_all(&home);
    command
        .env("MCP_CATALOG_PATH", home.join("catalog.json"))
        .env("HOME", home)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env_remove("RUST_LOG");
    command
}

fn installed(done: &'static Result<PathBuf, String>) -> &'static Path {
    match done {
        Ok(path) => path,
        Err(story) => panic!("{story}"),
    }
}

fn install_npm() -> Result<PathBuf, String> {
    let directory = root().join("npm");
    once(&directory, &NPM, || {
        npm_install(&directory, &NPM)?;
        mend_conformance(&directory)
    })?;
    for (name, source) in SCRIPTS {
        fs::write(directory.join(name), source).map_err(text)?;
    }
    Ok(directory)
}

fn install_mcpb() -> Result<PathBuf, String> {
    let directory = root().join("npm-mcpb");
    once(&directory, &MCPB, || npm_install(&directory, &MCPB))?;
    Ok(directory)
}

fn install_servers() -> Result<PathBuf, String> {
    let directory = root().join("npm-servers");
    once(&directory, &SERVERS, || npm_install(&directory, &SERVERS))?;
    Ok(directory)
}

fn install_public_servers() -> Result<PathBuf, String> {
    let directory = root().join("npm-public-servers");
    once(&directory, &PUBLIC_SERVERS, || npm_install(&directory, &PUBLIC_SERVERS))?;
    Ok(directory)
}

fn install_genkit_cli() -> Result<PathBuf, String> {
    let directory = root().join("npm-genkit-cli");
    once(&directory, &GENKIT_CLI, || npm_install(&directory, &GENKIT_CLI))?;
    Ok(directory)
}

fn install_genkit() -> Result<PathBuf, String> {
    let directory = root().join("npm-genkit");
    once(&directory, &GENKIT, || npm_install(&directory, &GENKIT))?;
    let source = include_str!("flows/flows.mjs");
    fs::write(directory.join("flows.mjs"), source).map_err(text)?;
    let source = include_str!("agents/agents.mjs");
    fs::write(directory.join("agents.mjs"), source).map_err(text)?;
    Ok(directory)
}

fn install_agui() -> Result<PathBuf, String> {
    let directory = root().join("npm-agui");
    once(&directory, &AGUI, || npm_install(&directory, &AGUI))?;
    for (name, source) in
        [("agui.mjs", include_str!("agui/agui.mjs")), ("runs.mjs", include_str!("agui/runs.mjs"))]
    {
        fs::write(directory.join(name), source).map_err(text)?;
    }
    Ok(directory)
}

/// Installs packages into a folder, with a script that uses them.
fn install_script(folder: &str, list: &[&str], script: &str) -> Result<PathBuf, String> {
    let directory = root().join(folder);
    once(&directory, list, || npm_install(&directory, list))?;
    fs::write(directory.join("client.mjs"), script).map_err(text)?;
    Ok(directory)
}

fn install_ext_apps() -> Result<PathBuf, String> {
    let directory = root().join("npm-ext-apps");
    once(&directory, &EXT_APPS, || npm_install(&directory, &EXT_APPS))?;
    Ok(directory)
}

fn install_oidc_provider() -> Result<PathBuf, String> {
    let directory = root().join("npm-oidc-provider");
    once(&directory, &OIDC_PROVIDER, || npm_install(&directory, &OIDC_PROVIDER))?;
    let source = include_str!("oauth/provider.mjs");
    fs::write(directory.join("provider.mjs"), source).map_err(text)?;
    Ok(directory)
}

fn install_openapi() -> Result<PathBuf, String> {
    let directory = root().join("npm-openapi");
    once(&directory, &OPENAPI, || {
        npm_install(&directory, &OPENAPI)?;
        // The other editions of GitHub's API take 370 MB.
        let folder = directory.join("node_modules/@octokit/openapi/generated");
        for file in fs::read_dir(folder).map_err(text)? {
            let path = file.map_err(text)?.path();
            if !path.ends_with("api.github.com.json") {
                fs::remove_file(path).map_err(text)?;
            }
        }
        Ok(())
    })?;
    Ok(directory)
}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn install_chromium() -> Result<PathBuf, String> {
    let directory = root().join("npm-chromium");
    once(&directory, &CHROMIUM, || {
        npm_install(&directory, &CHROMIUM)?;
        fs::write(directory.join("unpack.mjs"), include_str!("browser/unpack.mjs"))
            .map_err(text)?;
        let mut unpack = Command::new("node");
        finish(unpack.current_dir(&directory).arg("unpack.mjs"), "Node.js 20 and `tar`")
    })?;
    Ok(directory)
}

fn npm_install(directory: &Path, list: &[&str]) -> Result<(), String> {
    fs::write(directory.join("package.json"), r#"{"private":true,"type":"module"}"#)
        .map_err(text)?;
    // Concurrent installations have separate caches.
    let cache = directory.join("cache");
    let mut npm = Command::new("npm");
    npm.current_dir(directory)
        .args(["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"])
        .arg("--cache")
        .arg(&cache)
        .env("npm_config_update_notifier", "false")
        .args(list);
    finish(&mut npm, "Node.js 20 or newer with npm")?;
    let _ = fs::remove_dir_all(cache);
    Ok(())
}

fn install_python(folder: &str, list: &[&str]) -> Result<PathBuf, String> {
    let directory = root().join(folder);
    once(&directory, list, || {
        let mut venv = Command::new("python3");
        venv.args(["-m", "venv", "--clear"]).arg(&directory);
        finish(&mut venv, "Python 3.10 or newer with its `venv` module")?;
        let mut pip = Command::new(interpreter(&directory));
        pip.args(["-m", "pip", "install", "--quiet", "--no-cache-dir"])
            .arg("--disable-pip-version-check")
            .args(list);
        finish(&mut pip, "Python 3.10 or newer")
    })?;
    Ok(interpreter(&directory))
}

fn interpreter(venv: &Path) -> PathBuf {
    if cfg!(windows) { venv.join("Scripts/python.exe") } else { venv.join("bin/python") }
}

/// Installs into an empty folder, unless a stamp shows that the same list is already installed.
fn once(
    directory: &Path,
    list: &[&str],
    install: impl FnOnce() -> Result<(), String>,
) -> Result<(), String> {
    let (stamp, wanted) = (directory.join("installed.txt"), list.join("\n"));
    if fs::read_to_string(&stamp).is_ok_and(|found| found == wanted) {
        return Ok(());
    }
    let _ = fs::remove_dir_all(directory);
    fs::create_dir_all(directory).map_err(text)?;
    install()?;
    fs::write(stamp, wanted).map_err(text)
}

fn finish(command: &mut Command, needs: &str) -> Result<(), String> {
    let remedy = format!(
        "The protocol tests need {needs}, and on their first run the package registry that it is \
         set up for. Mend that and run the test again: what is half installed is cleared away."
    );
    match program::run(command, PATIENCE) {
        Ok(Ran { code: Some(0), .. }) => Ok(()),
        Ok(ran) => Err(format!("{}\n\n{remedy}", ran.story())),
        Err(story) => Err(format!("{story}\n\n{remedy}")),
    }
}

/// The suite imports a function that Node 20 does not have, for a command that is not used here, so the import is
/// removed.
fn mend_conformance(directory: &Path) -> Result<(), String> {
    const IMPORT: &str = "globSync as ";
    let script = directory.join("node_modules/@modelcontextprotocol/conformance/dist/index.js");
    let source = fs::read_to_string(&script).map_err(text)?;
    let Some(start) = source.find(IMPORT) else {
        return Err(format!("{} has no `{IMPORT}` to take out", script.display()));
    };
    let Some(length) = source[start..].find(',') else {
        return Err(format!("the import in {} has no end", script.display()));
    };
    let mended = format!("{}{}", &source[..start], &source[start + length + 1..]);
    fs::write(&script, mended).map_err(text)
}

fn text(error: io::Error) -> String {
    format!("cannot write under {}: {error}", root().display())
}
