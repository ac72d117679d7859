//! Another master key for a store with many sessions, and questions over what is sealed.

use std::path::Path;
use std::sync::Arc;

use mnemon::memory::{Draft, Kind, Space};
use mnemon::recall::{Query, Question};
use mnemon::seal::{Keyring, Source};
use mnemon::store::local::{LocalOptions, LocalStore};
use mnemon::store::{Filter, Store};
use mnemon::{Config, Mnemon};

use crate::Result;
use crate::benches::Bench;
use crate::measure::time;
use crate::place::caller;
use crate::report::{Figure, Goal};

pub(super) const BENCH: Bench = Bench {
    name: "rotate_keys",
    question: "how long do another master key for ten thousand spaces, and questions over sealed memories take?",
    run: |place| {
        let folder = place.path().join("rotate_keys");
        let path = folder.join("master.key");
        let open = || -> Result<(Arc<LocalStore>, Mnemon)> {
            let keyring = Keyring::new(vec![Source::File(path.clone())], false);
            let options = LocalOptions {
                keyring: Arc::new(keyring),
                ..LocalOptions::from(&Config::default())
            };
            let store = Arc::new(LocalStore::create(&folder.join("store"), options)?);
            Ok((store.clone(), Mnemon::new(store, Config::default())))
        };
        let (store, engine) = open()?;
        engine.make_keys_for_file(&caller(), &path)?;
        add_keys(&store, &path, place.scaled(10_000))?;
        let (rotated, ()) = time(|| Ok(engine.rotate_keys_to_file(&caller(), &path)?))?;
        let shared = Space::Shared;
        let drafts = (0..place.scaled(1_000))
            .map(draft)
            .collect::<Result<Vec<Draft>>>()?;
        let refuse = mnemon::store::OnFull::Refuse;
        engine.remember_all(&caller(), &shared, drafts, refuse)?;
        drop((store, engine));
        let (_, engine) = open()?;
        let question = Question::parse("the key of room 77")?;
        let query = Query::new(question, Filter::all(engine.now().micros()));
        let (first, recalled) = time(|| Ok(engine.recall(&caller(), &query)?))?;
        let (second, _) = time(|| Ok(engine.recall(&caller(), &query)?))?;
        if recalled.hits.is_empty() {
            return Err("nothing sealed was found".into());
        }
        Ok(vec![
            Figure::new("rotate_keys", rotated.as_secs_f64(), "s").goal(Goal::Below(60.0)),
            Figure::new("recall_sealed_first", first.as_secs_f64() * 1e3, "ms"),
            Figure::new("recall_sealed_again", second.as_secs_f64() * 1e3, "ms"),
        ])
    },
};

/// As if so many agents had kept something sensitive.
fn add_keys(store: &LocalStore, path: &Path, count: usize) -> Result<()> {
    let master = Source::File(path.into()).master(None)?;
    store.change_ring(&mut |ring| {
        let mut ring = ring.expect("made before").clone();
        for number in 0..count {
            ring.add(&master, &format!("agent/a{number}").parse()?, 0);
        }
        Ok(ring)
    })?;
    Ok(())
}

fn draft(number: usize) -> Result<Draft> {
    let text = format!("The key of room {number} hangs on hook {}", number * 3);
    let mut draft = Draft::new(Kind::Fact, text.parse()?);
    draft.sensitive = true;
    Ok(draft)
}
