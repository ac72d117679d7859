//! Bytes that leave the store sealed: exports, snapshots.
//!
//! An envelope says how its key is derived and is otherwise opaque:
//! `mnseal`, the version, how (1: a master key, 2: a passphrase), what that
//! needs, 16 random bytes, and the sealed content. All that comes before the
//! content is bound to it. Compress first; what is sealed can't be compressed.

use zeroize::Zeroizing;

use super::aead;
use super::master::{Master, Secret, Source, hex};
use super::passphrase::Stretch;
use super::problem::SealProblem;
use crate::error::{Error, Result};

/// What every envelope begins with.
pub const MAGIC: &[u8; 6] = b"mnseal";
const VERSION: u8 = 1;
const BY_MASTER: u8 = 1;
const BY_PASSPHRASE: u8 = 2;
const SALT_BYTES: usize = 16;
const ID_BYTES: usize = 16;

/// Whose key seals an envelope.
#[derive(Clone, Debug)]
pub enum Lock<'a> {
    /// That of a store.
    Master(&'a Master),
    /// One of its own.
    Passphrase(&'a Secret),
}

/// Puts bytes into an envelope.
pub fn seal_bytes(content: &[u8], lock: &Lock<'_>) -> Result<Vec<u8>> {
    let mut header = [MAGIC, &[VERSION][..]].concat();
    let master = match lock {
        Lock::Master(master) => {
            header.push(BY_MASTER);
            header.extend(id_bytes(&master.id()));
            (*master).clone()
        }
        Lock::Passphrase(passphrase) => {
            let stretch = Stretch::random();
            header.push(BY_PASSPHRASE);
            for number in [stretch.memory_kib, stretch.rounds, stretch.lanes] {
                header.extend(number.to_le_bytes());
            }
            header.extend(stretch.salt);
            Source::Passphrase((*passphrase).clone()).master(Some(&stretch))?
        }
    };
    let salt: [u8; SALT_BYTES] = aead::random_bytes();
    header.extend(salt);
    let sealed = aead::seal(&master.for_envelope(&salt), &header, content);
    header.extend(sealed);
    Ok(header)
}

/// Whether these bytes are an envelope.
pub fn is_envelope(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// How an envelope is to be opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Needs {
    /// The master key of this id.
    Master(String),
    /// A passphrase.
    Passphrase,
}

/// What an envelope needs to be opened.
pub fn needs(bytes: &[u8]) -> Result<Needs> {
    Ok(match Header::read(bytes)?.how {
        How::Master(id) => Needs::Master(id),
        How::Passphrase(_) => Needs::Passphrase,
    })
}

/// Takes bytes out of an envelope.
pub fn open_bytes(bytes: &[u8], source: &Source) -> Result<Zeroizing<Vec<u8>>> {
    let header = Header::read(bytes)?;
    let master = match (&header.how, source) {
        (How::Master(_), source) => source.master(None)?,
        (How::Passphrase(stretch), source) => source.master(Some(stretch))?,
    };
    open_with(&header, bytes, &master, &source.name())
}

/// As [`open_bytes`], with a master key that is at hand.
pub fn open_bytes_with(bytes: &[u8], master: &Master) -> Result<Zeroizing<Vec<u8>>> {
    open_with(
        &Header::read(bytes)?,
        bytes,
        master,
        "the key of this store",
    )
}

fn open_with(
    header: &Header,
    bytes: &[u8],
    master: &Master,
    source: &str,
) -> Result<Zeroizing<Vec<u8>>> {
    let wrong = |by_passphrase| {
        Error::Crypto(SealProblem::WrongKey {
            source: source.to_owned(),
            by_passphrase,
        })
    };
    match &header.how {
        How::Master(id) if *id != master.id() => return Err(wrong(false)),
        _ => {}
    }
    let (head, sealed) = bytes.split_at(header.length);
    let salt = &head[header.length - SALT_BYTES..];
    aead::open(&master.for_envelope(salt), head, sealed).ok_or_else(|| match header.how {
        // A wrong passphrase and an altered envelope look the same.
        How::Passphrase(_) => wrong(true),
        How::Master(_) => Error::Crypto(SealProblem::Altered {
            what: "the sealed file".into(),
        }),
    })
}

/// What comes before the content.
struct Header {
    how: How,
    length: usize,
}

enum How {
    Master(String),
    Passphrase(Stretch),
}

impl Header {
    fn read(bytes: &[u8]) -> Result<Self> {
        let no_envelope = |problem| Error::unparsable("a sealed file", "", problem);
        let Some(rest) = bytes.strip_prefix(MAGIC) else {
            return Err(no_envelope("it begins otherwise"));
        };
        let mut reader = Reader(rest);
        let read = |reader: &mut Reader<'_>| -> Option<How> {
            match reader.take::<1>()? {
                [BY_MASTER] => {
                    let id = reader.take::<ID_BYTES>()?;
                    Some(How::Master(hex(&id)))
                }
                [BY_PASSPHRASE] => Some(How::Passphrase(Stretch {
                    memory_kib: u32::from_le_bytes(reader.take()?),
                    rounds: u32::from_le_bytes(reader.take()?),
                    lanes: u32::from_le_bytes(reader.take()?),
                    salt: reader.take()?,
                })),
                _ => None,
            }
        };
        match reader.take::<1>() {
            Some([VERSION]) => {}
            _ => return Err(no_envelope("a newer mnemon made it")),
        }
        let how = read(&mut reader);
        let salt = reader.take::<SALT_BYTES>();
        match (how, salt) {
            (Some(how), Some(_)) => Ok(Self {
                how,
                length: bytes.len() - reader.0.len(),
            }),
            _ => Err(no_envelope("it is cut off, or a newer mnemon made it")),
        }
    }
}

struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*taken)
    }
}

/// The bytes of an id that [`Master::id`] gave.
fn id_bytes(id: &str) -> Vec<u8> {
    let pairs = (0..id.len()).step_by(2).map(|at| &id[at..at + 2]);
    pairs
        .map(|pair| u8::from_str_radix(pair, 16).expect("hexadecimal digits"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passphrase(text: &str) -> Secret {
        Secret::new(text.to_owned())
    }

    #[test]
    fn an_envelope_opens_with_its_master_key_alone() {
        let (master, other) = (Master::random(), Master::random());
        let sealed = seal_bytes(b"content", &Lock::Master(&master)).unwrap();
        assert!(is_envelope(&sealed));
        assert_eq!(needs(&sealed).unwrap(), Needs::Master(master.id()));
        assert_eq!(*open_bytes_with(&sealed, &master).unwrap(), b"content");
        let refused = open_bytes_with(&sealed, &other).unwrap_err();
        assert_eq!(refused.code().as_str(), "E_CRYPTO");
        // The same content twice does not look the same.
        let again = seal_bytes(b"content", &Lock::Master(&master)).unwrap();
        assert_ne!(again[40..], sealed[40..]);
    }

    #[test]
    fn an_envelope_opens_with_its_passphrase_alone() {
        let own = passphrase("correct horse");
        let sealed = seal_bytes(b"content", &Lock::Passphrase(&own)).unwrap();
        assert_eq!(needs(&sealed).unwrap(), Needs::Passphrase);
        let open = |text: &str| open_bytes(&sealed, &Source::Passphrase(passphrase(text)));
        assert_eq!(*open("correct horse").unwrap(), b"content");
        let refused = open("wrong horse").unwrap_err();
        assert_eq!(refused.code().as_str(), "E_CRYPTO");
        assert!(!refused.to_string().contains("wrong horse"));
    }

    #[test]
    fn no_altered_envelope_opens() {
        let master = Master::random();
        let sealed = seal_bytes(b"content", &Lock::Master(&master)).unwrap();
        for bit in 0..sealed.len() * 8 {
            let mut altered = sealed.clone();
            altered[bit / 8] ^= 1 << (bit % 8);
            assert!(open_bytes_with(&altered, &master).is_err(), "bit {bit}");
        }
        for length in 0..sealed.len() {
            assert!(open_bytes_with(&sealed[..length], &master).is_err());
        }
    }

    #[test]
    fn sealing_adds_less_than_a_hundred_bytes() {
        let content = vec![7; 10_000];
        let master = Master::random();
        let sealed = seal_bytes(&content, &Lock::Master(&master)).unwrap();
        assert!(sealed.len() < content.len() + 100, "{}", sealed.len());
    }
}
