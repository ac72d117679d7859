//! What a store says when one byte of its log is changed.

use crate::*;

#[test]
fn a_store_with_one_changed_byte_answers_right_and_takes_writes() {
    let disk = store_of(16 << 10);
    let sound = log(&disk);
    let store = open(&disk);
    let whole = Snapshot::of(&store).unwrap();
    let states = states_of(&store, &whole);
    let mut checked = 0;
    for offset in (0..sound.len()).step_by(97) {
        let context = format!("byte {offset}");
        let mut bytes = sound.clone();
        bytes[offset] ^= 0x10;
        let damaged = with_log(&disk, &bytes);
        let store = open(&damaged);
        let found = Snapshot::of(&store).expect(&context);
        found.check_selection(&store).expect(&context);
        check_states(&found, &states, &context);
        for memory in &whole.memories {
            if found.get(memory.id.as_str()).is_none() {
                match store.find(&mnemon::memory::Reference::Id(memory.id.clone())) {
                    Ok(None) => {}
                    Err(error) => {
                        assert_eq!(error.code().as_str(), "E_STORAGE_CORRUPT", "{context}");
                    }
                    Ok(Some(memory)) => panic!("{context}: {memory:?} is not listed"),
                }
            }
        }
        assert!(
            found.memories.len() + 1 >= whole.memories.len(),
            "{context}"
        );
        store
            .commit(batch(
                &space("session/s1"),
                9_000,
                vec![add("after", "the damage")],
            ))
            .expect(&context);
        drop(store);
        let mut again = Snapshot::of(&open(&damaged)).expect(&context);
        let new = again.memories.pop().expect(&context);
        assert_eq!(
            (new.id.as_str(), new.text.as_str()),
            ("after", "the damage"),
            "{context}"
        );
        assert_eq!(again, found, "{context}");
        checked += 1;
    }
    println!("{checked} damaged stores");
}

/// Every state in which a memory ever was: its text, and whether it was forgotten.
type States = std::collections::HashMap<String, Vec<(String, bool)>>;

fn states_of(store: &LocalStore, whole: &Snapshot) -> States {
    let mut states = States::new();
    for memory in &whole.memories {
        let mut text = String::new();
        let mut forgotten = false;
        let known = states.entry(memory.id.to_string()).or_default();
        for change in store.history(&memory.id).unwrap() {
            match change.what {
                mnemon::store::What::Kept(memory) | mnemon::store::What::Revised(memory) => {
                    text = memory.text.to_string();
                }
                mnemon::store::What::Forgotten { .. } => forgotten = true,
                mnemon::store::What::Restored { .. } => forgotten = false,
            }
            known.push((text.clone(), forgotten));
            // A lost line about forgetting leaves the memory as it would be without it.
            known.push((text.clone(), false));
        }
    }
    states
}

/// A lost line takes a memory back to what it was before, never to anything else.
fn check_states(found: &Snapshot, states: &States, context: &str) {
    let mut ids = std::collections::HashSet::new();
    for memory in &found.memories {
        assert!(
            ids.insert(memory.id.clone()),
            "{context}: {} twice",
            memory.id
        );
        let state = (memory.text.to_string(), memory.state.forgotten.is_some());
        let known = states.get(memory.id.as_str()).expect(context);
        assert!(
            known.contains(&state),
            "{context}: {} is {state:?}",
            memory.id
        );
    }
}
