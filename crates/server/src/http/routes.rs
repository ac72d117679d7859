//! The table: every route, and what is not offered over HTTP and why not.

mod agents;
mod asking;
mod care;
mod desks;
mod duplicates;
mod forgetting;
mod memories;
mod own;
mod sessions;
mod snapshots;
mod tokens;
mod transfer;

use std::sync::LazyLock;

use mnemon::caller::Operation;

use super::route::Route;

/// Every route. Where two fit, the first counts.
pub(crate) fn routes() -> &'static [Route] {
    static ROUTES: LazyLock<Vec<Route>> = LazyLock::new(|| {
        [
            memories::ROUTES,
            forgetting::ROUTES,
            asking::ROUTES,
            duplicates::ROUTES,
            sessions::ROUTES,
            agents::ROUTES,
            desks::ROUTES,
            snapshots::ROUTES,
            transfer::ROUTES,
            care::ROUTES,
            tokens::ROUTES,
            own::ROUTES,
        ]
        .concat()
    });
    &ROUTES
}

/// Operations without a route, and why.
pub(crate) const NOT_OVER_HTTP: &[(Operation, &str)] = &[
    (Operation::Peek, "a step of others: GET of a memory looks"),
    (Operation::AllOf, "a step of others: filters by session"),
    (Operation::CheckReferences, "a step of keeping a memory"),
    (
        Operation::TakeIn,
        "files of other programs are read by `mnemon import`",
    ),
    (Operation::FillingOf, "told in the notes of each write"),
    (Operation::Require, "told as E_LICENSE where it matters"),
    (Operation::Desk, "read as working memory and as window"),
    (Operation::Flush, "done by the server itself"),
    (Operation::FlushAccessesIfFree, "done by the server itself"),
    (Operation::CompactWhatIsDue, "done by the server itself"),
    (Operation::MaintainOverdue, "done by the server itself"),
    (Operation::Forget, "a step of forgetting what lies anywhere"),
    (Operation::Unforget, "a step of bringing back by name"),
    (Operation::Erase, "a step of erasing by id"),
    (
        Operation::BeginRequest,
        "a step of requests with an Idempotency-Key",
    ),
    (
        Operation::EndRequest,
        "a step of requests with an Idempotency-Key",
    ),
    (Operation::DropOldRequests, "done by the server itself"),
    (Operation::MaintainDue, "done by the server itself"),
    (Operation::Master, "keys are not sent over a connection"),
    (
        Operation::MakeKeysForFile,
        "it names a file of this machine",
    ),
    (
        Operation::MakeKeysFor,
        "keys are not sent over a connection",
    ),
    (
        Operation::RotateKeysToFile,
        "it names a file of this machine",
    ),
    (
        Operation::RotateKeysToPassphrase,
        "keys are not sent over a connection",
    ),
    (
        Operation::DestroyKey,
        "keys are looked after at the machine",
    ),
    (
        Operation::SealWhatIsClear,
        "keys are looked after at the machine",
    ),
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::http::route::{Again, Matched, Method, find};

    #[test]
    fn every_operation_has_a_route_or_a_reason_why_not_and_none_has_both() {
        let routed: BTreeSet<&str> = routes()
            .iter()
            .flat_map(|route| route.does)
            .map(|it| it.name())
            .collect();
        let not: BTreeSet<&str> = NOT_OVER_HTTP.iter().map(|(it, _)| it.name()).collect();
        let both: Vec<_> = routed.intersection(&not).collect();
        assert_eq!(both, Vec::<&&str>::new());
        let all: BTreeSet<&str> = Operation::ALL.iter().map(|it| it.name()).collect();
        let known: BTreeSet<&str> = routed.union(&not).copied().collect();
        assert_eq!(known, all);
    }

    #[test]
    fn every_route_is_found_by_its_own_path() {
        for route in routes() {
            let path: Vec<String> = route
                .path
                .split('/')
                .skip(1)
                .map(|it| it.trim_matches(['{', '}']).to_owned())
                .collect();
            match find(routes(), route.method.as_str(), &path) {
                Matched::Route(found, _) => assert_eq!(found.path, route.path),
                _ => panic!("{}", route.path),
            }
        }
    }

    #[test]
    fn what_only_looks_needs_no_more_than_a_reader_and_takes_no_key() {
        for route in routes().iter().filter(|it| it.method == Method::Get) {
            assert_eq!(route.again, Again::Harmless, "{}", route.path);
        }
    }
}
