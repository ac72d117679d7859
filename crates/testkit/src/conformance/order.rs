//! Sorts, pages, walks and counts.

use mnemon::memory::Kind;
use mnemon::store::{Filter, Sort};

use super::Open;
use super::filters::furnish;
use super::stage::{
    NOW, access, add, done, everything, fact, forget, get, ids, make, selected, space, time, walked,
};

/// Equal ones come newest first, then by id.
pub fn every_sort_has_its_order(open: Open) {
    let store = open();
    furnish(&*store);
    let cases = [
        (Sort::Newest, ["c", "b", "a", "d"]),
        (Sort::Oldest, ["d", "a", "b", "c"]),
        (Sort::Importance, ["a", "c", "b", "d"]),
        (Sort::LastAccess, ["a", "c", "b", "d"]),
        (Sort::AccessCount, ["c", "a", "b", "d"]),
        (Sort::Priority, ["a", "c", "b", "d"]),
    ];
    for (sort, expected) in cases {
        let filter = Filter {
            sort,
            ..everything()
        };
        assert_eq!(selected(&*store, &filter).0, expected, "{sort:?}");
    }
    let equal = ["X", "x", "y"].map(|name| {
        let mut draft = fact("x");
        draft.created_at = Some(time(NOW));
        add(name, draft)
    });
    done(&*store, "agent/y", equal.to_vec());
    for sort in [Sort::Newest, Sort::Oldest, Sort::AccessCount] {
        let filter = Filter {
            sort,
            spaces: vec![space("agent/y")],
            ..everything()
        };
        assert_eq!(selected(&*store, &filter).0, ["X", "x", "y"]);
    }
}

/// Counts have 64 bits and no sign.
pub fn huge_access_counts_come_first(open: Open) {
    let store = open();
    let writes = ["a", "b", "c"].map(|name| add(name, fact("x")));
    done(&*store, "shared", writes.to_vec());
    let looks = vec![
        access("b", u64::MAX, NOW),
        access("b", 1, NOW),
        access("c", 1, NOW),
    ];
    done(&*store, "shared", looks);
    let filter = Filter {
        sort: Sort::AccessCount,
        ..everything()
    };
    assert_eq!(selected(&*store, &filter).0, ["b", "c", "a"]);
    assert_eq!(get(&*store, "b").state.access_count, u64::MAX);
}

/// Whatever the page, the total is that of all that fits.
pub fn pages_follow_each_other_and_totals_ignore_them(open: Open) {
    let store = open();
    furnish(&*store);
    let cases = [
        (2, 0, vec!["c", "b"]),
        (2, 2, vec!["a", "d"]),
        (2, 3, vec!["d"]),
        (0, 0, vec![]),
        (10, 4, vec![]),
        (usize::MAX, 1, vec!["b", "a", "d"]),
        (usize::MAX, usize::MAX, vec![]),
    ];
    for contains in [None, Some(String::new())] {
        for (limit, offset, expected) in &cases {
            let filter = Filter {
                limit: *limit,
                offset: *offset,
                contains: contains.clone(),
                ..everything()
            };
            let expected: Vec<String> = expected.iter().map(ToString::to_string).collect();
            assert_eq!(selected(&*store, &filter), (expected, 4));
        }
    }
}

/// Spaces in the order that was asked for, else of their names.
pub fn walks_go_space_by_space_in_the_order_of_writing(open: Open) {
    let store = open();
    make(&*store, "session/s");
    done(
        &*store,
        "shared",
        vec![add("z", fact("x")), add("y", fact("x"))],
    );
    done(&*store, "session/s", vec![add("x", fact("x"))]);
    done(&*store, "agent/x", vec![add("w", fact("x"))]);
    done(&*store, "shared", vec![add("a", fact("x")), forget("z")]);
    let cases: [(&[&str], &[&str]); 4] = [
        (&[], &["w", "x", "z", "y", "a"]),
        (&["shared"], &["z", "y", "a"]),
        (&["shared", "agent/x"], &["z", "y", "a", "w"]),
        (&["session/none"], &[]),
    ];
    for (spaces, expected) in cases {
        assert_eq!(ids(&walked(&*store, spaces)), expected);
    }
    let stop = store.walk(&[], &mut |memory| {
        Err(mnemon::Error::NotFound {
            reference: memory.id.to_string(),
        })
    });
    assert!(matches!(stop, Err(mnemon::Error::NotFound { reference }) if reference == "w"));
}

/// Forgotten ones apart.
pub fn statistics_count_what_is_there(open: Open) {
    let store = open();
    furnish(&*store);
    done(&*store, "session/s", vec![forget("b")]);
    let stats = store.stats().expect("an answer");
    assert_eq!((stats.memories, stats.forgotten), (3, 1));
    assert_eq!(stats.by_kind.get(&Kind::Finding), None);
    assert_eq!(stats.by_kind[&Kind::Decision], 1);
    let spaces: Vec<_> = stats
        .spaces
        .iter()
        .map(|it| (it.space.to_string(), it.memories))
        .collect();
    let expected = [("agent/x", 1), ("session/s", 1), ("shared", 1)];
    assert_eq!(
        spaces,
        expected.map(|(name, count)| (name.to_owned(), count))
    );
    assert_eq!(stats.damaged_lines, 0);
}
