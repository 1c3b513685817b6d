//! What is started, and what it gets.

use super::*;
use crate::error::ErrorKind;

#[track_caller]
fn refused(server: StdioServer, kind: ErrorKind, texts: &[&str]) {
    let Err(error) = Child::spawn("fs", &command(server)) else { panic!("it was started") };
    assert_eq!(error.kind(), kind, "{error}");
    for text in texts {
        assert!(error.to_string().contains(text), "{error}");
    }
}

#[tokio::test]
async fn a_program_that_is_not_there_says_how_to_get_it() {
    let missing = |name: &str| StdioServer::new(name).env("PATH", "/nowhere:/usr/none");
    let places = "in PATH (/nowhere, /usr/none)";
    refused(missing("npx"), ErrorKind::NotFound, &["`npx`", places, "install Node.js"]);
    refused(missing("uvx"), ErrorKind::NotFound, &["`uvx`", places, "install uv"]);
    refused(missing("my-server"), ErrorKind::NotFound, &["`my-server`", "full path"]);
    refused(StdioServer::new("/no/such"), ErrorKind::NotFound, &["`/no/such`", "check the path"]);
    refused(StdioServer::new(""), ErrorKind::InvalidArgument, &["empty"]);
    refused(StdioServer::new("/"), ErrorKind::InvalidArgument, &["a folder"]);
    let many = (0..40).map(|n| format!("/no/{n}")).collect::<Vec<_>>().join(":");
    refused(StdioServer::new("x").env("PATH", many), ErrorKind::NotFound, &["/no/11, and 28 more"]);
}

#[tokio::test]
async fn a_folder_that_is_not_there_is_an_error_by_itself() {
    let in_folder = |folder: &str| StdioServer::new("sh").cwd(folder);
    refused(in_folder("/no/such"), ErrorKind::InvalidArgument, &["`cwd`", "/no/such"]);
    refused(in_folder("/etc/passwd"), ErrorKind::InvalidArgument, &["no folder", "/etc/passwd"]);
}

#[tokio::test]
async fn files_that_cannot_be_run_say_why() {
    let folder = Folder::new();
    let write = |name: &str, text: &str, mode: u32| {
        use std::os::unix::fs::PermissionsExt as _;
        let file = folder.path().join(name);
        std::fs::write(&file, text).unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
        file
    };
    let plain = write("plain", "#!/bin/sh\n", 0o644);
    refused(StdioServer::new(plain), ErrorKind::PermissionDenied, &["chmod +x"]);
    let lost = write("lost", "#!/no/such/node\n", 0o755);
    refused(StdioServer::new(lost), ErrorKind::NotFound, &["first line"]);
    let odd = write("odd", "\u{1}\u{2}\u{3}\u{4}", 0o755);
    refused(StdioServer::new(odd), ErrorKind::FailedPrecondition, &["no program of this machine"]);
    refused(StdioServer::new("sh").arg("a\0b"), ErrorKind::InvalidArgument, &["NUL"]);
    let secret = StdioServer::new("sh").env("KEY", "hunter22\0");
    let Err(error) = Child::spawn("fs", &command(secret)) else { panic!("it was started") };
    assert!(!format!("{error:?}").contains("hunter"), "{error:?}");
    // By a path that starts in the folder, and by the PATH of the child.
    write("good", "#!/bin/sh\necho $$ > pid; pwd > pwd\n", 0o755);
    for server in [
        StdioServer::new("./good").cwd(folder.path()),
        StdioServer::new("good").cwd(folder.path()).env("PATH", ".:/bin"),
        StdioServer::new("good").cwd(folder.path()).env("PATH", folder.path()),
    ] {
        let _ = std::fs::remove_file(folder.path().join("pid"));
        let (child, transport) = Child::spawn("fs", &command(server)).unwrap();
        assert_eq!(folder.pid("pid").await, child.pid());
        drop(transport);
        child.end().await;
    }
}

#[tokio::test]
async fn only_what_programs_need_is_inherited() {
    let folder = Folder::new();
    // Cargo sets many variables for its tests; without it this shows less.
    let by_cargo = std::env::var_os("CARGO_PKG_NAME").is_some();
    for (inherit, expected) in [(false, false), (true, by_cargo)] {
        let server = StdioServer::new("sh")
            .args(["-c", "env > env; echo $$ > done"])
            .env("TOKEN", "t0ken")
            .inherit_env(inherit)
            .cwd(folder.path());
        let _ = std::fs::remove_file(folder.path().join("done"));
        let (child, _transport) = Child::spawn("fs", &command(server)).unwrap();
        folder.pid("done").await;
        let seen = std::fs::read_to_string(folder.path().join("env")).unwrap();
        let has = |name: &str| seen.lines().any(|line| line.starts_with(&format!("{name}=")));
        assert!(has("PATH") && has("TOKEN"), "{seen}");
        assert_eq!(has("CARGO_PKG_NAME"), expected, "{seen}");
        child.end().await;
    }
}
