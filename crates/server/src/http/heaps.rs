//! Heaps: threads share a few.
//!
//! The C library gives every thread a heap of its own, up to eight for each
//! processor, and each keeps the most that its threads ever needed: under a
//! load of sixteen clients twice the memory, and a fifth fewer answers.

/// As many heaps as processors, from here on.
#[cfg(target_env = "gnu")]
pub(super) fn share() {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let heaps = i32::try_from(processors).unwrap_or(i32::MAX);
    #[expect(unsafe_code, reason = "the C library is told in no other way")]
    // SAFETY: it takes two numbers, and only heaps that are made later depend on them. If it
    // refuses, all is as before.
    unsafe {
        libc::mallopt(libc::M_ARENA_MAX, heaps);
    }
}

/// Other C libraries have one heap.
#[cfg(not(target_env = "gnu"))]
pub(super) fn share() {}
