use super::*;

const KEYS: [u64; 3] = [1, u64::MAX, 1 << 63];

fn name(embedder: &str) -> SetName {
    SetName {
        embedder: embedder.into(),
        dimension: 5,
    }
}

fn key(number: u64) -> TextKey {
    TextKey::from_number(number).unwrap()
}

fn vector(seed: i8) -> Option<Vector> {
    Vector::from_components(&[seed, 2, -3, 4, 5])
}

/// What a set has for each of the keys: nothing known, no vector, or this one.
#[expect(clippy::option_option, reason = "that a text has none is known too")]
fn found(sets: &Sets) -> Vec<Option<Option<Vector>>> {
    let set = sets.current(&name("a")).unwrap();
    let rows = set.as_ref().map(|set| set.rows());
    let of = |key: TextKey| {
        let rows = rows.as_ref()?;
        Some(rows.vector(rows.row_of(key)?))
    };
    KEYS.map(|number| of(key(number))).to_vec()
}

#[test]
fn what_one_process_adds_another_finds_without_loading_all_again() {
    let folder = tempfile::tempdir().unwrap();
    let [one, other] = [(), ()].map(|()| Sets::new(folder.path().into()));
    assert_eq!(found(&one), [None, None, None]);
    other
        .put(&name("a"), &[(key(KEYS[0]), vector(1))], false)
        .unwrap();
    assert_eq!(found(&one), [Some(vector(1)), None, None]);
    let more = [(key(KEYS[1]), None), (key(KEYS[0]), vector(9))];
    other.put(&name("a"), &more, true).unwrap();
    assert_eq!(found(&one), [Some(vector(1)), Some(None), None]);
    let set = one.find(&name("a")).unwrap().unwrap();
    assert_eq!((set.rows().len(), set.rows().complete), (2, true));
    assert_eq!(set.keys().unwrap(), KEYS[..2].iter().copied().collect());
}

#[test]
fn sets_of_different_embedders_are_apart() {
    let folder = tempfile::tempdir().unwrap();
    let sets = Sets::new(folder.path().into());
    for embedder in ["a:b@5", "a-b-5", "a/../b@5", "../..", ""] {
        let name = name(embedder);
        assert!(sets.current(&name).unwrap().is_none(), "{embedder}");
        sets.put(&name, &[], false).unwrap();
        assert!(sets.current(&name).unwrap().is_some(), "{embedder}");
    }
    let inside = std::fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(inside, 5, "each has a folder of its own, in the same place");
}

#[test]
fn a_damaged_row_waits_again_and_the_others_stay() {
    let folder = tempfile::tempdir().unwrap();
    let sets = Sets::new(folder.path().into());
    let both = [(key(KEYS[0]), vector(1)), (key(KEYS[1]), vector(2))];
    sets.put(&name("a"), &both, true).unwrap();
    let connection = rusqlite::Connection::open(sets.path(&name("a"))).unwrap();
    let row: Vec<u8> = connection
        .query_row("SELECT row FROM vectors WHERE n = 1", [], |row| row.get(0))
        .unwrap();
    for byte in 0..row.len() {
        let mut bad = row.clone();
        bad[byte] ^= 0x10;
        connection
            .execute(
                "INSERT OR REPLACE INTO vectors (n, key, row) VALUES (1, ?1, ?2)",
                rusqlite::params![KEYS[0].cast_signed(), bad],
            )
            .unwrap();
        let reader = Sets::new(folder.path().into());
        assert_eq!(found(&reader), [None, Some(vector(2)), None], "byte {byte}");
        let left = reader.keys(&name("a")).unwrap();
        assert_eq!(left, [KEYS[1]].into());
    }
    drop(connection);
    sets.put(&name("a"), &[(key(KEYS[0]), vector(3))], false)
        .unwrap();
    assert_eq!(found(&sets), [Some(vector(3)), Some(vector(2)), None]);
}

#[test]
fn a_damaged_file_is_thrown_away_and_made_anew() {
    for damage in [&b"no database"[..], b"", &[0; 8192]] {
        let folder = tempfile::tempdir().unwrap();
        let sets = Sets::new(folder.path().into());
        let one = [(key(KEYS[0]), vector(1))];
        sets.put(&name("a"), &one, true).unwrap();
        let path = sets.path(&name("a"));
        std::fs::write(&path, damage).unwrap();
        let reader = Sets::new(folder.path().into());
        assert_eq!(found(&reader), [None, None, None]);
        reader.put(&name("a"), &one, false).unwrap();
        assert_eq!(found(&reader), [Some(vector(1)), None, None]);
        let set = reader.find(&name("a")).unwrap().unwrap();
        assert!(!set.rows().complete);
    }
}

#[test]
fn a_set_that_was_deleted_is_not_answered_from() {
    let folder = tempfile::tempdir().unwrap();
    let sets = Sets::new(folder.path().into());
    sets.put(&name("a"), &[(key(KEYS[0]), vector(1))], true)
        .unwrap();
    assert_eq!(found(&sets)[0], Some(vector(1)));
    std::fs::remove_dir_all(folder.path().join(folder_name(&name("a")))).unwrap();
    assert_eq!(found(&sets), [None, None, None]);
    sets.put(&name("a"), &[(key(KEYS[2]), vector(2))], false)
        .unwrap();
    assert_eq!(found(&sets), [None, None, Some(vector(2))]);
}

#[test]
fn what_is_taken_out_leaves_no_byte_behind() {
    let folder = tempfile::tempdir().unwrap();
    let sets = Sets::new(folder.path().into());
    let wide = SetName {
        dimension: 64,
        ..name("a")
    };
    let [kept, gone] = [7_i8, -9].map(|byte| Vector::from_components(&[byte; 64]));
    let both = [(key(KEYS[0]), kept), (key(KEYS[1]), gone)];
    sets.put(&wide, &both, true).unwrap();
    // A reader has it open, and a set that can't be read lies beside it.
    sets.current(&wide).unwrap().unwrap();
    let other = folder.path().join("1-other");
    std::fs::create_dir(&other).unwrap();
    std::fs::write(other.join(FILE), [0xf7; 64]).unwrap();
    assert!(sets.keep_only(&[KEYS[0]].into()).unwrap());
    let mut found = [false; 2];
    let mut folders = vec![folder.path().to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            if entry.path().is_dir() {
                folders.push(entry.path());
                continue;
            }
            let bytes = std::fs::read(entry.path()).unwrap();
            for (found, byte) in found.iter_mut().zip([7, 0xf7]) {
                *found |= bytes.windows(64).any(|run| run == [byte; 64]);
            }
        }
    }
    assert_eq!(found, [true, false]);
    assert_eq!(sets.keys(&wide).unwrap(), [KEYS[0]].into());
    assert!(
        !Sets::new(folder.path().join("none"))
            .keep_only(&HashSet::new())
            .unwrap()
    );
}
