//! What an agent tries with keys, which are the user's.

use mnemon::Caller;
use mnemon::caller::Role;
use mnemon::memory::RequestId;
use mnemon::seal::Secret;
use mnemon::token::NewToken;
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

pub(crate) fn new_token(town: &mut Town, me: &Caller) -> String {
    let new = NewToken {
        name: None,
        who: town.user.who.clone(),
        role: Role::Admin,
        tier: None,
        expires_at: None,
    };
    let made = town.engine.new_token(me, new);
    assert!(made.is_err(), "{me} made a token");
    told(made)
}

pub(crate) fn tokens(town: &mut Town, me: &Caller) -> String {
    told(town.engine.tokens(me))
}

pub(crate) fn revoke_token(town: &mut Town, me: &Caller) -> String {
    told(town.engine.revoke_token(me, &"tok_1".parse().unwrap()))
}

pub(crate) fn begin_request(town: &mut Town, me: &Caller) -> String {
    told(town.engine.begin_request(me, &request(me), "same"))
}

pub(crate) fn end_request(town: &mut Town, me: &Caller) -> String {
    told(town.engine.end_request(me, &request(me), None))
}

pub(crate) fn drop_old_requests(town: &mut Town, me: &Caller) -> String {
    told(town.engine.drop_old_requests(me, town.engine.now()))
}

/// The name of a request holds who sent it, as the server makes it.
fn request(me: &Caller) -> RequestId {
    format!("request-of-{me}").parse().unwrap()
}
