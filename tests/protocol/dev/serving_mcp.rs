//! A server over stdio together with the developer tools: its output is only MCP.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::tools::Project;
use crate::pipe::Pipe;

#[test]
fn stdio_server_registers_with_the_tools_and_prints_nothing() {
    let project = Project::new("stdio");
    let mut command = project.program("notes");
    let database = project.folder().join("notes.db");
    let mut pipe = Pipe::spawn(command.arg(database));
    pipe.hello();
    let deadline = Instant::now() + Duration::from_secs(20);
    let file = loop {
        if let Some(file) = project.runtime_files().pop() {
            break file;
        }
        assert!(Instant::now() < deadline, "no file");
        std::thread::sleep(Duration::from_millis(20));
    };
    let info: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    let url = info["reflectionServerUrl"].as_str().unwrap();
    let listed = ureq::get(&format!("{url}/api/actions")).call().unwrap();
    let listed = listed.into_body().read_to_string().unwrap();
    assert!(listed.contains("\"/tool/"), "{listed}");
    // The next line on stdout is the response, not a message of the tools.
    let tools = pipe.request("tools/list", &json!({}));
    assert!(tools["result"]["tools"].is_array(), "{tools}");
    pipe.hang_up();
    assert!(pipe.rest().is_empty(), "stdout contained something other than the response");
    assert_eq!(pipe.exit_code(Duration::from_secs(20)), Some(0));
    assert!(project.runtime_files().is_empty());
}
