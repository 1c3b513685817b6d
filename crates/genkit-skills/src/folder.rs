//! A folder of skills.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::SKILL_MD;
use crate::digest::sha256_digest;
use crate::error::Error;
use crate::limits::{MAX_FILES, MAX_FOLDER_BYTES, MAX_SKILL_BYTES};
use crate::links;
use crate::text::{Rules, SkillText};
use crate::walk::{self, Entry, FolderContents, display_path, unreadable_message};

/// A skill found in a folder.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FoundSkill {
    /// The path below `skill://`, such as `refunds` or `acme/billing/refunds`. The last segment is the name of the skill.
    pub path: String,
    /// The path of the folder of the skill.
    pub folder: PathBuf,
    /// The complete frontmatter, unprocessed.
    pub frontmatter: Map<String, Value>,
    /// All files of the skill, including the files of nested skills, sorted by path.
    pub files: Vec<FoundFile>,
    /// Errors for links in the `SKILL.md` that lead out of the skill, or to files that do not exist.
    pub dangling: Vec<Error>,
}

/// A file of a skill.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FoundFile {
    /// The path relative to the skill, with `/` as the separator.
    pub path: String,
    /// The path that the file was read from.
    pub source: PathBuf,
    /// The contents.
    pub bytes: Arc<[u8]>,
    /// The [`digest`](sha256_digest) of the contents.
    pub digest: String,
}

/// Reads a folder of skills, or a single skill, and enforces the rules for authors. Every folder with a `SKILL.md`, at
/// any depth, is a skill.
///
/// The path of a skill starts with the names of the folders above it. Files and folders whose names start with a dot
/// are ignored. A nested skill is a separate skill, and its files also belong to the outer skill.
///
/// # Errors
/// Returns all errors in all files: there are no skills; a `SKILL.md` is invalid; a name differs from the name of its
/// folder; a symbolic link leads out of the folder of its skill; or a skill has more than 512 files or 16 MiB.
pub fn read_skills(root: impl AsRef<Path>) -> Result<Vec<FoundSkill>, Vec<Error>> {
    let (skills, errors) = read_folder(root.as_ref(), Rules::Author)?;
    if errors.is_empty() { Ok(skills) } else { Err(errors) }
}

/// Reads a folder of third-party skills. A skill that cannot be used is omitted, and a description that is too long or
/// has an unquoted colon is accepted. Returns the skills, and all errors.
///
/// # Errors
/// Returns all errors if no skill can be used.
pub fn read_valid_skills(
    root: impl AsRef<Path>,
) -> Result<(Vec<FoundSkill>, Vec<Error>), Vec<Error>> {
    let (skills, errors) = read_folder(root.as_ref(), Rules::Reader)?;
    if skills.is_empty() { Err(errors) } else { Ok((skills, errors)) }
}

fn read_folder(root: &Path, rules: Rules) -> Result<(Vec<FoundSkill>, Vec<Error>), Vec<Error>> {
    let walked = walk::walk_folder(root)?;
    let mut reader = Reader { root, rules, files: BTreeMap::new(), bytes: 0, errors: Vec::new() };
    let has_errors =
        |folder: &str| walked.errors.iter().any(|(name, _)| path_inside(name, folder).is_some());
    let skills: Vec<FoundSkill> = skill_folders(&walked)
        .into_iter()
        .filter(|folder| !has_errors(folder))
        .filter_map(|folder| reader.read_skill(folder, &walked.files))
        .collect();
    reader.empty_folders(&walked);
    let errors = walked.errors.into_iter().map(|(_, error)| error);
    Ok((skills, errors.chain(reader.errors).collect()))
}

/// Returns the folders that are skills. The root is an empty string.
fn skill_folders(walked: &FolderContents) -> Vec<&str> {
    let of = |entry: &'_ Entry| match entry.name.rsplit_once('/') {
        Some((_, file)) => file == SKILL_MD,
        None => entry.name == SKILL_MD,
    };
    let skills = walked.files.iter().filter(|entry| of(entry));
    skills.map(|entry| entry.name.rsplit_once('/').map_or("", |(folder, _)| folder)).collect()
}

/// Returns the path of a file relative to a folder, if it is in that folder.
fn path_inside<'a>(name: &'a str, folder: &str) -> Option<&'a str> {
    match folder {
        "" => Some(name),
        folder => name.strip_prefix(folder)?.strip_prefix('/'),
    }
}

struct Reader<'a> {
    root: &'a Path,
    rules: Rules,
    /// The files that were read, by path relative to the root. A file of a nested skill belongs to two skills.
    files: BTreeMap<String, (Arc<[u8]>, String)>,
    bytes: u64,
    errors: Vec<Error>,
}

impl Reader<'_> {
    fn read_skill(&mut self, folder: &str, entries: &[Entry]) -> Option<FoundSkill> {
        let here = if folder.is_empty() { self.root.to_owned() } else { self.root.join(folder) };
        let Some(path) = self.resolve_path(folder) else {
            self.errors.push(Error::for_file(
                display_path(&here),
                "has no name; move the skill to a folder with a name",
            ));
            return None;
        };
        let before = self.errors.len();
        let own: Vec<(&str, &Entry)> = entries
            .iter()
            .filter_map(|entry| Some((path_inside(&entry.name, folder)?, entry)))
            .collect();
        self.check_size(&here, &own);
        self.check_links(&here, &own);
        if self.errors.len() > before {
            return None;
        }
        let files: Vec<FoundFile> =
            own.iter().filter_map(|(path, entry)| self.read_file(path, entry)).collect();
        let manifest = files.iter().find(|file| file.path == SKILL_MD)?;
        let file = display_path(&manifest.source);
        let text = match std::str::from_utf8(&manifest.bytes) {
            Ok(text) => text,
            Err(error) => {
                let what = format!(
                    "is not valid UTF-8 at byte {}; save the file as UTF-8",
                    error.valid_up_to()
                );
                self.errors.push(Error::for_file(file, what));
                return None;
            }
        };
        let parsed = match SkillText::parse_by(self.rules, &file, text) {
            Ok((parsed, warnings)) => {
                self.errors.extend(warnings);
                parsed
            }
            Err(error) => {
                self.errors.push(error);
                return None;
            }
        };
        let folder_name = path.rsplit('/').next().unwrap_or_default();
        if parsed.name() != folder_name {
            let message = format!(
                "the skill `{}` is in the folder `{folder_name}`; give both the same name",
                parsed.name()
            );
            self.errors.push(Error::for_file(file, message).with_place(name_place(text)));
            return None;
        }
        let dangling = dangling_links(&file, &parsed, &files);
        let frontmatter = parsed.frontmatter;
        Some(FoundSkill { path, folder: here, frontmatter, files, dangling })
    }

    /// Returns the path of a skill. If the root itself is a skill, the path starts with the root's name.
    fn resolve_path(&self, folder: &str) -> Option<String> {
        let root_is_skill = self.root.join(SKILL_MD).is_file();
        let name = match root_is_skill {
            true => Some(self.root.canonicalize().ok()?.file_name()?.to_str()?.to_owned()),
            false => None,
        };
        Some(match (name, folder) {
            (Some(name), "") => name,
            (Some(name), folder) => format!("{name}/{folder}"),
            (None, folder) => folder.to_owned(),
        })
    }

    fn check_size(&mut self, folder: &Path, own: &[(&str, &Entry)]) {
        if own.len() > MAX_FILES {
            let what = format!(
                "has {} files, but the maximum for a skill is {MAX_FILES}; split the skill",
                own.len()
            );
            self.errors.push(Error::for_file(display_path(folder), what));
        }
        let bytes: u64 = own.iter().map(|(_, entry)| entry.size).sum();
        if bytes > MAX_SKILL_BYTES {
            let what = format!(
                "has {bytes} bytes, but the limit for a skill is {MAX_SKILL_BYTES}; make the skill smaller"
            );
            self.errors.push(Error::for_file(display_path(folder), what));
        }
    }

    /// Reports symbolic links that lead out of their skill, for example into another skill of the same root.
    fn check_links(&mut self, folder: &Path, own: &[(&str, &Entry)]) {
        for (_, entry) in own.iter().filter(|(_, entry)| entry.is_linked) {
            let stays = match (entry.path.canonicalize(), folder.canonicalize()) {
                (Ok(target), Ok(folder)) => target.starts_with(folder),
                _ => false,
            };
            if !stays {
                let what = "is a symbolic link that leads out of its skill; replace the link with the file";
                self.errors.push(Error::for_file(display_path(&entry.path), what));
            }
        }
    }

    fn read_file(&mut self, path: &str, entry: &Entry) -> Option<FoundFile> {
        if !self.files.contains_key(&entry.name) {
            let bytes = match self.read_bytes(entry) {
                Ok(bytes) => bytes,
                Err(what) => {
                    self.errors.push(Error::for_file(display_path(&entry.path), what));
                    return None;
                }
            };
            let digest = sha256_digest(&bytes);
            self.files.insert(entry.name.clone(), (bytes.into(), digest));
        }
        let (bytes, digest) = self.files.get(&entry.name)?.clone();
        Some(FoundFile { path: path.to_owned(), source: entry.path.clone(), bytes, digest })
    }

    /// Reads a file. The size was checked before, but may have changed, so the read is limited as well.
    fn read_bytes(&mut self, entry: &Entry) -> Result<Vec<u8>, String> {
        let read = genkit_files::read_regular_file(&entry.path, MAX_SKILL_BYTES);
        let bytes = read.map_err(|error| match error {
            genkit_files::Error::TooLarge(limit) => {
                format!("is larger than {limit} bytes; make the file smaller")
            }
            error => unreadable_message(&error.into()),
        })?;
        self.bytes += bytes.len() as u64;
        if self.bytes > MAX_FOLDER_BYTES {
            return Err(format!(
                "makes the folder larger than {MAX_FOLDER_BYTES} bytes; split the folder"
            ));
        }
        Ok(bytes)
    }

    /// Reports folders in the root that contain no skill. Most likely their `SKILL.md` has another name.
    fn empty_folders(&mut self, walked: &FolderContents) {
        let skills = skill_folders(walked);
        if skills.is_empty() && walked.folders.iter().all(|folder| folder.contains('/')) {
            let what = "contains no skills; add a folder with a `SKILL.md`";
            return self.errors.push(Error::for_file(display_path(self.root), what));
        }
        if skills.contains(&"") {
            return;
        }
        for folder in walked.folders.iter().filter(|folder| !folder.contains('/')) {
            let is_skill = |skill: &&str| *skill == folder || path_inside(skill, folder).is_some();
            if !skills.iter().any(is_skill) {
                let what = format!("contains no `{SKILL_MD}`, which every skill needs; add one");
                self.errors.push(Error::for_file(display_path(&self.root.join(folder)), what));
            }
        }
    }
}

/// Returns the position of the key `name`.
fn name_place(text: &str) -> (usize, usize) {
    let line = text.lines().position(|line| line.starts_with("name"));
    (line.map_or(1, |line| line + 1), 1)
}

fn dangling_links(file: &str, parsed: &SkillText<'_>, files: &[FoundFile]) -> Vec<Error> {
    let links = links::relative_links(parsed.instructions);
    let wrong = links.into_iter().filter_map(|(link, line)| {
        let place = (parsed.first_line + line - 1, 1);
        let what = match links::resolve_link(&link) {
            None => format!(
                "the link `{link}` leads out of the skill, and only the skill's own files are served; copy the file \
                 into the skill"
            ),
            Some(target) => {
                let has = |file: &FoundFile| {
                    file.path == target || path_inside(&file.path, &target).is_some()
                };
                if files.iter().any(has) {
                    return None;
                }
                format!("the link `{link}` does not lead to a file of the skill; add the file, or fix the link")
            }
        };
        Some(Error::for_file(file, what).with_place(place))
    });
    wrong.collect()
}
