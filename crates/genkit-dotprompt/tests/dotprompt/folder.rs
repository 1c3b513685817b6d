//! Tests of prompt folders.

use std::path::{Path, PathBuf};

use genkit_dotprompt::{Data, Environment, Error, Folder, Library};

/// Creates a folder with files, next to the test executable.
fn folder(test: &str, files: &[(&str, &str)]) -> PathBuf {
    let program = std::env::current_exe().unwrap();
    let root = program.parent().unwrap().join("dotprompt_folders").join(test);
    let _ = std::fs::remove_dir_all(&root);
    std::fs::create_dir_all(&root).unwrap();
    for (name, source) in files {
        let path = root.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, source).unwrap();
    }
    root
}

fn texts(errors: &[Error], root: &Path) -> Vec<String> {
    let text = |error: &Error| error.to_string().replace(&format!("{}/", root.display()), "");
    errors.iter().map(text).collect()
}

#[test]
fn names_variants_and_partials() {
    let root = folder(
        "names",
        &[
            ("trip.prompt", "{{> header}}{{> footer}}{{> mail/footer}}"),
            ("trip.formal.prompt", "{{> mail/item}}"),
            ("mail/reply.short.v2.prompt", "x"),
            ("_header.prompt", "H"),
            ("mail/_footer.prompt", "F"),
            ("mail/_item.prompt", "I"),
            ("post/_item.prompt", "J"),
            ("README.md", "no prompt"),
            (".git/x.prompt", "{{"),
        ],
    );
    let read = Folder::read(&root).unwrap();
    let names: Vec<_> = read.prompts().iter().map(|prompt| prompt.full_name()).collect();
    assert_eq!(names, ["mail/reply.short.v2", "trip", "trip.formal"]);
    assert_eq!(read.prompts()[0].variant.as_deref(), Some("short.v2"));
    let partials: Vec<_> = read.partial_names().into_keys().collect();
    assert_eq!(partials, ["footer", "header", "mail/footer", "mail/item", "post/item"]);

    let library = Library::build(&read, Environment::builder()).unwrap();
    let trip = library.get("trip").unwrap();
    let rendered = library.environment().render(trip, &Data::default(), &Default::default());
    assert_eq!(rendered.unwrap().messages[0].text(), "HFF");
    let error = library.get("trip.fromal").unwrap_err().to_string();
    assert!(error.contains(
        "expected one of `mail/reply.short.v2`, `trip`, `trip.formal`; did you mean `trip.formal`?"
    ));
    assert!(error.contains(&root.display().to_string()), "{error}");
}

#[test]
fn all_errors_of_all_files_are_reported() {
    let root = folder(
        "mistakes",
        &[
            ("a.prompt", "{{#if}}{{/if}}"),
            ("b/c.prompt", "---\nmodel: [\n---\nx"),
            ("d.prompt", "{{> item}}"),
        ],
    );
    let read = Folder::read(&root).unwrap();
    let errors = texts(&Library::build(&read, Environment::builder()).unwrap_err(), &root);
    assert_eq!(errors.len(), 3, "{errors:?}");
    assert!(errors[0].starts_with("a.prompt:1:4: invalid arguments for `if`"), "{errors:?}");
    assert!(
        errors[1].starts_with("b/c.prompt:3:1: the frontmatter is not valid YAML"),
        "{errors:?}"
    );
    assert!(errors[2].starts_with("d.prompt:1:1: unknown partial `item`"), "{errors:?}");

    let root = folder("partials", &[("_a.prompt", "{{"), ("_b.prompt", "{{/if}}")]);
    let errors = Environment::builder().add_partials(&Folder::read(&root).unwrap()).unwrap_err();
    assert_eq!(
        texts(&errors, &root),
        [
            "_a.prompt:1:1: `{{` is never closed; write `}}`",
            "_b.prompt:1:1: `{{/if}}` does not close a block"
        ]
    );
}

#[test]
fn missing_folder_is_named_in_the_error() {
    let errors = Folder::read("no/such/prompts").unwrap_err();
    let text = errors[0].to_string();
    assert!(text.starts_with("the prompt folder `no/such/prompts` (in `"), "{text}");
    let root = folder("file", &[("x.prompt", "")]);
    let text = Folder::read(root.join("x.prompt")).unwrap_err()[0].to_string();
    assert!(text.ends_with("x.prompt` is not a folder"), "{text}");
}

#[test]
fn non_utf8_and_oversized_files_are_rejected() {
    let large = "x".repeat(genkit_dotprompt::MAX_SOURCE_BYTES + 1);
    let root = folder("large", &[("a.prompt", &large)]);
    std::fs::write(root.join("b.prompt"), b"x\xff").unwrap();
    let mut errors = texts(&Folder::read(&root).unwrap_err(), &root);
    errors.sort();
    assert_eq!(
        errors,
        [
            "a.prompt: the file is larger than 1048576 bytes",
            "b.prompt: the file is not valid UTF-8 at byte 1"
        ]
    );
}

#[test]
fn folder_depth_is_limited() {
    let path = |depth: usize| format!("{}x.prompt", "d/".repeat(depth));
    let root = folder("depth", &[(&path(15), "x")]);
    assert_eq!(Folder::read(&root).unwrap().prompts().len(), 1);
    let root = folder("deeper", &[(&path(16), "x")]);
    let text = Folder::read(&root).unwrap_err()[0].to_string();
    assert!(text.contains("is nested more than 16 folders deep"), "{text}");
}

#[cfg(unix)]
#[test]
fn links_stay_in_the_folder() {
    use std::os::unix::fs::symlink;
    let root = folder(
        "links",
        &[("in/prompts/a.prompt", "x"), ("out.prompt", "secret"), ("away/b.prompt", "x")],
    );
    let prompts = root.join("in/prompts");
    symlink(prompts.join("a.prompt"), prompts.join("c.prompt")).unwrap();
    assert_eq!(Folder::read(&prompts).unwrap().prompts().len(), 2);
    symlink(root.join("out.prompt"), prompts.join("d.prompt")).unwrap();
    symlink(root.join("away"), prompts.join("e")).unwrap();
    let mut errors = texts(&Folder::read(&prompts).unwrap_err(), &prompts);
    errors.sort();
    assert_eq!(
        errors,
        [
            "d.prompt: the file is a link that leads out of the folder",
            "e: the file is a link that leads out of the folder"
        ]
    );
    std::fs::remove_file(prompts.join("d.prompt")).unwrap();
    std::fs::remove_file(prompts.join("e")).unwrap();
    // Following a link to a parent ends at the limit on nested folders.
    symlink(&prompts, prompts.join("again")).unwrap();
    let text = Folder::read(&prompts).unwrap_err()[0].to_string();
    assert!(text.contains("a link to one of its parents"), "{text}");
}
