use super::*;
use crate::store::local::disk::RealDisk;
use crate::store::local::log::line::Line;

/// Lines that compress to something, with ids `m0`, `m1` and so on.
fn log(lines: usize) -> Vec<u8> {
    let line = |number: usize| Line {
        id: Some(format!("m{number}")),
        text: Some(format!(
            "{number} {}",
            "words and words ".repeat(number % 7)
        )),
        ..Line::default()
    };
    (0..lines)
        .flat_map(|number| line(number).encode().0)
        .collect()
}

fn packed(folder: &Path, bytes: &[u8]) -> Packed {
    let mut packing = Packing::create(&RealDisk, folder, Sort::Part).unwrap();
    for piece in bytes.chunks(1000) {
        packing.write(piece).unwrap();
    }
    packing.finish().unwrap()
}

fn content(path: &Path) -> Result<Vec<u8>> {
    let file = open(&RealDisk, path)?;
    let mut bytes = Vec::new();
    let mut buffer = vec![0; 70_000];
    loop {
        let count = file
            .read_at(&mut buffer, bytes.len() as u64)
            .map_err(unreadable(path))?;
        bytes.extend_from_slice(&buffer[..count]);
        if count < buffer.len() {
            return Ok(bytes);
        }
    }
}

#[test]
fn what_is_put_on_a_shelf_comes_back_to_the_byte() {
    let folder = tempfile::tempdir().unwrap();
    let archive = folder.path().join("archive");
    for bytes in [log(1), log(5000), b"{\"torn".to_vec(), vec![0; 3 << 20]] {
        let packed = packed(&archive, &bytes);
        assert_eq!(packed.bytes, bytes.len() as u64);
        assert_eq!(packed.sum, <Checksum>::from(Sha256::digest(&bytes)));
        assert_eq!(content(&archive.join(&packed.name)).unwrap(), bytes);
        assert_eq!(Sort::of(&packed.name), Some(Sort::Part));
    }
    let names = RealDisk.list(&archive).unwrap();
    assert_eq!(names.len(), 4, "nothing else is left: {names:?}");
}

#[test]
fn a_line_is_read_again_wherever_it_stands() {
    let folder = tempfile::tempdir().unwrap();
    // More than is kept of it, and nothing that repeats.
    let bytes: Vec<u8> = (0..14_000_000_u32).flat_map(u32::to_le_bytes).collect();
    let packed = packed(folder.path(), &bytes);
    let file = open(&RealDisk, &folder.path().join(&packed.name)).unwrap();
    let end = bytes.len() - 40;
    for offset in [0, 20_000_000, 100, end, 50_000_000, 7] {
        let mut buffer = [0; 40];
        assert_eq!(file.read_at(&mut buffer, offset as u64).unwrap(), 40);
        assert_eq!(buffer, bytes[offset..offset + 40], "at {offset}");
    }
    let mut buffer = [0; 40];
    assert_eq!(
        file.read_at(&mut buffer, bytes.len() as u64 + 5).unwrap(),
        0
    );
}

#[test]
fn a_shelf_knows_the_ids_of_its_lines() {
    let folder = tempfile::tempdir().unwrap();
    let mut bytes = log(3);
    bytes.extend_from_slice(b"{\"id\":\"by_hand\"}\n");
    bytes.extend(log(1));
    let packed = packed(folder.path(), &bytes);
    let path = folder.path().join(&packed.name);
    let known = content_of(&open(&RealDisk, &path).unwrap(), &path).unwrap();
    assert_eq!(known.ids, ["by_hand", "m0", "m1", "m2"]);
    assert_eq!(known.lines, 4);
}

#[test]
fn no_changed_or_missing_byte_goes_unnoticed() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = log(6);
    let packed = packed(folder.path(), &bytes);
    let path = folder.path().join(&packed.name);
    let sound = std::fs::read(&path).unwrap();
    let check = |changed: &[u8], what: &str| {
        std::fs::write(&path, changed).unwrap();
        match content(&path) {
            Err(Error::Corrupt { .. }) => {}
            // A bit of the frame's header that means nothing may be another.
            Ok(same) => assert_eq!(same, bytes, "{what}"),
            Err(other) => panic!("{what}: {other}"),
        }
    };
    for place in 0..sound.len() {
        let mut changed = sound.clone();
        changed[place] ^= 0x10;
        check(&changed, &format!("byte {place} changed"));
        std::fs::write(&path, &sound[..place]).unwrap();
        let cut = content(&path);
        assert!(matches!(cut, Err(Error::Corrupt { .. })), "cut at {place}");
    }
    check(&[&sound[..], b"more"].concat(), "something behind it");
}

#[test]
fn a_shelf_that_is_not_finished_has_no_name() {
    let folder = tempfile::tempdir().unwrap();
    let mut packing = Packing::create(&RealDisk, folder.path(), Sort::Whole).unwrap();
    packing.write(&log(100)).unwrap();
    let names = RealDisk.list(folder.path()).unwrap();
    assert!(names.iter().all(|name| is_unfinished(name)), "{names:?}");
    assert!(
        names.iter().all(|name| Sort::of(name).is_none()),
        "{names:?}"
    );
    drop(packing);
    assert_eq!(RealDisk.list(folder.path()).unwrap(), Vec::<String>::new());
}

#[test]
fn a_shelf_is_replaced_by_one_with_fewer_lines() {
    let folder = tempfile::tempdir().unwrap();
    let before = packed(folder.path(), &log(10));
    let mut next = Packing::replace(&RealDisk, folder.path(), &before.name).unwrap();
    next.write(&log(2)).unwrap();
    assert_eq!(next.finish().unwrap().name, before.name);
    assert_eq!(content(&folder.path().join(&before.name)).unwrap(), log(2));
}
