//! What must hold for any bytes at all: the checks that fuzzing runs by the million.

use mnemon::store::local::log::Line;
use mnemon::store::local::log::scan::{Found, Start, scan};

use crate::disk::Bytes;

/// Any bytes as a log: nothing panics, what is found stands where it is said
/// to stand and is sound, and nothing is found twice.
pub fn check_log(bytes: &[u8]) {
    let file = Bytes(bytes.to_vec());
    let mut behind = 0;
    let place = |offset: u64, length: u64| {
        let begin = usize::try_from(offset).expect("within the file");
        begin..begin + usize::try_from(length).expect("within the file")
    };
    let end = scan(&file, Start::BEGINNING, |found| -> Result<(), ()> {
        let (offset, length) = match &found {
            Found::Record(placed) => (placed.offset, placed.length),
            Found::Damage(damage) => (damage.offset, damage.length),
        };
        assert!(offset >= behind, "pieces come in order and don't overlap");
        behind = offset + length;
        if let Found::Record(placed) = found {
            let (line, checksum) = Line::decode(&bytes[place(placed.offset, placed.length)])
                .expect("a record stands where it is said to stand");
            assert_eq!((&line, checksum), (&placed.line, placed.checksum));
        }
        Ok(())
    })
    .expect("reading from memory does not fail");
    assert!(end.start.offset >= behind && end.start.offset <= bytes.len() as u64);
    if let Some(tail) = end.tail {
        assert_eq!(
            tail.offset + tail.length,
            bytes.len() as u64,
            "a tail reaches the end"
        );
    }
}

/// Any bytes as a file to import: refused with a code and a next step, or taken
/// as memories that can be written out and taken again.
pub fn check_import(bytes: &[u8]) {
    use mnemon_wire::import::{Format, read_import};

    for format in [
        Format::Auto,
        Format::Jsonl,
        Format::Json,
        Format::Yaml,
        Format::Markdown,
        Format::Binary,
    ] {
        if let Err(error) = read_import(bytes, format, None) {
            assert!(!error.to_string().is_empty() && !error.hint().is_empty());
        }
    }
}

/// Any bytes as a file of any other program: read to the end, every piece at a
/// place, every memory under an id and fit to be checked.
pub fn check_foreign(bytes: &[u8]) {
    use mnemon_wire::foreign::{About, Piece, Program, TreeFile, read, read_tree, recognise};

    let about = About {
        file: "a/file.json",
        user: "user",
        file_time: "2026-01-11T00:00:00Z".parse().expect("a time"),
        space: None,
        extract: true,
    };
    let mut take = |piece: Piece| {
        match piece {
            Piece::Session { .. } => {}
            Piece::Left { place, .. } => assert!(!place.is_empty()),
            Piece::Memory { place, draft, .. } => {
                assert!(!place.is_empty() && draft.id.is_some() && draft.created_at.is_some());
            }
        }
        Ok(())
    };
    let _ = recognise(bytes);
    for program in Program::ALL {
        let mut input = bytes;
        read(program, &mut input, &about, &mut take).expect("only the taker could fail");
    }
    for path in [
        "memory.jsonl",
        "decisions.jsonl",
        "findings.yaml",
        "user-profile.yaml",
    ] {
        let named = |path: &str| TreeFile {
            path: path.to_owned(),
            bytes: bytes.to_vec(),
        };
        // A manifest makes the folder one of files by kind.
        let files = match path {
            "decisions.jsonl" => vec![named("manifest.json"), named(path)],
            _ => vec![named(path)],
        };
        read_tree("folder", &files, &about, &mut take).expect("only the taker could fail");
    }
}

/// Any bytes as a question: read, or refused with a code, a place and a next step.
pub fn check_query(bytes: &[u8]) {
    use jiff::tz::TimeZone;
    use mnemon::{Code, Error, Time};
    use mnemon_wire::{RecallRequest, parse_structured_text};

    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    let now: Time = "2026-01-11T00:00:00Z".parse().expect("a time");
    let refused = |error: Error| {
        assert!(matches!(
            error.code(),
            Code::InvalidQuery | Code::InvalidFormat
        ));
        assert!(error.to_string().contains(':') && !error.hint().is_empty());
    };
    if let Err(error) = parse_structured_text(text, now, &TimeZone::UTC) {
        refused(error);
    }
    let request = RecallRequest::parse_text(text);
    if let Err(error) = request.and_then(|request| request.to_query(now, &TimeZone::UTC)) {
        refused(error);
    }
}
