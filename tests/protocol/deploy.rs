//! `examples/deploy`. The image is built if a container engine responds.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::Value;

use crate::server::Server;
use crate::{packages, program, server};

const PATIENCE: Duration = Duration::from_secs(60);

/// The time limit of a release build in a container.
const BUILD_PATIENCE: Duration = Duration::from_secs(60 * 60);

/// The maximum length of the Dockerfile, with comments.
const MAX_LINES: usize = 15;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

fn file(name: &str) -> String {
    fs::read_to_string(root().join("examples/deploy").join(name)).unwrap()
}

/// Returns the rest of each line that begins with a word.
fn after<'a>(text: &'a str, word: &str) -> Vec<&'a str> {
    text.lines().filter_map(|line| line.strip_prefix(word)).map(str::trim).collect()
}

/// Returns the arguments of a JSON list, with the port replaced by a free one.
fn on_a_free_port(list: &Value) -> Vec<String> {
    let words = list.as_array().unwrap().iter().map(|word| word.as_str().unwrap());
    words
        .map(|word| if word.ends_with(":8000") { "127.0.0.1:0" } else { word }.to_owned())
        .collect()
}

/// Checks that it serves with these arguments and reports its health.
fn serves(example: &str, arguments: &[String], folder: &Path) {
    let mut command = Command::new(server::example(example));
    let server = Server::spawn(command.current_dir(folder).args(arguments).env_remove("RUST_LOG"));
    let origin = server.url().trim_end_matches("/mcp");
    for path in ["/health", "/health/ready"] {
        let answer = ureq::get(format!("{origin}{path}")).call().unwrap();
        assert_eq!(answer.status(), 200, "{example}{path}");
    }
}

/// Returns the errors of a Dockerfile that a builder would report, or that let the program run as root.
fn lint(dockerfile: &str) -> Vec<String> {
    let mut errors = Vec::new();
    let mut stages: Vec<&str> = Vec::new();
    let mut variables: Vec<&str> = Vec::new();
    let mut user = "root";
    for line in dockerfile.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (instruction, rest) = line.split_once(' ').unwrap_or((line, ""));
        let words: Vec<&str> = rest.split_whitespace().collect();
        let is_correct = match instruction {
            "FROM" => {
                (user, variables) = ("root", Vec::new());
                stages.extend(words.last());
                words[0].contains(':') && matches!(words[..], [_] | [_, "AS", _])
            }
            "ARG" => {
                variables.extend(rest.split('=').next());
                words.len() == 1
            }
            "COPY" => {
                let from = words.iter().find_map(|word| word.strip_prefix("--from="));
                let paths = words.iter().filter(|word| !word.starts_with("--")).count();
                paths >= 2 && from.is_none_or(|from| stages.contains(&from))
            }
            "USER" => {
                user = rest;
                words.len() == 1
            }
            "ENTRYPOINT" | "CMD" => serde_json::from_str::<Vec<String>>(rest).is_ok(),
            "WORKDIR" | "VOLUME" => words.len() == 1 && rest.starts_with('/'),
            "EXPOSE" => rest.parse::<u16>().is_ok(),
            "RUN" => !rest.trim_end().ends_with("&&"),
            _ => false,
        };
        let used = rest.split("${").skip(1).map(|it| it.split('}').next().unwrap_or_default());
        let is_defined = used.into_iter().all(|name| variables.contains(&name));
        if !is_correct || !is_defined {
            errors.push(line.to_owned());
        }
    }
    if matches!(user, "root" | "0") {
        errors.push("the program runs as root".to_owned());
    }
    errors
}

#[test]
fn lint_finds_errors_of_a_dockerfile() {
    let dockerfile = file("Dockerfile");
    assert_eq!(lint(&dockerfile), [""; 0]);
    for (correct, wrong) in [
        ("ENTRYPOINT [\"/server\"]", "ENTRYPOINT ['/server']"),
        ("--from=build /server", "--from=builder /server"),
        ("ARG EXAMPLE=notes", "ARG NAME=notes"),
        ("EXPOSE 8000", "EXPOSE http"),
        ("WORKDIR /data", "WORKDIR data"),
        ("WORKDIR /data", "WORKDER /data"),
        ("USER nonroot\n", ""),
        ("rust:1.90-bookworm AS", "rust:1.90-bookworm FOR"),
    ] {
        let broken = dockerfile.replacen(correct, wrong, 1);
        assert_ne!(broken, dockerfile, "{correct}");
        assert!(!lint(&broken).is_empty(), "{wrong}");
    }
}

/// Builds the image if a container engine responds, and shows the help of the program in it.
#[test]
fn image_is_built_where_an_engine_responds() {
    if !program::run(Command::new("docker").arg("info"), PATIENCE)
        .is_ok_and(|it| it.code == Some(0))
    {
        eprintln!("the image is linted and not built: no container engine responds here");
        return;
    }
    let mut build = Command::new("docker");
    build.args(["build", "-q", "-t", "genkit-notes-test", "-f", "examples/deploy/Dockerfile", "."]);
    let ran = program::run(build.current_dir(root()), BUILD_PATIENCE).unwrap();
    assert_eq!(ran.code, Some(0), "{}", ran.story());
    let mut help = Command::new("docker");
    help.args(["run", "--rm", "genkit-notes-test", "--help"]);
    let ran = program::run(&mut help, PATIENCE).unwrap();
    assert!(ran.stdout.contains("--http"), "{}", ran.story());
}

/// Returns the flags in a command line.
fn flags(line: &str) -> Vec<&str> {
    let words = line.split_whitespace().filter(|word| word.starts_with("--"));
    words.map(|word| word.split('=').next().unwrap_or(word)).collect()
}

#[test]
fn release_workflow_builds_bundles_for_five_targets() {
    let workflow: Value = serde_yaml_ng::from_str(&file("release.yml")).unwrap();
    assert_eq!(workflow["on"]["push"]["tags"][0], "v*");
    let job = &workflow["jobs"]["bundle"];
    let targets = job["strategy"]["matrix"]["include"].as_array().unwrap();
    for key in ["os", "name"] {
        let values: BTreeSet<&str> = targets.iter().map(|it| it[key].as_str().unwrap()).collect();
        assert_eq!(values.len(), 5, "{key}: {values:?}");
        for system in ["linux", "macos", "windows"] {
            let system = if (key, system) == ("os", "linux") { "ubuntu" } else { system };
            assert!(values.iter().any(|value| value.starts_with(system)), "{system}: {values:?}");
        }
    }
    let text = file("release.yml");
    for used in text.split("matrix.").skip(1) {
        let key = used.split(|c: char| !c.is_alphanumeric()).next().unwrap();
        assert!(targets.iter().all(|it| it[key].is_string()), "no target has `{key}`");
    }
    let help =
        program::run(Command::new(server::example("notes")).arg("--help"), PATIENCE).unwrap();
    let mut runs = Vec::new();
    for step in job["steps"].as_array().unwrap() {
        if step["run"].is_null() {
            assert!(step["uses"].as_str().unwrap().contains("@v"), "{step}");
            continue;
        }
        let line = step["run"].as_str().unwrap();
        let program = line.split_whitespace().next().unwrap();
        for flag in flags(line) {
            let is_known = match program {
                "cargo" => flag == "--release",
                "target/release/sums" => help.stdout.contains(&format!("{flag} ")),
                _ => false,
            };
            assert!(is_known, "`{program}` has no flag `{flag}`");
        }
        // The shell of Windows runs no program without `.exe`, and has no `||`.
        let is_portable = program == "cargo" || step["shell"] == "bash";
        assert!(is_portable, "{step}");
        runs.push(program);
    }
    assert_eq!(runs, ["cargo", "target/release/sums", "gh"]);
}

#[test]
fn image_builds_and_starts_what_is_there() {
    let dockerfile = file("Dockerfile");
    let lines = dockerfile.lines().count();
    assert!(lines <= MAX_LINES, "the Dockerfile has {lines} lines");
    let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let rust = after(&manifest, "rust-version = \"")[0].split('"').next().unwrap();
    let bases = after(&dockerfile, "FROM ");
    let version = |text: &str| -> Vec<u32> {
        text.split('.').map_while(|number| number.parse().ok()).collect()
    };
    let image = bases[0].strip_prefix("rust:").unwrap().split('-').next().unwrap();
    assert!(version(image) >= version(rust), "{image} is older than {rust}");
    // The binary needs the same Debian version that it was built on, and no process runs as root.
    assert!(bases[0].contains("bookworm") && bases[1] == "gcr.io/distroless/cc-debian12:nonroot");
    assert_eq!(after(&dockerfile, "USER "), ["nonroot"]);
    let example = after(&dockerfile, "ARG EXAMPLE=")[0];
    let command: Value = serde_json::from_str(after(&dockerfile, "CMD ")[0]).unwrap();
    let port = after(&dockerfile, "EXPOSE ")[0];
    assert_eq!(command[1], format!("0.0.0.0:{port}"));
    serves(example, &on_a_free_port(&command), &packages::scratch("deploy-image"));
}

/// A distroless image with `cc` contains only these libraries.
#[cfg(target_os = "linux")]
#[test]
fn programs_need_only_what_the_image_has() {
    for example in ["notes", "quickstart"] {
        let ran =
            program::run(Command::new("ldd").arg(server::example(example)), PATIENCE).unwrap();
        assert_eq!(ran.code, Some(0), "{}", ran.story());
        for line in ran.stdout.lines() {
            let name = line.trim().rsplit('/').next().unwrap_or_default();
            let name = if line.contains("=>") { line.trim() } else { name };
            let known = [
                "linux-vdso",
                "linux-gate",
                "ld-linux",
                "libc.so",
                "libm.so",
                "libgcc_s.so",
                "libpthread.so",
                "libdl.so",
                "librt.so",
            ];
            assert!(known.iter().any(|known| name.starts_with(known)), "{example} needs {line}");
        }
    }
}

#[test]
fn systemd_takes_the_unit() {
    let unit = file("notes.service");
    let line = after(&unit, "ExecStart=")[0];
    let words: Vec<&str> = line.split_whitespace().collect();
    assert_eq!(words[0], "/usr/local/bin/notes");
    let scratch = packages::scratch("deploy-unit");
    let mut arguments: Vec<String> = words[1..].iter().map(|&word| word.to_owned()).collect();
    let at = arguments.iter().position(|word| word == "127.0.0.1:8000").unwrap();
    arguments[at] = "127.0.0.1:0".to_owned();
    let last = arguments.len() - 1;
    assert_eq!(arguments[last], "/var/lib/notes/notes.db");
    arguments[last] = scratch.join("notes.db").to_string_lossy().into_owned();
    serves("notes", &arguments, &scratch);

    // The unit is verified with an existing program.
    let here = scratch.join("notes.service");
    let program = server::example("notes").to_string_lossy();
    fs::write(&here, unit.replace(words[0], &program)).unwrap();
    match program::run(Command::new("systemd-analyze").arg("verify").arg(&here), PATIENCE) {
        Ok(ran) => {
            assert_eq!(ran.code, Some(0), "{}", ran.story());
            assert_eq!(
                ran.stderr.lines().find(|line| line.contains("notes.service")),
                None,
                "{}",
                ran.story()
            );
        }
        Err(story) => {
            eprintln!("the unit is not verified: there is no systemd-analyze here ({story})")
        }
    }
}

#[test]
fn instances_start_from_the_compose_file() {
    let compose: Value = serde_yaml_ng::from_str(&file("compose.yaml")).unwrap();
    let tools = &compose["services"]["tools"];
    assert!(tools["deploy"]["replicas"].as_u64().unwrap() > 1);
    let context = root().join("examples/deploy").join(tools["build"]["context"].as_str().unwrap());
    assert!(context.join(tools["build"]["dockerfile"].as_str().unwrap()).is_file());
    let example = tools["build"]["args"]["EXAMPLE"].as_str().unwrap();
    serves(example, &on_a_free_port(&tools["command"]), &packages::scratch("deploy-compose"));
    // The proxy listens on the port that the host forwards, and connects to the ports of the instances.
    let proxy = &compose["services"]["proxy"];
    let nginx = file("nginx.conf");
    let inside = proxy["ports"][0].as_str().unwrap().split(':').nth(1).unwrap();
    assert!(nginx.contains(&format!("listen {inside};")));
    assert!(nginx.contains("server tools:8000 resolve;"));
    assert!(tools["command"][1].as_str().unwrap().ends_with(":8000"));
    match program::run(Command::new("docker").args(["compose", "version"]), PATIENCE) {
        Ok(ran) if ran.code == Some(0) => {
            let file = root().join("examples/deploy/compose.yaml");
            let mut check = Command::new("docker");
            check.args(["compose", "-f"]).arg(file).args(["config", "--quiet"]);
            let ran = program::run(&mut check, PATIENCE).unwrap();
            assert_eq!(ran.code, Some(0), "{}", ran.story());
        }
        _ => {
            eprintln!(
                "the compose file is read, and not checked: there is no `docker compose` here"
            )
        }
    }
}
