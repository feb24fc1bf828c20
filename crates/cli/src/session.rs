//! The outer limits of a run: time limit, Ctrl-C and termination signals.
//!
//! Work is asked to stop through its [`Budget`]. If it does not come back within a grace period (a phase without a
//! poll, a child process), the watchdog reports what there is to report and ends the process.
//!
//! # Invariants
//! * I1: exactly one of the watchdog and the working thread reports: the one that claims the session first.
//! * I2: programs that are started are ended when the session is asked to stop; no process stays behind.

use std::io::{IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use base::{Budget, Cancel, Stop};

use crate::exit::ExitStatus;

/// How long work may go on after it was asked to stop. Somebody waits after Ctrl-C, and the end of a large process takes time, too.
fn grace(stop: Stop) -> Duration {
    match stop {
        Stop::Cancelled => Duration::from_millis(500),
        Stop::Ticks | Stop::Deadline | Stop::Memory => Duration::from_secs(1),
    }
}

/// Prints the report of a run that had to be ended from outside.
pub(crate) type Abandon = Box<dyn Fn(Stop) + Send + Sync>;

/// The limits of one run.
pub(crate) struct Session {
    cancel: Cancel,
    deadline: Option<Instant>,
    claimed: Arc<AtomicBool>,
    /// Whether the working thread has the right to report.
    is_mine: AtomicBool,
}

impl Session {
    /// Starts to watch the clock and the signals.
    pub(crate) fn start(timeout: Option<f64>, abandon: Abandon) -> Self {
        let cancel = Cancel::new();
        let claimed = Arc::new(AtomicBool::new(false));
        let abandon = Arc::new(abandon);
        let deadline = timeout.map(|seconds| Instant::now() + Duration::from_secs_f64(seconds));
        let end = {
            let (claimed, abandon) = (claimed.clone(), abandon.clone());
            move |stop: Stop| {
                thread::sleep(grace(stop));
                if !claimed.swap(true, Ordering::SeqCst) {
                    abandon(stop);
                    system::process::end_all();
                    std::process::exit(i32::from(ExitStatus::Unknown.code()));
                }
            }
        };
        let (flag, end_on_signal) = (cancel.clone(), end.clone());
        // If there is no way to hear of signals, they end the process as usual.
        let _ = ctrlc::set_handler(move || {
            flag.cancel();
            end_on_signal(Stop::Cancelled);
        });
        if let Some(deadline) = deadline {
            thread::spawn(move || {
                thread::sleep(deadline.saturating_duration_since(Instant::now()));
                end(Stop::Deadline);
            });
        }
        let session = Self { cancel, deadline, claimed, is_mine: AtomicBool::new(false) };
        // I2.
        system::process::limit_all(session.budget());
        session
    }

    /// An allowance of work within the limits.
    pub(crate) fn budget(&self) -> Budget {
        Budget::unlimited().with_deadline(self.deadline).with_cancel(self.cancel.clone())
    }

    /// Takes the right to report, if the working thread does not have it yet; does not return if the watchdog has it (I1).
    pub(crate) fn claim(&self) {
        if self.is_mine.swap(true, Ordering::SeqCst) {
            return;
        }
        if self.claimed.swap(true, Ordering::SeqCst) {
            loop {
                thread::park();
            }
        }
    }
}

/// A line on the terminal that says what is going on; it vanishes when this is dropped.
pub(crate) struct Progress {
    end: Option<Sender<()>>,
    thread: Option<thread::JoinHandle<()>>,
}

impl Progress {
    /// Nothing is shown before this.
    const DELAY: Duration = Duration::from_secs(2);
    const INTERVAL: Duration = Duration::from_millis(500);

    /// Shows progress if standard error is a terminal.
    pub(crate) fn start(what: &'static str, state: Arc<engine::Recorder>) -> Self {
        if !std::io::stderr().is_terminal() {
            return Self { end: None, thread: None };
        }
        let (end, ended) = channel();
        let thread = thread::spawn(move || show(what, &state, &ended));
        Self { end: Some(end), thread: Some(thread) }
    }
}

/// The body of the progress thread.
fn show(what: &str, state: &engine::Recorder, ended: &Receiver<()>) {
    let start = Instant::now();
    let mut wait = Progress::DELAY;
    let mut shown = false;
    while ended.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
        let (seconds, line) = (start.elapsed().as_secs(), state.progress_line());
        let separator = if line.is_empty() { "" } else { ", " };
        let _ = write!(std::io::stderr().lock(), "\r\x1b[Kwayproof: {what}, {seconds} s{separator}{line}");
        shown = true;
        wait = Progress::INTERVAL;
    }
    if shown {
        let _ = write!(std::io::stderr().lock(), "\r\x1b[K");
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        drop(self.end.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
