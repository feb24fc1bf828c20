//! A thread with a stack that is large enough for the recursion of the front end.

use std::panic::resume_unwind;
use std::sync::{Mutex, PoisonError};
use std::thread;

/// Sizes to try, largest first. Only what is touched becomes real memory.
const STACK_SIZES: [usize; 3] = [512 << 20, 128 << 20, 32 << 20];

/// Runs `work` on a thread with a large stack and waits for it.
///
/// Parsing and checking recurse up to [`MAX_NESTING`](crate::parse::MAX_NESTING) levels, more than a usual stack bears in a debug
/// build. If no thread can be had, `work` runs on the current one. A panic of `work` is passed on.
pub fn with_large_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    let slot = Mutex::new(Some(work));
    let take = || slot.lock().unwrap_or_else(PoisonError::into_inner).take();
    thread::scope(|scope| {
        for size in STACK_SIZES {
            let run = || take().map(|work| work());
            let Ok(handle) = thread::Builder::new().stack_size(size).spawn_scoped(scope, run) else {
                continue;
            };
            match handle.join() {
                Ok(result) => return result,
                Err(panic) => resume_unwind(panic),
            }
        }
        take().map(|work| work())
    })
    .expect("the work should be taken exactly once")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn depth(levels: usize, sum: &mut [u8; 256]) -> usize {
        sum[levels % 256] = sum[levels % 256].wrapping_add(1);
        let mut copy = *sum;
        if levels == 0 { usize::from(copy[0]) } else { depth(levels - 1, &mut copy) + 1 }
    }

    #[test]
    fn deep_recursion_fits() {
        assert!(with_large_stack(|| depth(50_000, &mut [0; 256])) >= 50_000);
    }
}
