//! Damage of a special shape, and lines that a person wrote.

use crate::*;

/// The first lines of a small log, each without its newline, and what they are about.
fn small_log() -> Vec<(Vec<u8>, String)> {
    let bytes = log(&store_of(600));
    let lines = bytes
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty());
    lines
        .map(|line| {
            let id = Line::decode(line).unwrap().0.id;
            (line.to_vec(), id.unwrap_or_default())
        })
        .collect()
}

/// The lines in order, with something else than a newline behind one of them.
fn joined_by(separator: &[u8]) -> (Vec<u8>, usize) {
    let mut bytes = Vec::new();
    let lines = small_log();
    for (number, (line, _)) in lines.iter().enumerate() {
        bytes.extend_from_slice(line);
        bytes.extend_from_slice(if number == 1 { separator } else { b"\n" });
    }
    (bytes, lines.len())
}

#[test]
fn whatever_stands_between_two_lines_both_are_read() {
    let cases: [(&str, &[u8], usize); 9] = [
        ("nothing", b"", 0),
        ("a return", b"\r\n", 0),
        ("an empty line", b"\n\n", 0),
        ("a hole", &[0; 700], 1),
        ("a hole and a newline", b"\0\0\0\0\n", 1),
        ("garbage", b"\n{\"id\":\"half a li\xff\xfe\n", 1),
        ("garbage without newlines", b"{\"id\":\"half a li", 1),
        ("a checksum of nothing", b"\n,\"checksum\":\"sha256:\n", 1),
        ("white space", b" \n", 0),
    ];
    for (name, separator, damage) in cases {
        let (bytes, count) = joined_by(separator);
        let found = scan(bytes);
        assert_eq!(found.records.len(), count, "{name}");
        assert_eq!(found.damage.len(), damage, "{name}: {:?}", found.damage);
        assert_eq!(found.end.tail, None, "{name}");
    }
}

#[test]
fn a_last_line_without_its_newline_counts_and_the_next_is_not_glued_to_it() {
    let disk = store_of(600);
    let whole = Snapshot::of(&open(&disk)).unwrap();
    let mut bytes = log(&disk);
    bytes.pop();
    let disk = with_log(&disk, &bytes);
    let store = open(&disk);
    assert_eq!(Snapshot::of(&store).unwrap(), whole);
    store
        .commit(batch(&space("session/s1"), 100, vec![add("next", "line")]))
        .unwrap();
    let found = scan(log(&disk));
    assert!(found.damage.is_empty(), "{:?}", found.damage);
    assert_eq!(found.ids().last(), Some(&"next"));
    let last = found.records.last().unwrap();
    assert_eq!(last.number, small_log().len() as u64 + 1);
}

/// The log with one line replaced.
fn with_line(lines: &[(Vec<u8>, String)], place: usize, line: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (number, (original, _)) in lines.iter().enumerate() {
        bytes.extend_from_slice(if number == place { line } else { original });
        bytes.push(b'\n');
    }
    bytes
}

fn is_commit(line: &[u8]) -> bool {
    Line::decode(line).is_ok_and(|(line, _)| line.op.as_deref() == Some("commit"))
}

#[test]
fn a_transaction_whose_commit_is_damaged_counts_in_the_middle_and_not_at_the_end() {
    let lines = small_log();
    let commit = lines.iter().position(|(line, _)| is_commit(line)).unwrap();
    let members = ["first1", "second1", "single1"];
    let torn = &lines[commit].0[..40];
    let middle = scan(with_line(&lines, commit, torn));
    assert_eq!(middle.records.len(), lines.len() - 1);
    assert_eq!(middle.damage[0].number, commit as u64 + 1);
    for id in members {
        assert!(middle.ids().contains(&id), "{id}");
    }
    let end = scan(with_line(&lines[..=commit], commit, torn));
    assert_eq!(end.records.len(), commit - members.len());
    assert_eq!(end.end.tail.unwrap().uncommitted, 3);
}

#[test]
fn a_damaged_member_of_the_last_transaction_undoes_that_transaction_alone() {
    let lines = small_log();
    let commit = lines.iter().position(|(line, _)| is_commit(line)).unwrap();
    for place in commit - 3..=commit {
        let mut damaged = lines[place].0.clone();
        damaged[20] ^= 0x80;
        let found = scan(with_line(&lines[..=commit], place, &damaged));
        assert_eq!(found.records.len(), commit - 3, "line {place}");
        assert!(found.end.tail.is_some(), "line {place}");
    }
}

#[test]
fn a_line_edited_by_hand_is_told_with_its_number_and_harms_no_other() {
    let disk = store_of(600);
    let whole = Snapshot::of(&open(&disk)).unwrap();
    let lines = small_log();
    for id in ["single1", "last1", "last2"] {
        let place = lines.iter().position(|(_, about)| about == id).unwrap();
        let text = String::from_utf8(lines[place].0.clone()).unwrap();
        let edited = text
            .replacen("line", "LINE", 1)
            .replacen("and another", "AND another", 1);
        assert_ne!(edited, text);
        let bytes = with_line(&lines, place, edited.as_bytes());
        let found = scan(bytes.clone());
        assert_eq!(found.end.tail, None, "{id}");
        assert_eq!(found.damage.len(), 1, "{id}");
        assert_eq!(found.damage[0].number, place as u64 + 1, "{id}");
        assert_eq!(found.damage[0].id.as_deref(), Some(id));
        assert!(found.damage[0].is_by_hand(), "{id}");
        check_edited_store(&with_log(&disk, &bytes), id, place + 1, &whole);
    }
}

fn check_edited_store(disk: &CrashDisk, id: &str, line: usize, whole: &Snapshot) {
    let store = open(disk);
    let found = Snapshot::of(&store).unwrap();
    let others = |snapshot: &Snapshot| -> Vec<_> {
        let mut memories = snapshot.memories.clone();
        memories.retain(|memory| memory.id.as_str() != id && memory.id.as_str() != "next");
        memories
    };
    assert_eq!(others(&found), others(whole), "{id}");
    assert_eq!(store.stats().unwrap().damaged_lines, 1, "{id}");
    // A later, complete version of it stands on a line of its own.
    let reference = mnemon::memory::Reference::Id(id.parse().unwrap());
    if id == "single1" {
        assert_eq!(found.get(id), whole.get(id));
    } else {
        let error = store.find(&reference).unwrap_err();
        assert_eq!(error.code().as_str(), "E_STORAGE_CORRUPT", "{id}");
        assert!(
            error.to_string().contains(&format!("line {line} ")),
            "{error}"
        );
    }
    store
        .commit(batch(&space("session/s1"), 100, vec![add("next", "line")]))
        .unwrap();
    drop(store);
    let again = Snapshot::of(&open(disk)).unwrap();
    assert_eq!(others(&again), others(whole), "{id}");
    assert_eq!(again.get("next").unwrap().text.as_str(), "line", "{id}");
    assert_eq!(
        scan(log(disk)).damage.len(),
        1,
        "{id}: the edit is still there"
    );
}
