//! Tests of starting programs, and of their environment.

use std::io::ErrorKind;

use super::*;

#[track_caller]
fn refused(command: ChildCommand, kind: ErrorKind, texts: &[&str]) {
    let Err(error) = spawn(&command) else { panic!("started") };
    assert_eq!(error.kind(), kind, "{error}");
    for text in texts {
        assert!(error.to_string().contains(text), "{error}");
    }
}

/// Adds a variable.
fn with(mut command: ChildCommand, name: &str, value: impl Into<OsString>) -> ChildCommand {
    command.env.insert(name.into(), value.into());
    command
}

#[tokio::test]
async fn missing_program_error_explains_how_to_install_it() {
    let missing = |name: &str| with(ChildCommand::new(name), "PATH", "/nowhere:/usr/none");
    let places = "in PATH (/nowhere, /usr/none)";
    refused(missing("npx"), ErrorKind::NotFound, &["`npx`", places, "install Node.js"]);
    refused(missing("uvx"), ErrorKind::NotFound, &["`uvx`", places, "install uv"]);
    refused(missing("my-server"), ErrorKind::NotFound, &["`my-server`", "full path"]);
    refused(ChildCommand::new("/no/such"), ErrorKind::NotFound, &["`/no/such`", "check the path"]);
    refused(ChildCommand::new(""), ErrorKind::InvalidInput, &["empty"]);
    refused(ChildCommand::new("/"), ErrorKind::InvalidInput, &["a folder"]);
    let many = (0..40).map(|n| format!("/no/{n}")).collect::<Vec<_>>().join(":");
    refused(
        with(ChildCommand::new("x"), "PATH", many),
        ErrorKind::NotFound,
        &["/no/11, and 28 more"],
    );
}

#[tokio::test]
async fn missing_working_directory_has_its_own_error() {
    let in_folder =
        |folder: &str| ChildCommand { cwd: Some(folder.into()), ..ChildCommand::new("sh") };
    refused(in_folder("/no/such"), ErrorKind::InvalidInput, &["`cwd`", "/no/such"]);
    refused(in_folder("/etc/passwd"), ErrorKind::InvalidInput, &["not a folder", "/etc/passwd"]);
}

#[tokio::test]
async fn error_explains_why_a_file_is_not_executable() {
    let folder = Folder::new();
    let write = |name: &str, text: &str, mode: u32| {
        use std::os::unix::fs::PermissionsExt as _;
        let file = folder.path().join(name);
        std::fs::write(&file, text).unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
        file
    };
    let plain = write("plain", "#!/bin/sh\n", 0o644);
    refused(ChildCommand::new(plain), ErrorKind::PermissionDenied, &["chmod +x"]);
    let lost = write("lost", "#!/no/such/node\n", 0o755);
    refused(ChildCommand::new(lost), ErrorKind::NotFound, &["first line"]);
    let odd = write("odd", "\u{1}\u{2}\u{3}\u{4}", 0o755);
    refused(ChildCommand::new(odd), ErrorKind::Unsupported, &["not a program for this machine"]);
    refused(
        ChildCommand { args: vec!["a\0b".into()], ..ChildCommand::new("sh") },
        ErrorKind::InvalidInput,
        &["NUL"],
    );
    let secret = with(ChildCommand::new("sh"), "KEY", "hunter22\0");
    let Err(error) = spawn(&secret) else { panic!("started") };
    assert!(!format!("{error:?}").contains("hunter"), "{error:?}");
    // The program is found by a path relative to the folder, and in the child's `PATH`.
    write("good", "#!/bin/sh\necho $$ > pid; pwd > pwd\n", 0o755);
    for command in [
        program("./good", &folder),
        with(program("good", &folder), "PATH", ".:/bin"),
        with(program("good", &folder), "PATH", folder.path()),
    ] {
        let _ = std::fs::remove_file(folder.path().join("pid"));
        let (child, pipes) = spawn(&command).unwrap();
        assert_eq!(folder.pid("pid").await, child.id());
        drop(pipes);
        child.shutdown().await;
    }
}

#[tokio::test]
async fn only_required_variables_are_inherited() {
    let folder = Folder::new();
    // Cargo sets many variables for its tests; without Cargo this test covers less.
    let by_cargo = std::env::var_os("CARGO_PKG_NAME").is_some();
    for (inherit, expected) in [(false, false), (true, by_cargo)] {
        let mut command = with(shell(&folder, "env > env; echo $$ > done"), "TOKEN", "t0ken");
        command.inherit_env = inherit;
        let _ = std::fs::remove_file(folder.path().join("done"));
        let (child, _pipes) = spawn(&command).unwrap();
        folder.pid("done").await;
        let seen = std::fs::read_to_string(folder.path().join("env")).unwrap();
        let has = |name: &str| seen.lines().any(|line| line.starts_with(&format!("{name}=")));
        assert!(has("PATH") && has("TOKEN"), "{seen}");
        assert_eq!(has("CARGO_PKG_NAME"), expected, "{seen}");
        child.shutdown().await;
    }
}

#[tokio::test]
async fn child_has_its_own_session_and_no_terminal() {
    let folder = Folder::new();
    let script = "(: < /dev/tty) 2> error || echo none > tty; echo $$ > pid; cat";
    let (child, pipes) = spawn(&shell(&folder, script)).unwrap();
    assert_eq!(folder.pid("pid").await, child.id());
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap();
    // After the name: the state, the parent, the group, the session and the terminal.
    let fields: Vec<&str> = stat.rsplit(") ").next().unwrap().split(' ').collect();
    let id = child.id().to_string();
    assert_eq!(fields[2..5], [&id, &id, "0"], "{stat}");
    assert_eq!(std::fs::read_to_string(folder.path().join("tty")).unwrap(), "none\n");
    drop(pipes);
    child.shutdown().await;
}
