//! What becomes of everything that can go wrong with a service.
#![expect(clippy::unwrap_used, reason = "a test that can't go on has failed")]

use std::time::{Duration, Instant};

use mnemon::embed::Embedder;
use mnemon::{Code, EmbeddingFailure, Error};
use mnemon_endpoint::{Endpoint, Key, Options, Style};
use mnemon_testkit::service::{Fault, Service, folded};

const BUSY: Fault = Fault::Status(429, "retry-after: 0\r\n", "");

fn options(url: String) -> Options {
    Options {
        style: Style::OpenAi,
        url,
        model: "small".into(),
        dimension: 8,
        key: Key::new("sk-secret"),
        key_variable: "THE_KEY".into(),
        batch_max: 64,
        timeout: Duration::from_secs(20),
        retries: 2,
        first_wait: Duration::from_millis(1),
    }
}

/// Message, hint and kind of a failure, which never holds the key.
fn check(error: &Error, url: &str) -> (String, String, EmbeddingFailure) {
    assert_eq!(error.code(), Code::Embedding);
    let (message, hint) = (error.to_string(), error.hint());
    assert!(!format!("{error:?} {message} {hint}").contains("sk-secret"));
    let &Error::Embedding { failure, .. } = error else {
        panic!("{error:?}");
    };
    assert_eq!(error.retryable(), failure == EmbeddingFailure::Away);
    let begin = format!("{url}/embeddings did not embed: ");
    (
        message.strip_prefix(&begin).unwrap().to_owned(),
        hint,
        failure,
    )
}

/// What a service that always fails like this ends in, and how often it was asked.
fn always(fault: Fault) -> ((String, String, EmbeddingFailure), usize) {
    let service = Service::start(folded(8));
    service.fail_always(Some(fault));
    let endpoint = Endpoint::new(options(service.url()));
    let error = endpoint.embed(&["paid", "unpaid"]).unwrap_err();
    (check(&error, &service.url()), service.received().len())
}

#[test]
fn what_may_pass_is_tried_again() {
    for fault in [
        BUSY,
        Fault::Status(500, "", "<html>"),
        Fault::Status(503, "", ""),
        Fault::Truncate,
    ] {
        let service = Service::start(folded(8));
        service.fail([fault.clone(), fault.clone()]);
        let found = Endpoint::new(options(service.url())).embed(&["paid"]);
        assert_eq!(found.unwrap().len(), 1, "{fault:?}");
        assert_eq!(service.received().len(), 3, "{fault:?}");
    }
}

#[test]
fn what_does_not_pass_ends_after_the_retries() {
    for (fault, problem) in [
        (BUSY, "HTTP 429 (tried 3 times)"),
        (
            Fault::Status(
                500,
                "",
                "{\"error\":{\"message\":\"out of\\u0007 memory, sk-secret\"}}",
            ),
            "HTTP 500: out of  memory, [key] (tried 3 times)",
        ),
        (
            Fault::Status(502, "", "<html><h1>Bad gateway"),
            "HTTP 502 (tried 3 times)",
        ),
    ] {
        let ((message, hint, failure), asked) = always(fault);
        assert_eq!((message.as_str(), asked), (problem, 3));
        assert_eq!(failure, EmbeddingFailure::Away);
        assert!(hint.contains("mnemon embed"), "{hint}");
    }
}

#[test]
fn a_service_that_wants_to_be_left_alone_for_long_is_not_waited_for() {
    let service = Service::start(folded(8));
    service.fail([Fault::Status(429, "retry-after: 3600\r\n", "")]);
    let error = Endpoint::new(options(service.url()))
        .embed(&["paid"])
        .unwrap_err();
    assert_eq!(check(&error, &service.url()).0, "HTTP 429");
    assert_eq!(service.received().len(), 1);
}

#[test]
fn what_stays_wrong_is_tried_once_and_says_what_to_do() {
    use EmbeddingFailure::{Settings, Texts};
    let nan = "{\"data\":[{\"embedding\":[NaN,1,1,1,1,1,1,1]}]}";
    let infinite = "{\"data\":[{\"index\":0,\"embedding\":[1e39,1,1,1,1,1,1,1]},\
                    {\"index\":1,\"embedding\":[1,1,1,1,1,1,1,1]}]}";
    let twice = "{\"data\":[{\"index\":1,\"embedding\":[]},{\"index\":1,\"embedding\":[]}]}";
    for (fault, problem, next, kind) in [
        (
            Fault::Status(400, "", "{\"error\":\"input is too long\"}"),
            "HTTP 400: input is too long",
            "embedding.model",
            Texts,
        ),
        (
            Fault::Status(401, "", "{\"error\":{\"message\":\"wrong key sk-sec***\"}}"),
            "HTTP 401: it does not let us in",
            "THE_KEY",
            Settings,
        ),
        (
            Fault::Status(404, "", "{\"error\":\"model \\\"small\\\" not found\"}"),
            "HTTP 404: model \"small\" not found",
            "embedding.model",
            Settings,
        ),
        (
            Fault::Status(301, "location: http://127.0.0.1:1/\r\n", ""),
            "HTTP 301: it is somewhere else",
            "embedding.url",
            Settings,
        ),
        (
            Fault::LongVectors,
            "its vectors have 9 numbers, and embedding.dimension is 8",
            "Set embedding.dimension to 9",
            Settings,
        ),
        (
            Fault::MissingVector,
            "it gave 1 vectors for 2 texts",
            "embedding.url",
            Settings,
        ),
        (
            Fault::Body("<!doctype html><p>Hello".into()),
            "its answer is not JSON: it begins with \"<!doctype html><p>Hello\"",
            "embedding.url",
            Settings,
        ),
        (
            Fault::Body("{\"embeddings\":[]}".into()),
            "its answer has not the shape of vectors: it begins with \"{\\\"embeddings\\\":[]}\"",
            "embedding.provider",
            Settings,
        ),
        (
            Fault::Body(nan.into()),
            "its answer is not JSON: it begins with \"{\\\"data\\\":[{\\\"embedding\\\":[NaN,1,1,1,1,1,1,1…\"",
            "embedding.url",
            Settings,
        ),
        (
            Fault::Body(infinite.into()),
            "a vector has a number that is not finite",
            "another model",
            Settings,
        ),
        (
            Fault::Body(twice.into()),
            "it gave 2 vectors, and text 1 has none or several",
            "Report it",
            Settings,
        ),
        (
            Fault::Body(format!("{{\"data\":[{}", " ".repeat(2 << 20))),
            "its answer is longer than 1049088 bytes",
            "embedding.dimension",
            Settings,
        ),
    ] {
        let ((message, hint, failure), asked) = always(fault);
        assert_eq!(message, problem);
        assert!(hint.contains(next), "{message}: {hint}");
        assert_eq!((failure, asked), (kind, 1), "{message}");
    }
}

#[test]
fn a_service_that_is_not_there_is_away() {
    let url = format!("http://{}", Service::nobody());
    let error = Endpoint::new(options(url.clone()))
        .embed(&["paid"])
        .unwrap_err();
    let (message, hint, failure) = check(&error, &url);
    assert_eq!(message, "nothing listens there (tried 3 times)");
    assert!(hint.contains("Check that the service runs"), "{hint}");
    assert_eq!(failure, EmbeddingFailure::Away);
}

#[test]
fn an_answer_that_does_not_come_is_given_up() {
    for fault in [Fault::Hang, Fault::Dribble] {
        let service = Service::start(folded(8));
        service.fail_always(Some(fault));
        let endpoint = Endpoint::new(Options {
            timeout: Duration::from_millis(50),
            retries: 1,
            ..options(service.url())
        });
        let error = endpoint.embed(&["paid"]).unwrap_err();
        let (message, _, failure) = check(&error, &service.url());
        assert!(message.starts_with("no answer within "), "{message}");
        assert_eq!(failure, EmbeddingFailure::Away);
    }
}

#[test]
fn a_deadline_ends_it_before_the_time_out_does() {
    let service = Service::start(folded(8));
    service.fail_always(Some(Fault::Hang));
    // With its own patience this would take an hour, and the test would be killed.
    let endpoint = Endpoint::new(Options {
        timeout: Duration::from_secs(3_600),
        ..options(service.url())
    });
    let soon = Instant::now() + Duration::from_millis(50);
    let error = endpoint.embed_once(&["paid"], soon).unwrap_err();
    assert_eq!(check(&error, &service.url()).2, EmbeddingFailure::Away);
    let past = Instant::now();
    assert!(endpoint.embed_once(&["paid"], past).is_err());
}

#[test]
fn who_has_something_else_to_do_tries_once() {
    let service = Service::start(folded(8));
    service.fail_always(Some(Fault::Status(503, "", "")));
    let later = Instant::now() + Duration::from_secs(20);
    let error = Endpoint::new(options(service.url()))
        .embed_once(&["paid"], later)
        .unwrap_err();
    assert_eq!(check(&error, &service.url()).0, "HTTP 503");
    assert_eq!(service.received().len(), 1);
}
