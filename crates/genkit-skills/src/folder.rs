//! A folder of skills.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::SKILL_MD;
use crate::digest::digest;
use crate::error::Error;
use crate::limits::{MAX_FILES, MAX_FOLDER_BYTES, MAX_SKILL_BYTES};
use crate::links;
use crate::text::SkillText;
use crate::walk::{self, Entry, Walked, shown, unreadable};

/// Found skill: one of a folder.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FoundSkill {
    /// Where it lives below `skill://`: `refunds`, `acme/billing/refunds`. The last segment is its name.
    pub path: String,
    /// Its folder.
    pub folder: PathBuf,
    /// All of its frontmatter, as it was written.
    pub frontmatter: Map<String, Value>,
    /// All of its files, those of nested skills included, by path.
    pub files: Vec<FoundFile>,
    /// Links of its `SKILL.md` to files that it does not have.
    pub dangling: Vec<Error>,
}

/// Found file: one of a skill.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FoundFile {
    /// Its path within the skill, with `/`.
    pub path: String,
    /// Where it was read.
    pub source: PathBuf,
    /// What it holds.
    pub bytes: Arc<[u8]>,
    /// Its [`digest`].
    pub digest: String,
}

/// Reads a folder of skills, or one skill: each folder with a `SKILL.md`, at any depth, is one.
///
/// The folders above a skill are the beginning of its path. Names that begin with a dot are passed over. A nested skill
/// is a skill of its own, and its files are the outer one's, too.
///
/// # Errors
/// Every mistake of every file: there is no skill; a `SKILL.md` by no rule; a name that is not that of the folder; a link
/// that leaves the folder of its skill; over 512 files or 16 MiB in a skill.
pub fn read(root: impl AsRef<Path>) -> Result<Vec<FoundSkill>, Vec<Error>> {
    let root = root.as_ref();
    let walked = walk::walk(root)?;
    let mut reader = Reader { root, files: BTreeMap::new(), bytes: 0, errors: Vec::new() };
    let skills: Vec<FoundSkill> = folders(&walked)
        .into_iter()
        .filter_map(|folder| reader.skill(folder, &walked.files))
        .collect();
    reader.empty_folders(&walked);
    if reader.errors.is_empty() { Ok(skills) } else { Err(reader.errors) }
}

/// The folders that are skills; the root is an empty text.
fn folders(walked: &Walked) -> Vec<&str> {
    let of = |entry: &'_ Entry| match entry.name.rsplit_once('/') {
        Some((_, file)) => file == SKILL_MD,
        None => entry.name == SKILL_MD,
    };
    let skills = walked.files.iter().filter(|entry| of(entry));
    skills.map(|entry| entry.name.rsplit_once('/').map_or("", |(folder, _)| folder)).collect()
}

/// The path of a file within a folder.
fn inside<'a>(name: &'a str, folder: &str) -> Option<&'a str> {
    match folder {
        "" => Some(name),
        folder => name.strip_prefix(folder)?.strip_prefix('/'),
    }
}

struct Reader<'a> {
    root: &'a Path,
    /// What was read, by the path within the root: a file of a nested skill is in two.
    files: BTreeMap<String, (Arc<[u8]>, String)>,
    bytes: u64,
    errors: Vec<Error>,
}

impl Reader<'_> {
    fn skill(&mut self, folder: &str, entries: &[Entry]) -> Option<FoundSkill> {
        let here = if folder.is_empty() { self.root.to_owned() } else { self.root.join(folder) };
        let Some(path) = self.path_of(folder) else {
            self.errors.push(Error::of(shown(&here), "has no name: name the folder of the skill"));
            return None;
        };
        let before = self.errors.len();
        let own: Vec<(&str, &Entry)> = entries
            .iter()
            .filter_map(|entry| Some((inside(&entry.name, folder)?, entry)))
            .collect();
        self.check_size(&here, &own);
        self.check_links(&here, &own);
        if self.errors.len() > before {
            return None;
        }
        let files: Vec<FoundFile> =
            own.iter().filter_map(|(path, entry)| self.file(path, entry)).collect();
        let manifest = files.iter().find(|file| file.path == SKILL_MD)?;
        let file = shown(&manifest.source);
        let text = match std::str::from_utf8(&manifest.bytes) {
            Ok(text) => text,
            Err(error) => {
                let what = format!("is no UTF-8 at byte {}: save it as UTF-8", error.valid_up_to());
                self.errors.push(Error::of(file, what));
                return None;
            }
        };
        let parsed = match SkillText::parse(&file, text) {
            Ok(parsed) => parsed,
            Err(error) => {
                self.errors.push(error);
                return None;
            }
        };
        let folder_name = path.rsplit('/').next().unwrap_or_default();
        if parsed.name() != folder_name {
            let message = format!(
                "the skill `{}` lies in the folder `{folder_name}`: give both one name",
                parsed.name()
            );
            self.errors.push(Error::of(file, message).at(name_place(text)));
            return None;
        }
        let dangling = dangling(&file, &parsed, &files);
        let frontmatter = parsed.frontmatter;
        Some(FoundSkill { path, folder: here, frontmatter, files, dangling })
    }

    /// The root is a skill only if it has a name itself.
    fn path_of(&self, folder: &str) -> Option<String> {
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
            let what =
                format!("has {} files, and a skill at most {MAX_FILES}: split it", own.len());
            self.errors.push(Error::of(shown(folder), what));
        }
        let bytes: u64 = own.iter().map(|(_, entry)| entry.size).sum();
        if bytes > MAX_SKILL_BYTES {
            let what = format!(
                "has {bytes} bytes, and a skill at most {MAX_SKILL_BYTES}: make it smaller"
            );
            self.errors.push(Error::of(shown(folder), what));
        }
    }

    /// A link may stay in the root and lead into another skill all the same.
    fn check_links(&mut self, folder: &Path, own: &[(&str, &Entry)]) {
        for (_, entry) in own.iter().filter(|(_, entry)| entry.is_linked) {
            let stays = match (entry.path.canonicalize(), folder.canonicalize()) {
                (Ok(target), Ok(folder)) => target.starts_with(folder),
                _ => false,
            };
            if !stays {
                let what = "is a link that leaves its skill: put the file itself there";
                self.errors.push(Error::of(shown(&entry.path), what));
            }
        }
    }

    fn file(&mut self, path: &str, entry: &Entry) -> Option<FoundFile> {
        if !self.files.contains_key(&entry.name) {
            let bytes = match self.bytes_of(entry) {
                Ok(bytes) => bytes,
                Err(what) => {
                    self.errors.push(Error::of(shown(&entry.path), what));
                    return None;
                }
            };
            let digest = digest(&bytes);
            self.files.insert(entry.name.clone(), (bytes.into(), digest));
        }
        let (bytes, digest) = self.files.get(&entry.name)?.clone();
        Some(FoundFile { path: path.to_owned(), source: entry.path.clone(), bytes, digest })
    }

    /// The size was asked for first, but may have changed.
    fn bytes_of(&mut self, entry: &Entry) -> Result<Vec<u8>, String> {
        let file = std::fs::File::open(&entry.path).map_err(|error| unreadable(&error))?;
        let mut bytes = Vec::new();
        let mut bounded = file.take(MAX_SKILL_BYTES + 1);
        bounded.read_to_end(&mut bytes).map_err(|error| unreadable(&error))?;
        self.bytes += bytes.len() as u64;
        if bytes.len() as u64 > MAX_SKILL_BYTES {
            return Err(format!("has over {MAX_SKILL_BYTES} bytes: make it smaller"));
        }
        if self.bytes > MAX_FOLDER_BYTES {
            return Err(format!("with it the folder has over {MAX_FOLDER_BYTES} bytes: split it"));
        }
        Ok(bytes)
    }

    /// A folder of the root that nobody would miss: most likely its `SKILL.md` has another name.
    fn empty_folders(&mut self, walked: &Walked) {
        let skills = folders(walked);
        if skills.is_empty() && walked.folders.iter().all(|folder| folder.contains('/')) {
            let what = "holds no skill: put a folder with a `SKILL.md` there";
            return self.errors.push(Error::of(shown(self.root), what));
        }
        if skills.contains(&"") {
            return;
        }
        for folder in walked.folders.iter().filter(|folder| !folder.contains('/')) {
            let is_skill = |skill: &&str| *skill == folder || inside(skill, folder).is_some();
            if !skills.iter().any(is_skill) {
                let what =
                    format!("holds no `{SKILL_MD}`, the file that makes a folder a skill: add it");
                self.errors.push(Error::of(shown(&self.root.join(folder)), what));
            }
        }
    }
}

/// Where the key `name` stands.
fn name_place(text: &str) -> (usize, usize) {
    let line = text.lines().position(|line| line.starts_with("name"));
    (line.map_or(1, |line| line + 1), 1)
}

fn dangling(file: &str, parsed: &SkillText<'_>, files: &[FoundFile]) -> Vec<Error> {
    let links = links::links(parsed.instructions);
    let wrong = links.into_iter().filter_map(|(link, line)| {
        let place = (parsed.first_line + line - 1, 1);
        let what = match links::resolved(&link) {
            None => format!("the link `{link}` leaves the skill, whose files alone are served: copy the file"),
            Some(target) => {
                let has = |file: &FoundFile| {
                    file.path == target || inside(&file.path, &target).is_some()
                };
                if files.iter().any(has) {
                    return None;
                }
                format!("the link `{link}` leads to no file of the skill: add the file, or mend the link")
            }
        };
        Some(Error::of(file, what).at(place))
    });
    wrong.collect()
}
