//! The output of a program, kept up to a limit.

use std::io::Read;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// How much of an output is kept. All of it is read in any case, so that nobody waits for a reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// All of it; a program that writes more than this is ended.
    Whole(usize),
    /// This much of its beginning and of its end.
    Ends(usize),
}

/// An output, as far as it was read.
#[derive(Default)]
pub(super) struct Capture {
    kept: Mutex<(Vec<u8>, Vec<u8>)>,
    is_complete: AtomicBool,
}

impl Capture {
    /// Reads a stream to its end.
    pub(super) fn fill(&self, mut stream: impl Read, keep: Keep, overflow: impl Fn()) {
        let mut buffer = vec![0; 1 << 16];
        let most = match keep {
            Keep::Whole(most) | Keep::Ends(most) => most,
        };
        let mut is_full = false;
        loop {
            let count = match stream.read(&mut buffer) {
                Ok(0) => {
                    self.is_complete.store(true, Ordering::Release);
                    return;
                }
                Ok(count) => count,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                // A broken pipe only shortens what is kept.
                Err(_) => return,
            };
            let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
            let (head, tail) = &mut *kept;
            let (first, rest) = buffer[..count].split_at(count.min(most - head.len()));
            head.extend_from_slice(first);
            match keep {
                Keep::Whole(_) if !rest.is_empty() && !is_full => {
                    is_full = true;
                    overflow();
                }
                Keep::Whole(_) => {}
                Keep::Ends(_) => {
                    tail.extend_from_slice(rest);
                    // Seldom, or a long output would take more time to keep than to write.
                    if tail.len() > 2 * most + (1 << 16) {
                        tail.drain(..tail.len() - most);
                    }
                }
            }
        }
    }

    /// Whether it was read to its end.
    pub(super) fn is_complete(&self) -> bool {
        self.is_complete.load(Ordering::Acquire)
    }

    /// What was kept so far.
    pub(super) fn take(&self) -> Vec<u8> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut head, tail) = std::mem::take(&mut *kept);
        let most = head.len();
        head.extend_from_slice(&tail[tail.len().saturating_sub(most)..]);
        head
    }
}
