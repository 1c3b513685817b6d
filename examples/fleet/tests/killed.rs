//! Runs the complete example.

use std::collections::BTreeSet;
use std::process::Command;

#[test]
fn fleet_loses_an_instance_and_no_call() {
    let ran = Command::new(env!("CARGO_BIN_EXE_fleet")).output().expect("cargo built it");
    let [shown, log] =
        [ran.stdout, ran.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    assert_eq!(ran.status.code(), Some(0), "{shown}{log}");
    let lines: Vec<&str> = shown.lines().collect();
    let line = |start: &str| {
        let found = lines.iter().find_map(|line| line.strip_prefix(start));
        found.unwrap_or_else(|| panic!("no `{start}` in {shown}{log}"))
    };
    let all = BTreeSet::from(["north", "east", "south"]);
    let names =
        |text: &str| text.split(", ").map(str::trim).map(str::to_owned).collect::<BTreeSet<_>>();
    for client in ["2026-07-28: answered by", "sessions:   answered by"] {
        let seen = names(line(client));
        assert!(seen.iter().map(String::as_str).eq(all.iter().copied()), "{shown}");
    }
    let booked = line("2026-07-28: booked 2 seats for Ada; asked by ");
    let (asked, booked) = booked.split_once(", booked by ").expect("both instances");
    assert_ne!(asked, booked, "{shown}");
    let loads: Vec<&&str> = lines.iter().filter(|line| line.contains(" calls: ")).collect();
    assert_eq!(loads.len(), 2, "{shown}");
    for load in loads {
        assert!(load.ends_with(", 0 lost") && !load.contains(": 0 answered"), "{shown}");
    }
    assert_eq!(names(line("answered afterwards by")), names("north, east"), "{shown}");
}

#[test]
fn usage_error_is_printed() {
    let ran = Command::new(env!("CARGO_BIN_EXE_fleet")).arg("sreve").output().expect("it is built");
    let said = String::from_utf8_lossy(&ran.stderr).into_owned();
    assert!(ran.status.code() == Some(1) && said.contains("usage: fleet"), "{said}");
}
