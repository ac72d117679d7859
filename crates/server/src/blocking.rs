//! The one way from async code to the engine, which blocks.

/// Runs work on a thread that may wait; the text of its panic if it had a bug.
pub(crate) async fn on_blocking_thread<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, String> {
    let ended = tokio::task::spawn_blocking(work).await;
    ended.map_err(|failed| match failed.try_into_panic() {
        Ok(payload) => panic_text(&*payload).to_owned(),
        Err(cancelled) => cancelled.to_string(),
    })
}

fn panic_text(payload: &(dyn std::any::Any + Send)) -> &str {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| payload.downcast_ref::<&str>().copied())
        .unwrap_or("no message")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_ends_the_work_and_nothing_else() {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap();
        let broken: Result<(), String> =
            runtime.block_on(on_blocking_thread(|| panic!("no such number: {}", 7)));
        assert_eq!(broken.unwrap_err(), "no such number: 7");
        assert_eq!(runtime.block_on(on_blocking_thread(|| 7)), Ok(7));
    }
}
