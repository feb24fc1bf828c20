//! Stages and events of a run with their times, recorded on demand for a trace viewer.
//!
//! There is one timeline per process. It is no part of any computation: code that records cannot read it back.
//!
//! # Invariants
//! * I1: while recording is off, a stage or an event costs one relaxed load and does not look at the clock.
//! * I2: of one thread, stages nest: they end in the reverse order of their beginnings.
//! * I3: at most [`CAPACITY`] entries are kept, and the ends of stages that began before; what comes later is counted.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// The most entries that are kept, about 100 MB.
pub const CAPACITY: usize = 1_000_000;

static IS_ON: AtomicBool = AtomicBool::new(false);
static RECORDING: OnceLock<Recording> = OnceLock::new();

struct Recording {
    start: Instant,
    entries: Mutex<Vec<Entry>>,
    dropped: AtomicU64,
}

/// One thing that was recorded; times are since recording began.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// What it is.
    pub name: &'static str,
    /// When, and whether something begins, ends or has happened.
    pub kind: Kind,
    /// Distinguishes threads.
    pub thread: u64,
    /// Further facts by name.
    pub details: Vec<(&'static str, Detail)>,
}

/// Kinds of entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A stage begins.
    Begin(Duration),
    /// The innermost stage of the thread ends.
    End(Duration),
    /// Something that began at a time and took a time.
    Event(Duration, Duration),
}

/// A fact about an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// A quantity.
    Number(u64),
    /// A word.
    Word(&'static str),
}

/// Begins to record. Later calls change nothing.
pub fn start() {
    RECORDING.get_or_init(|| Recording {
        start: Instant::now(),
        entries: Mutex::default(),
        dropped: AtomicU64::new(0),
    });
    IS_ON.store(true, Ordering::Release);
}

/// What was recorded so far, and how many entries found no room.
pub fn entries() -> (Vec<Entry>, u64) {
    RECORDING.get().map_or_else(Default::default, |recording| {
        (recording.lock().clone(), recording.dropped.load(Ordering::Relaxed))
    })
}

/// A stage of the work; it lasts until this is dropped.
#[must_use = "the stage ends when this is dropped"]
pub struct Stage {
    /// None if the beginning was not kept.
    recording: Option<&'static Recording>,
    name: &'static str,
}

/// Begins a stage.
pub fn stage(name: &'static str) -> Stage {
    let recording = recording()
        .filter(|recording| recording.push(name, Kind::Begin(recording.start.elapsed()), Vec::new()));
    Stage { recording, name }
}

impl Drop for Stage {
    fn drop(&mut self) {
        if let Some(recording) = self.recording {
            recording.push(self.name, Kind::End(recording.start.elapsed()), Vec::new());
        }
    }
}

/// An event that has begun.
pub struct Event {
    recording: &'static Recording,
    name: &'static str,
    begin: Duration,
}

/// Begins an event; none while nothing is recorded.
pub fn event(name: &'static str) -> Option<Event> {
    recording().map(|recording| Event { recording, name, begin: recording.start.elapsed() })
}

impl Event {
    /// Ends it. The details are made after the clock was read.
    pub fn end(self, details: impl FnOnce() -> Vec<(&'static str, Detail)>) {
        let took = self.recording.start.elapsed().saturating_sub(self.begin);
        self.recording.push(self.name, Kind::Event(self.begin, took), details());
    }
}

/// The recording, if one is going on (I1).
fn recording() -> Option<&'static Recording> {
    if IS_ON.load(Ordering::Relaxed) { RECORDING.get() } else { None }
}

impl Recording {
    fn lock(&self) -> MutexGuard<'_, Vec<Entry>> {
        // A vector of finished entries is sound whoever panicked.
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps an entry if there is room (I3); whether there was. The end of a stage whose beginning was kept always has room.
    fn push(&self, name: &'static str, kind: Kind, details: Vec<(&'static str, Detail)>) -> bool {
        let entry = Entry { name, kind, thread: thread(), details };
        let mut entries = self.lock();
        if entries.len() < CAPACITY || matches!(kind, Kind::End(_)) {
            entries.push(entry);
            true
        } else {
            self.dropped.fetch_add(1, Ordering::Relaxed);
            false
        }
    }
}

/// A small number of this thread.
fn thread() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    thread_local! {
        static NUMBER: u64 = NEXT.fetch_add(1, Ordering::Relaxed);
    }
    NUMBER.with(|number| *number)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One test, because there is one recording.
    #[test]
    fn nothing_is_recorded_before_the_start_and_stages_nest_afterwards() {
        drop(stage("too early"));
        assert!(event("too early").is_none());
        assert_eq!(entries(), (Vec::new(), 0));
        start();
        {
            let _outer = stage("outer");
            let query = event("query");
            let _inner = stage("inner");
            query.unwrap().end(|| vec![("nodes", Detail::Number(3)), ("answer", Detail::Word("sat"))]);
        }
        let (found, dropped) = entries();
        assert_eq!(dropped, 0);
        let shape: Vec<(&str, char)> = found
            .iter()
            .map(|entry| match entry.kind {
                Kind::Begin(_) => (entry.name, 'B'),
                Kind::End(_) => (entry.name, 'E'),
                Kind::Event(..) => (entry.name, 'X'),
            })
            .collect();
        assert_eq!(shape, [("outer", 'B'), ("inner", 'B'), ("query", 'X'), ("inner", 'E'), ("outer", 'E')]);
        assert_eq!(found[2].details[0], ("nodes", Detail::Number(3)));
        let other = std::thread::spawn(|| drop(stage("elsewhere")));
        other.join().unwrap();
        let (found, _) = entries();
        assert_ne!(found[0].thread, found[5].thread);
    }
}
