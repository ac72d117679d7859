//! Tokens let in whom they were made for, as long as they hold, and requests that come again are
//! known by their names.

#![expect(clippy::unwrap_used, reason = "a test that can't go on should stop")]

use std::sync::Arc;
use std::time::Duration;

use mnemon::caller::{Role, Who};
use mnemon::clock::ManualClock;
use mnemon::engine::Begun;
use mnemon::memory::RequestId;
use mnemon::token::{Admission, NewToken};
use mnemon::{Caller, Mnemon, Tier, Time};
use serde_json::json;
use tempfile::TempDir;

const DAY: Duration = Duration::from_secs(86_400);

struct House {
    folder: TempDir,
    engine: Mnemon,
    clock: ManualClock,
    me: Caller,
}

impl House {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let clock = ManualClock::new("2026-01-11T12:00:00Z".parse().unwrap());
        let random: mnemon::engine::Random = Arc::new(|| [7; 10]);
        let engine = Mnemon::open(folder.path()).unwrap();
        Self {
            engine: engine.with_sources(clock.clock(), random),
            folder,
            clock,
            me: Caller::user("me"),
        }
    }

    fn token(&self, expires_at: Option<Time>) -> (mnemon::token::Token, String) {
        let new = NewToken {
            name: Some("for a test".into()),
            who: Who::Agent("ada".parse().unwrap()),
            role: Role::Reader,
            tier: Some(Tier::Teams),
            expires_at,
        };
        self.engine.new_token(&self.me, new).unwrap()
    }
}

#[test]
fn a_token_lets_in_whom_it_was_made_for_until_its_end() {
    let house = House::new();
    let admit = |secret: &str| house.engine.admit(Some(secret)).unwrap();
    assert_eq!(house.engine.admit(None).unwrap(), Admission::NoTokens);
    assert_eq!(admit("mnm_x"), Admission::NoTokens);
    let end: Time = "2026-01-12T12:00:00Z".parse().unwrap();
    let (token, secret) = house.token(Some(end));
    assert_eq!(admit(&secret), Admission::Bearer(token.clone()));
    let caller = token.caller();
    assert_eq!((caller.name(), caller.role), ("ada", Role::Reader));
    assert_eq!(caller.tier, Some(Tier::Teams));
    for wrong in ["", "mnm_x", &secret[1..], &secret.to_uppercase()] {
        assert_eq!(admit(wrong), Admission::Refused, "{wrong}");
    }
    assert_eq!(house.engine.admit(None).unwrap(), Admission::Refused);
    house.clock.advance(DAY);
    assert_eq!(admit(&secret), Admission::Refused);
    assert!(house.engine.tokens(&house.me).unwrap()[0].is_expired(house.engine.now()));
}

#[test]
fn a_revoked_token_opens_nothing_and_the_last_one_leaves_the_door_shut() {
    let house = House::new();
    let (token, secret) = house.token(None);
    let revoked = house.engine.revoke_token(&house.me, &token.id).unwrap();
    assert_eq!(revoked, token);
    let admission = house.engine.admit(Some(&secret)).unwrap();
    assert_eq!(admission, Admission::Refused);
    assert_eq!(house.engine.admit(None).unwrap(), Admission::Refused);
    let again = house.engine.revoke_token(&house.me, &token.id);
    assert_eq!(again.unwrap_err().code().as_str(), "E_NOT_FOUND");
}

#[test]
fn a_list_that_can_not_be_read_lets_nobody_in() {
    let house = House::new();
    std::fs::write(house.folder.path().join("tokens.json"), "[{").unwrap();
    let failed = house.engine.admit(None).unwrap_err();
    assert_eq!(failed.code().as_str(), "E_STORAGE_CORRUPT");
}

#[test]
fn a_back_up_has_no_tokens() {
    let house = House::new();
    house.token(None);
    let elsewhere = TempDir::new().unwrap();
    let copy = elsewhere.path().join("copy");
    house.engine.back_up(&house.me, &copy).unwrap();
    assert!(copy.join("store.json").exists());
    assert!(!copy.join("tokens.json").exists());
}

#[test]
fn a_request_is_done_once_and_known_for_a_day() {
    let house = House::new();
    let (engine, me) = (&house.engine, &house.me);
    let id: RequestId = "r1".parse().unwrap();
    let begin = |digest: &str| engine.begin_request(me, &id, digest).unwrap();
    assert_eq!(begin("a"), Begun::Now);
    assert_eq!(begin("a"), Begun::Before);
    assert_eq!(begin("b"), Begun::Other);
    let answer = json!({ "status": 201 });
    engine.end_request(me, &id, Some(&answer)).unwrap();
    assert_eq!(begin("a"), Begun::Done(answer));
    assert_eq!(begin("b"), Begun::Other);
    engine.end_request(me, &id, None).unwrap();
    assert_eq!(begin("b"), Begun::Now);

    assert_eq!(engine.drop_old_requests(me, engine.now()).unwrap(), 0);
    house.clock.advance(DAY);
    assert_eq!(engine.drop_old_requests(me, engine.now()).unwrap(), 1);
    assert_eq!(begin("a"), Begun::Now);
}
