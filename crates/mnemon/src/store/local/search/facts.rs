//! What ranking and the usual filters want to know of a memory, in a row of fixed length.

use crate::decay::Class;
use crate::embed::{Pieces, TextKey};
use crate::memory::{Kind, Memory};
use crate::recall::{Document, tie_of};
use crate::store::local::index::{kind_from, kind_number};

/// Rows that are stored and loaded together.
pub(super) const CHUNK_ROWS: u32 = 256;

/// Bytes of a row.
pub(super) const ROW_BYTES: usize = 64 + Pieces::BYTES;

/// The facts of one memory.
///
/// What filters and neighbours are asked for comes first and lies in one line of
/// the processor's cache: a question looks at thousands of them, in no order.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(64))]
pub(super) struct Facts {
    pub(super) created_micros: i64,
    pub(super) importance: f64,
    /// Decides between equals.
    pub(super) tie: u64,
    /// The beginning of the checksum of its line: which version this is.
    pub(super) version: u64,
    /// The number of its log.
    pub(super) place: u32,
    /// The number of its author's name; 0 if it has none.
    pub(super) author: u32,
    /// The memories before and after it in its session; 0 if there is none.
    pub(super) previous: u32,
    pub(super) next: u32,
    /// In words that say something.
    pub(super) length: u32,
    pub(super) kind: Kind,
    /// What its body says that decides how it fades.
    pub(super) class: Class,
    pub(super) flags: Flags,
    pub(super) pieces: Pieces,
    /// What its vectors of other embedders are found by.
    pub(super) text_key: Option<TextKey>,
}

/// What is so or not.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a bit of its own")]
pub(super) struct Flags {
    /// There is such a memory.
    pub(super) present: bool,
    pub(super) forgotten: bool,
    pub(super) pinned: bool,
    pub(super) is_question: bool,
    pub(super) has_time: bool,
    pub(super) is_open: bool,
    pub(super) is_superseded: bool,
    /// Some may not see it who see its space.
    pub(super) is_private: bool,
}

impl Facts {
    /// A row without a memory.
    pub(super) const NONE: Self = Self {
        created_micros: 0,
        version: 0,
        tie: 0,
        importance: 0.0,
        place: 0,
        author: 0,
        previous: 0,
        next: 0,
        length: 0,
        kind: Kind::Fact,
        class: Class::Ordinary,
        flags: Flags {
            present: false,
            forgotten: false,
            pinned: false,
            is_question: false,
            has_time: false,
            is_open: false,
            is_superseded: false,
            is_private: false,
        },
        pieces: Pieces::NONE,
        text_key: None,
    };

    /// The facts of a memory that has no neighbours yet.
    pub(super) fn of(
        memory: &Memory,
        document: &Document,
        place: u32,
        author: u32,
        version: u64,
        is_superseded: bool,
    ) -> Self {
        Self {
            created_micros: memory.created_at.micros(),
            version,
            tie: tie_of(&memory.id),
            importance: memory.importance.get(),
            place,
            author,
            previous: 0,
            next: 0,
            length: document.length,
            kind: memory.kind(),
            class: Class::of(&memory.body),
            flags: Flags {
                present: true,
                forgotten: memory.state.forgotten.is_some(),
                pinned: memory.pinned,
                is_question: document.is_question,
                has_time: document.has_time,
                is_open: memory.body.is_open() == Some(true),
                is_superseded,
                is_private: memory.private_to().is_some(),
            },
            pieces: document.pieces,
            text_key: TextKey::of(memory),
        }
    }

    /// The key of a memory that other embedders may be asked about, and questions are.
    pub(super) fn wanted_key(&self) -> Option<TextKey> {
        self.text_key.filter(|_| self.is_live())
    }

    /// Whether it counts when words are counted.
    pub(super) fn is_live(&self) -> bool {
        self.flags.present && !self.flags.forgotten
    }

    pub(super) fn write(&self, row: &mut [u8]) {
        row[0..8].copy_from_slice(&self.created_micros.to_le_bytes());
        row[8..16].copy_from_slice(&self.version.to_le_bytes());
        row[16..24].copy_from_slice(&self.importance.to_le_bytes());
        row[24..28].copy_from_slice(&self.place.to_le_bytes());
        row[28..32].copy_from_slice(&self.author.to_le_bytes());
        row[32..36].copy_from_slice(&self.previous.to_le_bytes());
        row[36..40].copy_from_slice(&self.next.to_le_bytes());
        row[40..44].copy_from_slice(&self.length.to_le_bytes());
        row[44] = u8::try_from(kind_number(self.kind)).unwrap_or(0);
        let flags = [
            self.flags.present,
            self.flags.forgotten,
            self.flags.pinned,
            self.flags.is_question,
            self.flags.has_time,
            self.flags.is_open,
            self.flags.is_superseded,
            self.flags.is_private,
        ];
        row[45] = flags
            .iter()
            .enumerate()
            .fold(0, |bits, (place, flag)| bits | (u8::from(*flag) << place));
        row[46] = self.class.number();
        row[48..56].copy_from_slice(&self.tie.to_le_bytes());
        let key = self.text_key.map_or(0, TextKey::number);
        row[56..64].copy_from_slice(&key.to_le_bytes());
        row[64..].copy_from_slice(&self.pieces.to_bytes());
    }

    /// The facts in a row, which has [`ROW_BYTES`].
    pub(super) fn read(row: &[u8]) -> Self {
        let eight =
            |from: usize| -> [u8; 8] { row[from..from + 8].try_into().expect("eight bytes") };
        let four =
            |from: usize| u32::from_le_bytes(row[from..from + 4].try_into().expect("four bytes"));
        let flag = |place: u8| row[45] & (1 << place) != 0;
        Self {
            created_micros: i64::from_le_bytes(eight(0)),
            version: u64::from_le_bytes(eight(8)),
            tie: u64::from_le_bytes(eight(48)),
            importance: f64::from_le_bytes(eight(16)),
            place: four(24),
            author: four(28),
            previous: four(32),
            next: four(36),
            length: four(40),
            kind: kind_from(i64::from(row[44])),
            class: Class::from_number(row[46]),
            flags: Flags {
                present: flag(0),
                forgotten: flag(1),
                pinned: flag(2),
                is_question: flag(3),
                has_time: flag(4),
                is_open: flag(5),
                is_superseded: flag(6),
                is_private: flag(7),
            },
            pieces: Pieces::from_bytes(&row[64..]),
            text_key: TextKey::from_number(u64::from_le_bytes(eight(56))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_gives_back_what_was_written() {
        let facts = Facts {
            created_micros: -5,
            version: u64::MAX - 1,
            tie: 7,
            importance: 0.7,
            place: 3,
            author: 9,
            previous: 1,
            next: u32::MAX,
            length: 77,
            kind: Kind::Finding,
            class: Class::CriticalFinding,
            flags: Flags {
                present: true,
                pinned: true,
                has_time: true,
                is_superseded: true,
                is_private: true,
                ..Flags::default()
            },
            pieces: Pieces::of(["database", "locks"].into_iter()),
            text_key: TextKey::from_number(u64::MAX / 3),
        };
        let mut row = [0; ROW_BYTES];
        facts.write(&mut row);
        assert_eq!(Facts::read(&row), facts);
        assert_eq!(Facts::read(&[0; ROW_BYTES]).flags, Facts::NONE.flags);
    }
}
