//! The names of files and folders.
//!
//! They never reach a file system: a file is a memory with its name in the
//! metadata. All the same nothing that could lead out of `/memories` is a
//! name, so that none is kept that an export might turn into a file.

use std::fmt;

/// Where everything lies.
pub(super) const ROOT: &str = "/memories";

const BYTES_MAX: usize = 512;

/// `/memories`, or a path below it without `.`, `..` and empty parts.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct FilePath(String);

impl FilePath {
    /// None if it is no path below `/memories`.
    pub(super) fn parse(given: &str) -> Option<Self> {
        let rest = given.strip_prefix(ROOT)?;
        let is_whole_name = rest.is_empty() || rest.starts_with('/');
        let mut path = ROOT.to_owned();
        for part in rest.split('/').filter(|part| !part.is_empty()) {
            if !is_name(part) {
                return None;
            }
            path.push('/');
            path.push_str(part);
        }
        (is_whole_name && path.len() <= BYTES_MAX).then_some(Self(path))
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }

    pub(super) fn is_root(&self) -> bool {
        self.0 == ROOT
    }

    /// Whether it lies in that folder, at any depth.
    pub(super) fn is_below(&self, folder: &Self) -> bool {
        self.parts_below(folder)
            .is_some_and(|parts| !parts.is_empty())
    }

    /// The parts of its name below that folder; nothing if it does not lie there.
    pub(super) fn parts_below(&self, folder: &Self) -> Option<Vec<&str>> {
        let rest = self.0.strip_prefix(folder.as_str())?;
        if rest.is_empty() {
            return Some(Vec::new());
        }
        Some(rest.strip_prefix('/')?.split('/').collect())
    }

    /// The same name with the one folder in place of the other.
    pub(super) fn moved(&self, from: &Self, to: &Self) -> Option<Self> {
        let rest = self.0.strip_prefix(from.as_str())?;
        Self::parse(&format!("{to}{rest}"))
    }
}

fn is_name(part: &str) -> bool {
    let lower = part.to_ascii_lowercase();
    let climbs = part == "." || part == ".." || part.contains('\\');
    // What a program that decodes it would take for a way out.
    let encoded = ["%2e", "%2f", "%5c", "%00"]
        .iter()
        .any(|code| lower.contains(code));
    !climbs && !encoded && !part.chars().any(char::is_control)
}

impl fmt::Display for FilePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_below_the_root() {
        for (given, expected) in [
            ("/memories", Some("/memories")),
            ("/memories/", Some("/memories")),
            ("/memories//a//b.txt", Some("/memories/a/b.txt")),
            ("/memories/a b/ü.md", Some("/memories/a b/ü.md")),
            ("/memories/..a/b..c", Some("/memories/..a/b..c")),
            ("", None),
            ("/", None),
            ("memories/a", None),
            ("/memoriesa", None),
            ("/memories_old/a", None),
            ("/etc/passwd", None),
            ("/memories/..", None),
            ("/memories/../etc/passwd", None),
            ("/memories/a/../../etc", None),
            ("/memories/./a", None),
            ("/memories/..\\a", None),
            ("/memories/%2e%2e%2fetc", None),
            ("/memories/a%2Fb", None),
            ("/memories/a\0b", None),
            ("/memories/a\nb", None),
        ] {
            let parsed = FilePath::parse(given);
            assert_eq!(parsed.as_ref().map(FilePath::as_str), expected, "{given}");
        }
        assert_eq!(
            FilePath::parse(&format!("/memories/{}", "a".repeat(600))),
            None
        );
    }

    #[test]
    fn a_name_knows_its_folder() {
        let path = |text: &str| FilePath::parse(text).unwrap();
        assert!(path("/memories/a/b").is_below(&path("/memories/a")));
        assert!(!path("/memories/ab").is_below(&path("/memories/a")));
        assert!(!path("/memories/a").is_below(&path("/memories/a")));
        let moved = path("/memories/a/b").moved(&path("/memories/a"), &path("/memories/c/d"));
        assert_eq!(moved, Some(path("/memories/c/d/b")));
    }
}
