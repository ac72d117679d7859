//! Connections: taken one by one, answered side by side, and ended in order.

use std::io;
use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use mnemon::config::LogLevel;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde_json::json;
use tokio::net::TcpStream;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::Stop;
use super::answer::answer;
use super::events;
use super::heaps;
use super::state::State;
use super::upkeep;
use super::visit::Visit;
use crate::blocking::on_blocking_thread;

/// Enough for what blocks side by side; more of it waits for its turn.
const THREADS_MAX: usize = 32;

/// Who says nothing for so long is not listened to any longer.
const HEADERS_WITHIN: Duration = Duration::from_secs(15);

/// Names and values of headers together.
const HEADERS_BYTES_MAX: usize = 64 << 10;

/// After a failure to take a connection, such as too many open files.
const PAUSE: Duration = Duration::from_millis(100);

/// Files of the store and what else is open beside connections.
const OTHER_FILES: u64 = 512;

/// Answers until it is asked to end.
pub(super) fn run(listener: TcpListener, state: &Arc<State>, stop: &Stop) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .enable_time()
        .max_blocking_threads(THREADS_MAX)
        .build()?;
    heaps::share();
    let within = state.config().shutdown_ms;
    runtime.block_on(async {
        listener.set_nonblocking(true)?;
        let listener = tokio::net::TcpListener::from_std(listener)?;
        stop_on_signals(stop)?;
        make_room_for_files(state);
        state.say(
            LogLevel::Info,
            "server",
            "Server started",
            json!({ "address": state.address.to_string() }),
        );
        let beside = [
            tokio::spawn(events::listen(Arc::clone(state))),
            tokio::spawn(upkeep::look_after(Arc::clone(state))),
        ];
        let graceful = GracefulShutdown::new();
        take_connections(&listener, state, &graceful).await;
        drop(listener);
        end(state, graceful).await;
        beside.iter().for_each(tokio::task::JoinHandle::abort);
        Ok::<_, io::Error>(())
    })?;
    // What still goes on can be cut short at any point; it had its time.
    runtime.shutdown_timeout(Duration::from_millis(within));
    Ok(())
}

/// Each connection is an open file, and systems allow few unless they are asked.
fn make_room_for_files(state: &State) {
    let config = state.config();
    let wanted = (config.connections_max + config.streams_max) as u64 + OTHER_FILES;
    let allowed = getrlimit(Resource::Nofile);
    if allowed.current.is_none_or(|current| current >= wanted) {
        return;
    }
    let current = allowed.maximum.map_or(wanted, |most| wanted.min(most));
    let raised = Rlimit {
        current: Some(current),
        ..allowed
    };
    let is_raised = setrlimit(Resource::Nofile, raised).is_ok();
    if !is_raised || current < wanted {
        let more = json!({ "wanted": wanted, "allowed": allowed.maximum });
        let message = "Fewer files can be open than connections are allowed";
        state.say(LogLevel::Warn, "server", message, more);
    }
}

/// The signals with which people and supervisors end programs.
fn stop_on_signals(stop: &Stop) -> io::Result<()> {
    for kind in [SignalKind::interrupt(), SignalKind::terminate()] {
        let (mut signal, stop) = (signal(kind)?, stop.clone());
        tokio::spawn(async move {
            signal.recv().await;
            stop.stop();
        });
    }
    Ok(())
}

async fn take_connections(
    listener: &tokio::net::TcpListener,
    state: &Arc<State>,
    graceful: &GracefulShutdown,
) {
    let places = Arc::new(Semaphore::new(state.config().connections_max));
    loop {
        let next = async {
            let place = Arc::clone(&places).acquire_owned().await;
            (place, listener.accept().await)
        };
        let (place, accepted) = tokio::select! {
            next = next => next,
            () = state.stopped() => return,
        };
        let (Ok(place), Ok((stream, _))) = (place, accepted) else {
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        serve(stream, place, Arc::clone(state), graceful);
    }
}

fn serve(
    stream: TcpStream,
    place: OwnedSemaphorePermit,
    state: Arc<State>,
    graceful: &GracefulShutdown,
) {
    // Answers are small, and somebody waits for each.
    let _ = stream.set_nodelay(true);
    let reached = stream.local_addr().unwrap_or(state.address);
    let visit = Arc::new(Visit::new(reached, place));
    let until = Arc::clone(&visit);
    let service = service_fn(move |request| {
        let (state, visit) = (Arc::clone(&state), Arc::clone(&visit));
        async move { Ok::<_, std::convert::Infallible>(answer(state, &visit, request).await) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADERS_WITHIN)
        .max_buf_size(HEADERS_BYTES_MAX)
        .serve_connection(TokioIo::new(stream), service);
    let connection = graceful.watch(connection);
    tokio::spawn(async move {
        // A client that goes in the middle is no failure of ours.
        tokio::select! {
            _ = connection => {}
            () = until.is_cut() => {}
        }
    });
}

/// Finishes what has begun, for so long as the settings allow, and writes down what was counted.
async fn end(state: &Arc<State>, graceful: GracefulShutdown) {
    let within = Duration::from_millis(state.config().shutdown_ms);
    let is_finished = tokio::time::timeout(within, graceful.shutdown())
        .await
        .is_ok();
    let opened = state.opened.clone();
    let flushed = on_blocking_thread(move || opened.engine.flush(&opened.caller));
    let flushed = tokio::time::timeout(within, flushed).await;
    let is_flushed = matches!(flushed, Ok(Ok(Ok(()))));
    let level = if is_finished && is_flushed {
        LogLevel::Info
    } else {
        LogLevel::Warn
    };
    let more = json!({ "finished": is_finished, "flushed": is_flushed });
    state.say(level, "server", "Server ended", more);
}
