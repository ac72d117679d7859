//! A memory whose embedder is a service: what is kept, embedded and found.
#![expect(clippy::unwrap_used, reason = "a test that can't go on has failed")]

mod stage;

use mnemon::embed::{Embedder, SetName};
use mnemon::recall::{Mode, Note, SimilarOptions};
use mnemon::store::{Filter, Store};
use mnemon::{Code, EmbeddingFailure, Error};
use mnemon_testkit::service::{Fault, Service, folded};
use stage::{Stage, ask, by_first_word, draft, embed_all, found, keep, me, put};

#[test]
fn memories_are_kept_while_the_service_is_away_and_embedded_when_it_is_back() {
    let address = Service::nobody();
    let stage = Stage::at(&format!("http://{address}"), "small");
    let engine = stage.engine();
    keep(&engine, "a", "the parrot sings");
    let error = engine
        .embed_pending(&me(), 64, None, &mut |_| ())
        .unwrap_err();
    assert_eq!((error.code(), error.retryable()), (Code::Embedding, true));
    let recalled = ask(&engine, "parrot", Mode::Hybrid);
    assert_eq!(found(&recalled), ["a"]);
    assert_eq!(
        recalled.notes,
        [Note::NotEmbedded {
            embedder: "openai:small@8".into(),
            waiting: 1
        }]
    );
    let service = Service::start_at(address, folded(8));
    let mut told = Vec::new();
    let done = engine.embed_pending(&me(), 64, None, &mut |at| told.push((at.done, at.total)));
    assert_eq!((done.unwrap().embedded, told), (1, vec![(1, 1)]));
    let recalled = ask(&engine, "parrot", Mode::Hybrid);
    assert_eq!(
        (found(&recalled), recalled.notes),
        (vec!["a".to_owned()], vec![])
    );
    assert_eq!(service.texts(), ["the parrot sings", "parrot"]);
}

/// The first word decides, which no other model would think of.
#[test]
fn questions_are_answered_by_the_vectors_of_the_service() {
    let service = Service::start(by_first_word);
    let stage = Stage::at(&service.url(), "small");
    let engine = stage.engine();
    keep(&engine, "a", "red wine and cheese");
    keep(&engine, "b", "blue invoices are late");
    keep(&engine, "c", "green is the sea");
    embed_all(&engine);
    let recalled = ask(&engine, "blue wine", Mode::Semantic);
    assert_eq!(
        (found(&recalled), &recalled.notes[..]),
        (vec!["b".to_owned()], &[][..])
    );
    assert_eq!(recalled.hits[0].similarity, Some(1.0));
    // By meaning it is the only one; by words the other one is found too.
    let recalled = ask(&engine, "blue wine", Mode::Hybrid);
    assert_eq!(found(&recalled), ["b", "a"]);
}

#[test]
fn a_service_that_fails_a_question_is_replaced_and_left_alone_for_a_while() {
    let service = Service::start(by_first_word);
    let stage = Stage::at(&service.url(), "small");
    let engine = stage.engine();
    keep(&engine, "a", "our invoices are late");
    embed_all(&engine);
    service.fail_always(Some(Fault::Status(401, "", "")));
    let asked_before = service.received().len();
    for mode in [Mode::Hybrid, Mode::Semantic, Mode::Hybrid] {
        let recalled = ask(&engine, "which invoices are late?", mode);
        assert_eq!(found(&recalled), ["a"]);
        let [Note::Failed { problem }] = &recalled.notes[..] else {
            panic!("{:?}", recalled.notes);
        };
        assert!(problem.contains("HTTP 401"), "{problem}");
    }
    assert_eq!(service.received().len(), asked_before + 1);
    let by_words = ask(&engine, "invoices", Mode::Text);
    assert_eq!(
        (found(&by_words), by_words.notes),
        (vec!["a".to_owned()], vec![])
    );
}

#[test]
fn what_waits_is_found_by_its_words_and_said_to_wait() {
    let service = Service::start(by_first_word);
    let stage = Stage::at(&service.url(), "small");
    let engine = stage.engine();
    keep(&engine, "a", "red wine");
    embed_all(&engine);
    keep(&engine, "b", "red cheese");
    let recalled = ask(&engine, "red cheese", Mode::Hybrid);
    let of = |id: &str| {
        recalled
            .hits
            .iter()
            .find(|hit| hit.memory.id.as_str() == id)
    };
    assert_eq!(of("a").unwrap().cosine, Some(1.0));
    assert_eq!(of("b").unwrap().cosine, None);
    let embedder = "openai:small@8".to_owned();
    assert_eq!(
        recalled.notes,
        [Note::Waiting {
            embedder: embedder.clone(),
            waiting: 1
        }]
    );
    // More of it waits than has a vector: the built-in model knows better.
    keep(&engine, "c", "red bread");
    let recalled = ask(&engine, "red cheese", Mode::Hybrid);
    assert_eq!(
        recalled.notes,
        [Note::NotEmbedded {
            embedder,
            waiting: 2
        }]
    );
    assert!(recalled.hits.iter().all(|hit| hit.cosine.is_some()));
}

#[test]
fn a_text_that_is_refused_does_not_keep_the_others_waiting() {
    let service = Service::start(folded(8));
    let stage = Stage::at(&service.url(), "small");
    let engine = stage.engine();
    service.refuse("invoice number 5");
    for n in 0..9 {
        keep(&engine, &format!("m{n}"), &format!("invoice number {n}"));
    }
    let done = engine.embed_pending(&me(), 64, None, &mut |_| ()).unwrap();
    assert_eq!((done.embedded, done.left), (8, 0));
    let recalled = ask(&engine, "invoice", Mode::Hybrid);
    assert_eq!(recalled.notes, []);
    let without = recalled.hits.iter().filter(|hit| hit.cosine.is_none());
    let without: Vec<&str> = without.map(|hit| hit.memory.id.as_str()).collect();
    assert_eq!(without, ["m5"]);
}

#[test]
fn if_every_text_is_refused_it_is_no_text_s_fault() {
    let service = Service::start(folded(8));
    let stage = Stage::at(&service.url(), "small");
    let engine = stage.engine();
    service.fail_always(Some(Fault::Status(400, "", "")));
    keep(&engine, "a", "red wine");
    keep(&engine, "b", "blue wine");
    let error = engine
        .embed_pending(&me(), 64, None, &mut |_| ())
        .unwrap_err();
    let Error::Embedding { failure, .. } = error else {
        panic!("{error}");
    };
    assert_eq!(failure, EmbeddingFailure::Texts);
    assert_eq!(engine.embedding(&me()).unwrap().waiting, 2);
}

#[test]
fn sensitive_memories_are_never_sent() {
    let service = Service::start(folded(8));
    let stage = Stage::at(&service.url(), "small");
    mnemon_testkit::sealed::make_ring(&stage.store());
    let engine = stage.engine();
    let mut secret = draft("a", "the code is 1234");
    secret.sensitive = true;
    put(&engine, secret).unwrap();
    keep(&engine, "b", "the parrot sings");
    let done = engine.embed_pending(&me(), 64, None, &mut |_| ()).unwrap();
    assert_eq!((done.embedded, done.left), (1, 0));
    assert_eq!(service.texts(), ["the parrot sings"]);
    assert_eq!(found(&ask(&engine, "code", Mode::Hybrid))[0], "a");
}

#[test]
fn a_memory_may_bring_its_vector_and_a_wrong_dimension_is_refused() {
    let service = Service::start(by_first_word);
    let stage = Stage::at(&service.url(), "small");
    let engine = stage.engine();
    let mut own = draft("a", "red wine");
    own.embedding = Some(by_first_word("blue"));
    put(&engine, own.clone()).unwrap();
    own.embedding = Some(vec![1.0; 7]);
    own.id = Some("b".parse().unwrap());
    let error = put(&engine, own).unwrap_err();
    assert_eq!(error.code(), Code::Embedding);
    assert_eq!(
        error.to_string(),
        "the embedding has 7 numbers, and vectors of openai:small@8 have 8"
    );
    embed_all(&engine);
    assert_eq!(service.texts(), Vec::<String>::new());
    let recalled = ask(&engine, "blue", Mode::Semantic);
    assert_eq!(found(&recalled), ["a"]);
}

#[test]
fn another_model_gets_vectors_of_its_own_and_the_old_ones_stay() {
    let service = Service::start(by_first_word);
    let old = Stage::at(&service.url(), "small");
    let engine = old.engine();
    keep(&engine, "a", "red wine");
    embed_all(&engine);
    let new = old.with_model("large");
    let with_new = new.engine();
    let recalled = ask(&with_new, "red wine", Mode::Hybrid);
    assert_eq!(found(&recalled), ["a"]);
    assert!(matches!(
        recalled.notes[..],
        [Note::NotEmbedded { waiting: 1, .. }]
    ));
    embed_all(&with_new);
    assert!(ask(&with_new, "red wine", Mode::Hybrid).notes.is_empty());
    let models: Vec<String> = service.received().into_iter().map(|it| it.model).collect();
    assert_eq!(models, ["small", "large", "large"]);
    // Going back costs nothing.
    assert!(ask(&engine, "red wine", Mode::Hybrid).notes.is_empty());
    assert_eq!(engine.embedding(&me()).unwrap().waiting, 0);
}

#[test]
fn similar_memories_are_compared_by_the_service_without_asking_it() {
    let service = Service::start(by_first_word);
    let stage = Stage::at(&service.url(), "small");
    let engine = stage.engine();
    for (id, text) in [("a", "red wine"), ("b", "red invoices"), ("c", "blue wine")] {
        keep(&engine, id, text);
    }
    embed_all(&engine);
    let asked_before = service.received().len();
    let memory = engine.find(&me(), "a", None).unwrap();
    let options = SimilarOptions::new(Filter::all(engine.now().micros()));
    let similar = engine.similar(&me(), &memory, &options).unwrap();
    assert_eq!(found(&similar.recalled), ["b"]);
    keep(&engine, "d", "red bread");
    let late = engine.find(&me(), "d", None).unwrap();
    let similar = engine.similar(&me(), &late, &options).unwrap();
    assert!(matches!(
        similar.recalled.notes[..],
        [Note::NoVector { .. }]
    ));
    assert_eq!(service.received().len(), asked_before);
}

#[test]
fn a_reindex_and_a_look_at_the_past_keep_the_vectors() {
    let service = Service::start(by_first_word);
    let stage = Stage::at(&service.url(), "small");
    let engine = stage.engine();
    keep(&engine, "a", "red wine");
    embed_all(&engine);
    let sent = service.texts().len();
    engine.reindex(&me(), &mut |_| ()).unwrap();
    let then = engine.as_of(engine.now()).unwrap();
    for engine in [&engine, &then] {
        let recalled = ask(engine, "red", Mode::Semantic);
        assert_eq!(
            (found(&recalled), recalled.notes),
            (vec!["a".to_owned()], vec![])
        );
    }
    assert_eq!(service.texts()[sent..], ["red", "red"]);
}

#[test]
fn several_who_embed_at_once_leave_nothing_out_and_nothing_twice() {
    let service = Service::start(folded(8));
    let stage = Stage::at(&service.url(), "small");
    let engine = stage.engine();
    for n in 0..300 {
        keep(&engine, &format!("m{n}"), &format!("invoice number {n}"));
    }
    let done: u64 = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..4)
            .map(|_| {
                scope.spawn(|| {
                    let engine = stage.engine();
                    let done = engine.embed_pending(&me(), usize::MAX, None, &mut |_| ());
                    let done = done.unwrap();
                    assert_eq!(done.left, 0);
                    done.embedded
                })
            })
            .collect();
        workers.into_iter().map(|it| it.join().unwrap()).sum()
    });
    assert!(done >= 300);
    let set = SetName::of(&stage.endpoint());
    assert_eq!(stage.store().waiting(&set, 0).unwrap().count, 0);
    assert_eq!(stage.vectors(&set), 300);
}

#[test]
fn a_reader_sees_what_another_embedded_at_its_next_question() {
    let service = Service::start(by_first_word);
    let stage = Stage::at(&service.url(), "small");
    let [reader, writer] = [stage.engine(), stage.engine()];
    for (round, colour) in (1..).zip(["red", "blue", "green"]) {
        keep(&writer, colour, &format!("{colour} wine"));
        keep(&writer, &format!("{colour}2"), &format!("{colour} cheese"));
        embed_all(&writer);
        let recalled = ask(&reader, &format!("{colour} cars"), Mode::Semantic);
        assert_eq!(recalled.notes, [], "round {round}");
        assert_eq!(recalled.hits.len(), 2, "round {round}");
    }
}

#[test]
fn a_service_that_hangs_keeps_no_writer_waiting() {
    let service = Service::start(folded(8));
    let stage = Stage::at(&service.url(), "small");
    let engine = stage.engine();
    keep(&engine, "a", "red wine");
    service.fail([Fault::Hang]);
    std::thread::scope(|scope| {
        let embedding = scope.spawn(|| stage.engine().embed_pending(&me(), 64, None, &mut |_| ()));
        while service.received().is_empty() {
            std::thread::yield_now();
        }
        keep(&engine, "b", "blue cheese");
        assert_eq!(found(&ask(&engine, "cheese", Mode::Hybrid))[0], "b");
        assert!(!embedding.is_finished());
        drop(service);
        assert!(embedding.join().unwrap().is_err());
    });
    assert_eq!(stage.endpoint().id(), "openai:small@8");
}
