//! Folders: which parts are served, and to which clients.

use genkit::Skill;
use genkit::mcp::server::Item;
use genkit::testing::Client;

use super::{folder, manifest, serving, write};

#[test]
#[cfg(unix)]
fn skill_with_a_link_outside_its_folder_is_skipped() {
    use std::os::unix::fs::symlink;
    let root = folder("links");
    write(&root, "outside.txt", "secret");
    write(&root, "skills/a/SKILL.md", manifest("a", ""));
    write(&root, "skills/b/SKILL.md", manifest("b", ""));
    write(&root, "skills/b/own.md", "own");
    symlink(root.join("skills/b/own.md"), root.join("skills/b/again.md")).unwrap();
    let skills = Skill::read_dir(root.join("skills")).unwrap();
    assert_eq!(skills[1].file("again.md").unwrap().bytes(), b"own", "a link within the skill");
    for target in ["outside.txt", "skills/b/own.md", "skills/b"] {
        let link = root.join("skills/a/link");
        symlink(root.join(target), &link).unwrap();
        let names =
            |skills: Vec<Skill>| skills.iter().map(|it| it.name().to_owned()).collect::<Vec<_>>();
        let skills = Skill::read_dir(root.join("skills")).unwrap();
        assert_eq!(names(skills), ["b"], "{target}: the other skill remains");
        let error = Skill::read_dir(root.join("skills/a")).unwrap_err().to_string();
        assert!(error.contains("a/link"), "{target}: {error}");
        assert!(error.contains("is a link that leads out"), "{target}: {error}");
        std::fs::remove_file(link).unwrap();
    }
    std::fs::remove_dir_all(root).unwrap();
}

#[test]
fn invalid_skill_does_not_disable_the_others() {
    let root = folder("lenient");
    write(&root, "good/SKILL.md", manifest("good", ""));
    let long = "x".repeat(1_068);
    write(&root, "long/SKILL.md", format!("---\nname: long\ndescription: {long}\n---\nDo."));
    write(
        &root,
        "colon/SKILL.md",
        "---\nname: colon\ndescription: Use this when: asked\n---\nDo it.",
    );
    write(&root, "other/SKILL.md", "---\nname: another\ndescription: d\n---\n");
    write(&root, "empty/SKILL.md", "no frontmatter");
    write(&root, "binary/SKILL.md", [0xff, 0xfe]);
    write(&root, "readme/README.md", "not a skill");
    let skills = Skill::read_dir(&root).unwrap();
    let names: Vec<_> = skills.iter().map(Skill::name).collect();
    assert_eq!(names, ["colon", "good", "long"]);
    assert_eq!(skills[0].description(), "Use this when: asked");
    assert_eq!(skills[0].instructions(), "Do it.");
    assert_eq!(skills[2].instructions(), "Do.");
    assert!(
        skills[2].description().chars().count() <= 1_024,
        "the model gets no more than the limit"
    );
    std::fs::remove_dir_all(root).unwrap();
}

#[test]
fn skill_limits_are_exact() {
    let root = folder("limits");
    write(&root, "a/SKILL.md", manifest("a", ""));
    for number in 0..511 {
        write(&root, &format!("a/{number}.md"), "");
    }
    assert_eq!(Skill::read_dir(&root).unwrap()[0].files().len(), 512);
    write(&root, "a/one-more.md", "");
    let error = Skill::read_dir(&root).unwrap_err().to_string();
    assert!(error.contains("has 513 files, but the maximum for a skill is 512"), "{error}");
    std::fs::remove_dir_all(&root).unwrap();
    let text = manifest("a", "");
    write(&root, "a/SKILL.md", &text);
    let room = 16 * 1024 * 1024 - text.len();
    write(&root, "a/large", vec![b'x'; room]);
    assert!(Skill::read_dir(&root).is_ok());
    write(&root, "a/large", vec![b'x'; room + 1]);
    let error = Skill::read_dir(&root).unwrap_err().to_string();
    assert!(error.contains("the limit for a skill is 16777216"), "{error}");
    std::fs::remove_dir_all(root).unwrap();
}

#[tokio::test]
async fn rule_hides_a_skill_with_all_of_its_files() {
    let root = folder("permit");
    for name in ["open", "secret"] {
        write(&root, &format!("{name}/SKILL.md"), manifest(name, "text"));
        write(&root, &format!("{name}/x.md"), "x");
    }
    let skills = Skill::read_dir(&root).unwrap();
    let server = serving(skills).permit(|_, item| match item {
        Item::Skill(skill) => skill.name() != "secret",
        _ => true,
    });
    let client = Client::connect(server).await.unwrap();
    let listed = client.resources().await.unwrap();
    let uris: Vec<&str> = listed.iter().map(|resource| resource.uri()).collect();
    assert_eq!(uris, ["skill://open/SKILL.md"], "and files are found by their skill alone");
    let read = client.read_resource("skill://open/x.md").await.unwrap();
    assert_eq!(read[0].as_text(), Some("x"));
    for hidden in ["skill://secret/SKILL.md", "skill://secret/x.md", "skill://open/y.md"] {
        assert!(client.read_resource(hidden).await.is_err(), "{hidden}");
    }
    std::fs::remove_dir_all(root).unwrap();
}

#[tokio::test]
async fn skill_errors_are_reported_at_server_startup() {
    let root = folder("server");
    write(&root, "a/SKILL.md", "---\nname: b\ndescription: d\n---\n");
    let error = Client::connect(serving(Vec::new()).skills_dir(&root)).await.err().unwrap();
    assert!(error.to_string().contains("a/SKILL.md:2:1: the skill `b` is in"), "{error}");
    write(&root, "a/SKILL.md", manifest("a", "text"));
    let client = Client::connect(serving(Vec::new()).skills_dir(&root)).await.unwrap();
    assert_eq!(client.resources().await.unwrap()[0].name(), "a");
    std::fs::remove_dir_all(root).unwrap();
}
