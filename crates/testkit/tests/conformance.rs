//! Every claim about stores, for the store on files and for the model.

use mnemon_testkit::conformance::Open;

mod local {
    use mnemon::store::local::{LocalOptions, LocalStore};

    fn in_a_folder(claim: fn(super::Open)) {
        let root = tempfile::tempdir().expect("a folder");
        claim(&|| {
            Box::new(LocalStore::create(root.path(), LocalOptions::default()).expect("a store"))
        });
    }

    mnemon_testkit::conformance!(in_a_folder);
}

/// As above, with everything made searchable at once.
mod local_searched {
    use mnemon::store::local::{LocalOptions, LocalStore};

    fn in_a_folder(claim: fn(super::Open)) {
        let root = tempfile::tempdir().expect("a folder");
        let options = LocalOptions {
            pending_max: 1,
            ..LocalOptions::default()
        };
        claim(&|| Box::new(LocalStore::create(root.path(), options.clone()).expect("a store")));
    }

    mnemon_testkit::conformance!(in_a_folder);
}

/// As above, with everything sealed.
mod local_sealed {
    use mnemon::store::local::LocalOptions;
    use mnemon_testkit::sealed;

    fn in_a_folder(claim: fn(super::Open)) {
        let root = tempfile::tempdir().expect("a folder");
        let options = LocalOptions {
            pending_max: 2,
            ..sealed::options(true)
        };
        claim(&|| Box::new(sealed::store(root.path(), options.clone())));
    }

    mnemon_testkit::conformance!(@memories in_a_folder);
}

mod model {
    use mnemon_testkit::model::ModelStore;

    fn in_memory(claim: fn(super::Open)) {
        let store = ModelStore::new();
        claim(&|| Box::new(store.clone()));
    }

    mnemon_testkit::conformance!(in_memory);
}
