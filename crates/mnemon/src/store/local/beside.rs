//! Threads that work beside others, and make way for them.

use std::io;
use std::thread::{Builder, JoinHandle};

/// How much they step back, as `nice` counts it.
const STEP_BACK: i32 = 5;

/// Starts a thread that nobody waits for: whoever answers somebody goes first.
pub(super) fn spawn(
    name: &str,
    work: impl FnOnce() + Send + 'static,
) -> io::Result<JoinHandle<()>> {
    Builder::new().name(name.into()).spawn(|| {
        // For this thread alone; where it can't be, it is as the others.
        #[cfg(target_os = "linux")]
        let _ = rustix::process::setpriority_process(None, STEP_BACK);
        work();
    })
}
