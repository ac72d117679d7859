//! What is asked of a service, and what is made of its answer.

use std::time::{Duration, Instant};

use mnemon::embed::{Embedder, Vector};
use mnemon_endpoint::{Endpoint, Key, Options, Style};
use mnemon_testkit::service::{Service, folded};

fn options(service: &Service, style: Style) -> Options {
    Options {
        style,
        url: service.url() + "/v1/",
        model: "small".into(),
        dimension: 8,
        key: Key::new(" sk-secret\n"),
        key_variable: "THE_KEY".into(),
        batch_max: 3,
        timeout: Duration::from_secs(20),
        retries: 0,
        first_wait: Duration::from_millis(1),
    }
}

fn direction(text: &str) -> Option<Vector> {
    Vector::nearest_to(&folded(8)(text))
}

#[test]
fn vectors_come_back_in_the_order_of_the_texts() {
    let texts: Vec<String> = (0..8).map(|n| format!("invoice number {n}")).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let expected: Vec<_> = texts.iter().map(|text| direction(text)).collect();
    for (style, path) in [
        (Style::OpenAi, "/v1/embeddings"),
        (Style::Ollama, "/v1/api/embed"),
    ] {
        let service = Service::start(folded(8));
        let endpoint = Endpoint::new(options(&service, style));
        assert_eq!(endpoint.embed(&texts).unwrap(), expected);
        let received = service.received();
        let sizes: Vec<usize> = received.iter().map(|it| it.input.len()).collect();
        assert_eq!(sizes, [3, 3, 2]);
        for question in received {
            assert_eq!(question.path, path);
            assert_eq!(question.model, "small");
            assert_eq!(question.authorization.unwrap(), "Bearer sk-secret");
        }
        assert_eq!(service.texts(), texts);
    }
}

#[test]
fn a_text_without_words_is_not_sent_and_has_no_vector() {
    let service = Service::start(folded(8));
    let endpoint = Endpoint::new(options(&service, Style::OpenAi));
    let found = endpoint.embed(&[" \n", "paid", ""]).unwrap();
    assert_eq!(found, [None, direction("paid"), None]);
    assert_eq!(service.texts(), ["paid"]);
}

#[test]
fn a_direction_of_nothing_but_zeros_is_none() {
    let service = Service::start(|_| vec![0.0; 8]);
    let endpoint = Endpoint::new(options(&service, Style::OpenAi));
    assert_eq!(endpoint.embed(&["paid"]).unwrap(), [None]);
}

#[test]
fn long_texts_are_cut_between_characters_and_sent_in_smaller_batches() {
    let service = Service::start(folded(8));
    let endpoint = Endpoint::new(Options {
        batch_max: 2_000,
        ..options(&service, Style::OpenAi)
    });
    let long = format!("x{}", "日".repeat(10_000));
    let texts = vec![long.as_str(); 70];
    endpoint.embed(&texts).unwrap();
    for text in service.texts() {
        assert_eq!((text.len(), long.starts_with(&text)), (7_999, true));
    }
    let sizes: Vec<usize> = service.received().iter().map(|it| it.input.len()).collect();
    assert_eq!(sizes, [32, 32, 6]);
}

#[test]
fn its_id_names_style_model_and_dimension() {
    let service = Service::start(folded(8));
    for (style, id) in [
        (Style::OpenAi, "openai:small@8"),
        (Style::Ollama, "ollama:small@8"),
    ] {
        let endpoint = Endpoint::new(options(&service, style));
        assert_eq!((endpoint.id(), endpoint.dimension()), (id, 8));
    }
}

#[test]
fn without_a_key_no_header_is_sent_and_debug_output_never_has_it() {
    let service = Service::start(folded(8));
    let with_key = Endpoint::new(options(&service, Style::OpenAi));
    assert!(!format!("{with_key:?}").contains("secret"));
    let without = Endpoint::new(Options {
        key: None,
        ..options(&service, Style::OpenAi)
    });
    let soon = Instant::now() + Duration::from_secs(20);
    without.embed_once(&["paid"], soon).unwrap();
    assert_eq!(service.received()[0].authorization, None);
}
