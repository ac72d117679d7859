//! The master key: where it comes from, and how it is written down.

use std::fmt;
use std::io::Read;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use base64ct::{Base64, Encoding};
use zeroize::Zeroizing;

use super::aead::Key;
use super::passphrase::Stretch;
use super::problem::SealProblem;
use crate::error::{Error, Result};

/// A text that must not be shown: a passphrase, or a key as text.
#[derive(Clone)]
pub struct Secret(Zeroizing<String>);

impl Secret {
    /// Takes it over.
    pub fn new(text: String) -> Self {
        Self(Zeroizing::new(text))
    }

    pub(super) fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// Where a master key comes from.
#[derive(Clone, Debug)]
pub enum Source {
    /// A file that only its owner may read.
    File(PathBuf),
    /// The key itself, as text.
    Text(Secret),
    /// Something that a person knows.
    Passphrase(Secret),
}

impl Source {
    /// What people call it.
    pub fn name(&self) -> String {
        match self {
            Self::File(path) => path.display().to_string(),
            Self::Text(_) => "the key of the environment".into(),
            Self::Passphrase(_) => "the passphrase".into(),
        }
    }

    /// The key, made of the passphrase as `stretch` says.
    ///
    /// Slow for a passphrase, on purpose.
    pub fn master(&self, stretch: Option<&Stretch>) -> Result<Master> {
        match (self, stretch) {
            (Self::File(path), None) => Master::read(path),
            (Self::Text(text), None) => Master::parse(text.expose(), "MNEMON_KEY"),
            (Self::Passphrase(passphrase), Some(stretch)) => Ok(Master(stretch.key(passphrase)?)),
            // One is not the other, whatever it would open.
            _ => Err(Error::Crypto(SealProblem::WrongKey {
                source: self.name(),
                by_passphrase: stretch.is_some(),
            })),
        }
    }
}

/// The key that all others depend on.
#[derive(Clone)]
pub struct Master(Key);

impl Master {
    /// A new one.
    pub fn random() -> Self {
        Self(Key::random())
    }

    /// What tells it from others and tells nothing about it: 32 hexadecimal digits.
    pub fn id(&self) -> String {
        let digest = self.0.derive(&[], b"mnemon: master id");
        hex(&digest.bytes()[..16])
    }

    /// The key that wraps data keys.
    pub(super) fn wrapping(&self) -> Key {
        self.0.derive(&[], b"mnemon: wrapping")
    }

    /// A key of its own for one envelope.
    pub(super) fn for_envelope(&self, salt: &[u8]) -> Key {
        self.0.derive(salt, b"mnemon: envelope")
    }

    /// The key of a text: 32 bytes in base64.
    fn parse(text: &str, place: &str) -> Result<Self> {
        let decoded = Base64::decode_vec(text.trim()).map(Zeroizing::new);
        let key = decoded.ok().and_then(|bytes| Key::from_bytes(&bytes));
        key.map(Self).ok_or_else(|| {
            Error::Crypto(SealProblem::NoKeyIn {
                place: place.to_owned(),
            })
        })
    }

    /// Reads a key file; one that others may read is refused.
    fn read(path: &Path) -> Result<Self> {
        let mut file = match std::fs::File::open(path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(Error::Crypto(SealProblem::NoKeyFile { path: path.into() }));
            }
            opened => opened.map_err(Error::io("open", path))?,
        };
        let about = file.metadata().map_err(Error::io("read", path))?;
        let mode = about.mode() & 0o777;
        if mode & 0o077 != 0 {
            return Err(Error::Crypto(SealProblem::Exposed {
                path: path.into(),
                mode,
            }));
        }
        let mut text = Zeroizing::new(String::new());
        // A key file is short, whatever is behind that name.
        (&mut file)
            .take(4096)
            .read_to_string(&mut text)
            .map_err(Error::io("read", path))?;
        let mut lines = text.lines().filter(|line| !line.starts_with('#'));
        let line = lines.next().unwrap_or_default();
        Self::parse(line, &path.display().to_string())
    }

    /// Writes a key file that nobody else may read, durably; an existing one stays.
    pub fn write(&self, path: &Path) -> Result<()> {
        use std::io::Write;
        if let Some(folder) = path
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty())
        {
            use std::os::unix::fs::DirBuilderExt;
            std::fs::DirBuilder::new()
                .recursive(true)
                .mode(0o700)
                .create(folder)
                .map_err(Error::io("create", folder))?;
        }
        let part = beside(path, ".part");
        // Half of a key that a crash left is of no use to anybody.
        let _ = std::fs::remove_file(&part);
        let encoded = Zeroizing::new(Base64::encode_string(self.0.bytes()));
        let text = Zeroizing::new(format!(
            "# A master key of mnemon. Without it nothing opens that it sealed: keep a copy elsewhere.\n{}\n",
            *encoded
        ));
        let written = std::fs::OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&part)
            .and_then(|mut file| {
                file.write_all(text.as_bytes())?;
                file.sync_all()
            })
            .map_err(Error::io("write", &part));
        // A link, unlike a new name, takes nobody's place.
        let named = written.and_then(|()| match std::fs::hard_link(&part, path) {
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
                Err(Error::Crypto(SealProblem::KeyFileExists {
                    path: path.into(),
                }))
            }
            linked => linked.map_err(Error::io("create", path)),
        });
        let _ = std::fs::remove_file(&part);
        named?;
        sync_folder_of(path)
    }
}

impl fmt::Debug for Master {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Master(…)")
    }
}

/// The name of a file with something behind it.
pub(super) fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(ending);
    path.with_file_name(name)
}

/// Small hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let nibbles = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    nibbles
        .map(|nibble| char::from(DIGITS[usize::from(nibble)]))
        .collect()
}

/// Makes the name of a file durable.
pub(super) fn sync_folder_of(path: &Path) -> Result<()> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    std::fs::File::open(folder)
        .and_then(|folder| folder.sync_all())
        .map_err(Error::io("sync", folder))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn problem(result: Result<Master>) -> SealProblem {
        match result.unwrap_err() {
            Error::Crypto(problem) => problem,
            other => panic!("{other}"),
        }
    }

    #[test]
    fn a_key_file_comes_back_and_is_for_its_owner_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("keys/master.key");
        let master = Master::random();
        master.write(&path).unwrap();
        let source = Source::File(path.clone());
        assert_eq!(source.master(None).unwrap().id(), master.id());
        let mode = std::fs::metadata(&path).unwrap().mode() & 0o777;
        assert_eq!(mode, 0o600);
        let again = Master::random().write(&path).unwrap_err();
        assert!(matches!(
            again,
            Error::Crypto(SealProblem::KeyFileExists { .. })
        ));

        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o640)).unwrap();
        let refused = problem(source.master(None));
        assert!(matches!(refused, SealProblem::Exposed { mode: 0o640, .. }));
    }

    #[test]
    fn what_is_no_key_is_said_to_be_none() {
        let folder = tempfile::tempdir().unwrap();
        let missing = Source::File(folder.path().join("none.key"));
        assert!(matches!(
            problem(missing.master(None)),
            SealProblem::NoKeyFile { .. }
        ));
        for text in ["", "secret", "AAAA", "%%%"] {
            let source = Source::Text(Secret::new(text.to_owned()));
            let refused = problem(source.master(None));
            assert!(matches!(refused, SealProblem::NoKeyIn { .. }), "{text}");
            assert!(!refused.to_string().contains("secret"));
        }
        let text = Source::Text(Secret::new("A".repeat(43) + "="));
        assert!(text.master(None).is_ok());
        assert!(!format!("{text:?}").contains("AAAA"));
    }

    #[test]
    fn a_passphrase_is_one_key_with_one_salt() {
        let cheap = |salt: u8| Stretch {
            memory_kib: 64,
            rounds: 1,
            lanes: 1,
            salt: [salt; 16],
        };
        let of = |text: &str, stretch: &Stretch| {
            let source = Source::Passphrase(Secret::new(text.to_owned()));
            source.master(Some(stretch)).map(|master| master.id())
        };
        let first = of("correct horse", &cheap(1)).unwrap();
        assert_eq!(of("correct horse", &cheap(1)).unwrap(), first);
        assert_ne!(of("correct horse", &cheap(2)).unwrap(), first);
        assert_ne!(of("Correct horse", &cheap(1)).unwrap(), first);
        let greedy = Stretch {
            memory_kib: u32::MAX,
            ..cheap(1)
        };
        assert!(of("x", &greedy).is_err());
    }
}
