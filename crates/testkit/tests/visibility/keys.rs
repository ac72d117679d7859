//! What an agent tries with keys, which are the user's.

use mnemon::Caller;
use mnemon::seal::Secret;
use mnemon_testkit::sealed;

use super::town::{Town, told};

pub(crate) fn sealing(town: &mut Town, me: &Caller) -> String {
    told(town.engine.sealing(me))
}

pub(crate) fn master(town: &mut Town, me: &Caller) -> String {
    told(town.engine.master(me))
}

pub(crate) fn make_keys_for_file(town: &mut Town, me: &Caller) -> String {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("key");
    told(town.engine.make_keys_for_file(me, &file))
}

pub(crate) fn make_keys_for(town: &mut Town, me: &Caller) -> String {
    told(town.engine.make_keys_for(me, &sealed::source()))
}

pub(crate) fn rotate_keys_to_file(town: &mut Town, me: &Caller) -> String {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("key");
    told(town.engine.rotate_keys_to_file(me, &file))
}

pub(crate) fn rotate_keys_to_passphrase(town: &mut Town, me: &Caller) -> String {
    let passphrase = Secret::new("mine now".into());
    told(town.engine.rotate_keys_to_passphrase(me, passphrase))
}

pub(crate) fn destroy_key(town: &mut Town, me: &Caller) -> String {
    let space = town.space();
    told(town.engine.destroy_key(me, &space))
}

pub(crate) fn seal_what_is_clear(town: &mut Town, me: &Caller) -> String {
    told(town.engine.seal_what_is_clear(me))
}
