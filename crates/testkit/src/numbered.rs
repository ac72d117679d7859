//! Memories whose content follows from their id, so that whoever finds one can check it.
//!
//! A stream is what one thread of one writer writes, number after number. Its
//! name tells how many memories it writes together: `w1b5t0` writes five.

use mnemon::Result;
use mnemon::memory::{Draft, Kind};
use sha2::{Digest, Sha256};

/// Long enough for a write to be torn by a kill, which happens between pages only.
const LONG_TEXT_BYTES: usize = 64 << 10;

/// What one thread of one writer writes, number after number.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Stream {
    /// The writer's name: letters and digits without `b`, `t` and `-`.
    pub writer: String,
    /// How many memories it writes together.
    pub batch: u64,
    /// The thread.
    pub thread: u64,
}

impl Stream {
    /// The id of its memory of that number.
    pub fn id(&self, number: u64) -> String {
        let Self {
            writer,
            batch,
            thread,
        } = self;
        format!("{writer}b{batch}t{thread}-{number:06}")
    }

    /// The stream and the number that an id tells, if it is one of ours.
    pub fn parse(id: &str) -> Option<(Self, u64)> {
        let (name, number) = id.split_once('-')?;
        let (writer, rest) = name.split_once('b')?;
        let (batch, thread) = rest.split_once('t')?;
        let stream = Self {
            writer: writer.to_owned(),
            batch: batch.parse().ok()?,
            thread: thread.parse().ok()?,
        };
        Some((stream, number.parse().ok()?))
    }

    /// The ids that are kept together with the memory of that number, itself included.
    pub fn together_with(&self, number: u64) -> impl Iterator<Item = String> + '_ {
        let first = number - number % self.batch;
        (first..first + self.batch).map(|number| self.id(number))
    }
}

/// The text of the memory with this id; one in a hundred is long.
pub fn text(id: &str) -> String {
    let digest = Sha256::digest(id);
    let word = format!("{digest:02x?} ");
    let length = match digest[0] {
        0..=2 => LONG_TEXT_BYTES,
        other => usize::from(other) * 2,
    };
    let mut text = format!("{id} ");
    while text.len() < length {
        text.push_str(&word);
    }
    text
}

/// The memory with this id, ready to be kept.
pub fn draft(id: &str) -> Result<Draft> {
    let mut draft = Draft::new(Kind::Fact, text(id).parse()?);
    draft.id = Some(id.parse()?);
    Ok(draft)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_tells_its_stream_and_number() {
        let stream = Stream {
            writer: "w12".into(),
            batch: 5,
            thread: 3,
        };
        assert_eq!(stream.id(123), "w12b5t3-000123");
        assert_eq!(Stream::parse("w12b5t3-000123"), Some((stream.clone(), 123)));
        let together: Vec<_> = stream.together_with(7).collect();
        assert_eq!(together.first().unwrap(), "w12b5t3-000005");
        assert_eq!(together.last().unwrap(), "w12b5t3-000009");
    }
}
