//! Feeds mutated inputs to a function in this process and notices panics and hangs.
//!
//! # Invariants
//! * I1: input number `n` depends on the first seed, the corpus and `n` alone.
//! * I2: an input that brings the process down (stack overflow, abort) is left behind in the file
//!   `in-flight-W.c` of the worker, written before the function is called.

use std::fs;
use std::io;
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Once, PoisonError, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use crate::mutate::mutate_pair;
use crate::random::Random;

/// What the function under test says about an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The input was accepted.
    Accepted,
    /// The input was rejected with a message.
    Rejected,
    /// The function itself noticed that it went wrong.
    Broken,
}

/// The function under test.
pub type Target = fn(&[u8]) -> Outcome;

/// What to run.
#[derive(Clone, Debug)]
pub struct Settings {
    /// How many inputs.
    pub count: u64,
    /// Seed of the first input; the others follow.
    pub first_seed: u64,
    /// Time one input may take.
    pub limit: Duration,
    /// Inputs at a time.
    pub threads: usize,
    /// Stack of the threads that call the function, in bytes.
    pub stack: usize,
    /// Folder for inputs that misbehave, if they should be stored (I2).
    pub store: Option<PathBuf>,
}

/// How an input misbehaved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Misbehaviour {
    /// The function panicked.
    Panic,
    /// The function took longer than the limit.
    Hang,
    /// The function said [`Outcome::Broken`].
    Broken,
}

/// An input that misbehaved.
#[derive(Clone, Debug)]
pub struct Finding {
    /// Seed of the input.
    pub seed: u64,
    /// What happened.
    pub misbehaviour: Misbehaviour,
    /// The input.
    pub input: Vec<u8>,
}

/// Result of a run.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// Inputs the function accepted.
    pub accepted: u64,
    /// Inputs it rejected.
    pub rejected: u64,
    /// Inputs that misbehaved, by seed.
    pub findings: Vec<Finding>,
    /// The longest time one input took.
    pub slowest: Duration,
}

/// Hangs after which the run ends early: each costs a thread that cannot be stopped.
const MAX_HANGS: usize = 8;

enum Report {
    Finished { seed: u64, outcome: Result<Outcome, ()>, time: Duration },
    Done,
}

/// What a worker is doing, for the watchdog.
#[derive(Default)]
struct Desk {
    current: Mutex<Option<(u64, Instant)>>,
}

struct Shared {
    settings: Settings,
    corpus: Vec<Vec<u8>>,
    target: Target,
    next: AtomicU64,
}

/// Input for a seed: a file of the corpus, mutated, sometimes with parts of another one (I1).
pub fn input(seed: u64, corpus: &[Vec<u8>]) -> Vec<u8> {
    if corpus.is_empty() {
        return Vec::new();
    }
    let mut random = Random::new(seed ^ 0xC0_FFEE);
    let (text, other) = (random.pick(corpus), random.pick(corpus));
    mutate_pair(seed, text, other)
}

/// The files with the given extensions below a folder, in a fixed order, each at most `most` bytes.
pub fn read_corpus(folder: &Path, extensions: &[&str], most: u64) -> io::Result<Vec<Vec<u8>>> {
    let mut texts = Vec::new();
    for file in crate::tasks::files_below(folder)? {
        let wanted = file.extension().is_some_and(|found| extensions.iter().any(|wanted| found == *wanted));
        if wanted && fs::metadata(&file)?.len() <= most {
            texts.push(fs::read(&file)?);
        }
    }
    Ok(texts)
}

/// Runs the function on all inputs.
pub fn fuzz(settings: &Settings, corpus: Vec<Vec<u8>>, target: Target) -> io::Result<Summary> {
    if let Some(folder) = &settings.store {
        fs::create_dir_all(folder)?;
    }
    silence_workers();
    let shared = Arc::new(Shared { settings: settings.clone(), corpus, target, next: AtomicU64::new(0) });
    let mut summary = supervise(&shared)?;
    summary.findings.sort_by_key(|finding| finding.seed);
    store(settings, &summary)?;
    Ok(summary)
}

/// Name of the threads that call the function under test.
const WORKER: &str = "testkit-fuzz";

/// Panics in workers are findings, not messages; those of other threads are printed as before.
fn silence_workers() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if thread::current().name() != Some(WORKER) {
                before(info);
            }
        }));
    });
}

/// Starts workers, collects their reports, and replaces those that hang.
fn supervise(shared: &Arc<Shared>) -> io::Result<Summary> {
    let (sender, receiver) = mpsc::channel();
    let mut desks = Vec::new();
    for number in 0..shared.settings.threads.max(1) {
        desks.push(start_worker(shared, number, sender.clone())?);
    }
    let mut summary = Summary::default();
    let mut running = desks.len();
    let mut hangs = 0;
    while running > 0 {
        match receiver.recv_timeout(Duration::from_millis(100)) {
            Ok(Report::Finished { seed, outcome, time }) => record(&mut summary, shared, seed, outcome, time),
            Ok(Report::Done) => running -= 1,
            Err(_) => {}
        }
        for desk in &mut desks {
            let Some(seed) = overdue(desk, shared.settings.limit) else { continue };
            summary.findings.push(finding(shared, seed, Misbehaviour::Hang));
            summary.slowest = summary.slowest.max(shared.settings.limit);
            hangs += 1;
            if hangs >= MAX_HANGS {
                return Ok(summary);
            }
            // The thread cannot be stopped; another one takes its place and its desk is forgotten.
            *desk = start_worker(shared, shared.settings.threads + hangs, sender.clone())?;
        }
    }
    Ok(summary)
}

/// The seed a worker has been busy with for too long; the worker is told that nobody waits any more.
fn overdue(desk: &Desk, limit: Duration) -> Option<u64> {
    let mut current = desk.current.lock().unwrap_or_else(PoisonError::into_inner);
    let (seed, start) = (*current)?;
    if start.elapsed() <= limit {
        return None;
    }
    *current = None;
    Some(seed)
}

fn start_worker(shared: &Arc<Shared>, number: usize, sender: mpsc::Sender<Report>) -> io::Result<Arc<Desk>> {
    let desk = Arc::new(Desk::default());
    let (shared, own) = (Arc::clone(shared), Arc::clone(&desk));
    thread::Builder::new()
        .name(WORKER.to_owned())
        .stack_size(shared.settings.stack)
        .spawn(move || work(&shared, number, &own, &sender))
        .map(|_| desk)
}

fn work(shared: &Shared, number: usize, desk: &Desk, sender: &mpsc::Sender<Report>) {
    let in_flight = shared.settings.store.as_ref().map(|folder| folder.join(format!("in-flight-{number}.c")));
    loop {
        let index = shared.next.fetch_add(1, Ordering::Relaxed);
        if index >= shared.settings.count {
            break;
        }
        let seed = shared.settings.first_seed.wrapping_add(index);
        let text = input(seed, &shared.corpus);
        if let Some(file) = &in_flight {
            // Only a help for whoever looks for the cause of an abort: a full disk is no finding.
            let _ = fs::write(file, &text);
        }
        let start = Instant::now();
        *desk.current.lock().unwrap_or_else(PoisonError::into_inner) = Some((seed, start));
        let outcome = panic::catch_unwind(AssertUnwindSafe(|| (shared.target)(&text))).map_err(|_| ());
        let time = start.elapsed();
        let awaited = desk.current.lock().unwrap_or_else(PoisonError::into_inner).take().is_some();
        // Without a desk, the watchdog has reported a hang and started another worker.
        if !awaited || sender.send(Report::Finished { seed, outcome, time }).is_err() {
            return;
        }
    }
    if let Some(file) = &in_flight {
        let _ = fs::remove_file(file);
    }
    // The receiver is gone only if the run has ended early.
    let _ = sender.send(Report::Done);
}

fn record(summary: &mut Summary, shared: &Shared, seed: u64, outcome: Result<Outcome, ()>, time: Duration) {
    summary.slowest = summary.slowest.max(time);
    let misbehaviour = match outcome {
        Ok(Outcome::Accepted) => {
            summary.accepted += 1;
            None
        }
        Ok(Outcome::Rejected) => {
            summary.rejected += 1;
            None
        }
        Ok(Outcome::Broken) => Some(Misbehaviour::Broken),
        Err(()) => Some(Misbehaviour::Panic),
    };
    summary.findings.extend(misbehaviour.map(|misbehaviour| finding(shared, seed, misbehaviour)));
}

fn finding(shared: &Shared, seed: u64, misbehaviour: Misbehaviour) -> Finding {
    Finding { seed, misbehaviour, input: input(seed, &shared.corpus) }
}

fn store(settings: &Settings, summary: &Summary) -> io::Result<()> {
    let Some(folder) = &settings.store else { return Ok(()) };
    for Finding { seed, misbehaviour, input } in &summary.findings {
        let name = format!("{}-{seed}.c", format!("{misbehaviour:?}").to_lowercase());
        fs::write(folder.join(name), input)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(count: u64) -> Settings {
        Settings {
            count,
            first_seed: 0,
            limit: Duration::from_millis(400),
            threads: 2,
            stack: 1 << 20,
            store: None,
        }
    }

    fn corpus() -> Vec<Vec<u8>> {
        vec![b"int main(void) { return 1; }".to_vec(), b"long x; void f(int a) { x = a; }".to_vec()]
    }

    /// Panics on inputs with a length divisible by 7.
    fn panicky(text: &[u8]) -> Outcome {
        assert!(!text.len().is_multiple_of(7), "seven");
        if text.len().is_multiple_of(2) { Outcome::Accepted } else { Outcome::Rejected }
    }

    #[test]
    fn panics_are_found_and_counted() {
        let expected: Vec<u64> =
            (0..300).filter(|&seed| input(seed, &corpus()).len().is_multiple_of(7)).collect();
        let summary = fuzz(&settings(300), corpus(), panicky).unwrap();
        let found: Vec<u64> = summary.findings.iter().map(|finding| finding.seed).collect();
        assert_eq!(found, expected);
        assert!(!found.is_empty() && summary.findings[0].misbehaviour == Misbehaviour::Panic);
        assert_eq!(summary.accepted + summary.rejected + found.len() as u64, 300);
    }

    /// Hangs on inputs without a brace.
    fn sleepy(text: &[u8]) -> Outcome {
        if !text.contains(&b'{') {
            thread::sleep(Duration::from_secs(3));
        }
        Outcome::Accepted
    }

    #[test]
    fn a_hang_does_not_stop_the_run() {
        let hanging = |seed: u64| !input(seed, &corpus()).contains(&b'{');
        let first = (0..10_000).find(|&seed| hanging(seed)).unwrap();
        let mut settings = settings(20);
        settings.first_seed = first;
        let expected: Vec<u64> = (first..first + 20).filter(|&seed| hanging(seed)).collect();
        let summary = fuzz(&settings, corpus(), sleepy).unwrap();
        let found: Vec<u64> = summary.findings.iter().map(|finding| finding.seed).collect();
        assert_eq!(found, expected[..expected.len().min(MAX_HANGS)]);
        assert!(summary.findings.iter().all(|finding| finding.misbehaviour == Misbehaviour::Hang));
    }

    #[test]
    fn misbehaving_inputs_are_stored() {
        let folder = crate::process::TemporaryFolder::new().unwrap();
        let store = folder.path().join("found");
        let settings = Settings { store: Some(store.clone()), ..settings(60) };
        let summary = fuzz(&settings, corpus(), |_| Outcome::Broken).unwrap();
        assert_eq!(summary.findings.len(), 60);
        assert_eq!(fs::read_dir(&store).unwrap().count(), 60);
        assert_eq!(fs::read(store.join("broken-5.c")).unwrap(), input(5, &corpus()));
    }
}
