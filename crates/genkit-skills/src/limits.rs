//! Limits on the size of skills.

/// The maximum number of files in a skill, including its `SKILL.md` and the files of nested skills (SEP-2640).
pub const MAX_FILES: usize = 512;

/// The maximum total size of the files in a skill: 16 MiB (SEP-2640).
pub const MAX_SKILL_BYTES: u64 = 16 * 1024 * 1024;

/// The maximum length of a name, in characters (Agent Skills).
pub const MAX_NAME: usize = 64;

/// The maximum length of a description, in characters (Agent Skills).
pub const MAX_DESCRIPTION: usize = 1024;

/// The maximum number of entries in a folder of skills.
pub(crate) const MAX_ENTRIES: usize = 20_000;

/// The maximum total size of the skills in a folder, in bytes.
pub(crate) const MAX_FOLDER_BYTES: u64 = 256 * 1024 * 1024;

/// The maximum nesting depth of folders.
pub(crate) const MAX_DEPTH: usize = 16;

/// The maximum length of the path of a file relative to its folder, in bytes.
pub(crate) const MAX_PATH: usize = 512;
