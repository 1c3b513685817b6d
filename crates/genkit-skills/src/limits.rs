//! What a skill may cost.

/// The files of a skill, its `SKILL.md` and those of nested skills included, at most (SEP-2640).
pub const MAX_FILES: usize = 512;

/// The bytes of all files of a skill, at most: 16 MiB (SEP-2640).
pub const MAX_SKILL_BYTES: u64 = 16 * 1024 * 1024;

/// The characters of a name, at most (Agent Skills).
pub const MAX_NAME: usize = 64;

/// The characters of a description, at most (Agent Skills).
pub const MAX_DESCRIPTION: usize = 1024;

/// The entries of a folder of skills, at most.
pub(crate) const MAX_ENTRIES: usize = 20_000;

/// The bytes of all skills of a folder, at most.
pub(crate) const MAX_FOLDER_BYTES: u64 = 256 * 1024 * 1024;

/// Folders within each other, at most.
pub(crate) const MAX_DEPTH: usize = 16;

/// The bytes of the path of a file within its folder, at most.
pub(crate) const MAX_PATH: usize = 512;
