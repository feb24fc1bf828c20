//! Programs that are started with limits, and ended together with everything that they start.
//!
//! A program is run by a supervisor ([`supervisor`]) if [`use_supervisor`] has named one; docs/decisions/030-child-processes.md says how the two work
//! together. Without one (in tests of libraries) a program has a group of its own, and that group is killed.
//!
//! # Invariants
//! * I1: [`run`] comes back shortly after the program has ended or has reached a limit, even if somebody keeps its pipes open.
//! * I2: when it comes back, all that the program has started was killed. What escapes: a program that kills its supervisor *and* us, or all
//!   processes of its user.
//! * I3: signals go to processes that were not waited for yet, so never to a stranger with the same number.
//! * I4: no program gets more time than is left of [`limit_all`].

mod capture;
pub mod supervisor;
mod tree;

use std::io::{self, ErrorKind, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use base::{Budget, Stop};
use nix::sys::prctl;
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::signal::{Signal, kill, killpg};
use nix::sys::wait::{Id, WaitPidFlag, WaitStatus, waitid, waitpid};

use capture::Capture;
pub use capture::Keep;
use supervisor::{Order, SUBCOMMAND};
use tree::{descendants, kill_below, pid, resident};

/// How often limits are looked at.
const INTERVAL: Duration = Duration::from_millis(20);
/// How long a supervisor may take to end what is below it.
const PATIENCE: Duration = Duration::from_millis(2500);
/// How long the rest of an output may take after everybody has ended who should have written it.
const LAST_OUTPUT: Duration = Duration::from_millis(500);
/// The same where all of the output is needed: a part of it must not be taken for the whole, however busy the machine is.
const WHOLE_OUTPUT: Duration = Duration::from_secs(30);
/// More processes than this below one program are taken for a program that only multiplies.
const MAX_PROCESSES: usize = 400;

/// What a program may use.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Time by the clock; the processor's time follows from it.
    pub time: Duration,
    /// Bytes of memory that the program and all that it starts may have together.
    pub memory: Option<u64>,
    /// Bytes of addresses of each process.
    pub addresses: Option<u64>,
    /// Bytes of each file that is written.
    pub file: Option<u64>,
    /// Bytes of the stack, if the system allows as much.
    pub stack: Option<u64>,
    /// How long the program may take to end when it is asked to; nobody asks if this is zero.
    pub grace: Duration,
}

impl Limits {
    /// A limit of time and none else.
    pub fn time(time: Duration) -> Self {
        Self { time, memory: None, addresses: None, file: None, stack: None, grace: Duration::ZERO }
    }
}

/// Who has ended a program before its own end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Halt {
    /// Its time was over.
    Time,
    /// The time of all was over, or the user wants an end.
    All(Stop),
    /// It had too much memory.
    Memory,
    /// It had started too many processes.
    Processes,
    /// It has written too much.
    Output,
}

/// How a program has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// With a code.
    Code(i32),
    /// By a signal.
    Signal(i32),
    /// We have ended it.
    Halted(Halt),
}

/// A program that has ended.
#[derive(Clone, Debug)]
pub struct Finished {
    /// How.
    pub end: End,
    /// How the system says it. If the program was ended by us, how it reacted.
    pub status: ExitStatus,
    /// What was kept of its standard output.
    pub output: Vec<u8>,
    /// What was kept of its standard error.
    pub errors: Vec<u8>,
}

static SUPERVISOR: OnceLock<PathBuf> = OnceLock::new();
static ALL: Mutex<Option<Budget>> = Mutex::new(None);
static MEMORY: OnceLock<u64> = OnceLock::new();
static RUNNING: Mutex<Vec<u32>> = Mutex::new(Vec::new());

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// From now on programs are run under this binary, whose `main` hands the words after [`SUBCOMMAND`] to [`supervisor::supervise`].
pub fn use_supervisor(binary: PathBuf) {
    // Whoever is left without a supervisor comes to us, and is killed by us.
    let _ = prctl::set_child_subreaper(true);
    let _ = SUPERVISOR.set(binary);
}

/// From now on programs are ended when this budget is (I4).
pub fn limit_all(budget: Budget) {
    *lock(&ALL) = Some(budget);
}

/// From now on all programs and this one together should have no more bytes of memory than this.
pub fn limit_memory(bytes: u64) {
    let _ = MEMORY.set(bytes);
}

/// How much of a limit is left for a program.
fn memory_left(limit: Option<u64>) -> Option<u64> {
    // Not all of it: whoever watches over all of us would be as quick to see it as we are.
    let left = MEMORY.get().map(|all| all.saturating_sub(resident(std::process::id())) / 4 * 3);
    left.into_iter().chain(limit).min()
}

/// Whether all are to end.
pub fn stopped() -> Option<Stop> {
    lock(&ALL).as_ref().and_then(|budget| budget.poll().err())
}

/// Ends all that runs, for a process that is about to exit.
pub fn end_all() {
    let running = lock(&RUNNING).clone();
    for process in &running {
        let _ = kill(pid(*process), Signal::SIGTERM);
        kill_below(*process);
    }
    let start = Instant::now();
    while start.elapsed() < LAST_OUTPUT && running.iter().any(|process| !has_ended(*process)) {
        thread::sleep(Duration::from_millis(1));
    }
    lock(&RUNNING).iter().for_each(|process| {
        kill_below(*process);
        let _ = kill(pid(*process), Signal::SIGKILL);
    });
    sweep();
}

/// The most memory that any program has had that was run so far, in bytes.
pub fn largest_child() -> u64 {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN);
    usage.map_or(0, |usage| u64::try_from(usage.max_rss()).unwrap_or(0) << 10)
}

/// Whether a child of ours has ended. It stays to be waited for.
fn has_ended(process: u32) -> bool {
    let flags = WaitPidFlag::WEXITED | WaitPidFlag::WNOWAIT | WaitPidFlag::WNOHANG;
    !matches!(waitid(Id::Pid(pid(process)), flags), Ok(WaitStatus::StillAlive))
}

/// Kills those that came to us because their supervisor was killed.
fn sweep() {
    if SUPERVISOR.get().is_none() {
        return;
    }
    for _ in 0..100 {
        // Held, so that nobody is started in between.
        let running = lock(&RUNNING);
        let ours: Vec<u32> = running.iter().flat_map(|process| descendants(*process)).collect();
        let all = descendants(std::process::id());
        let strangers =
            all.into_iter().filter(|process| !running.contains(process) && !ours.contains(process));
        let strangers: Vec<u32> = strangers.collect();
        if strangers.is_empty() {
            return;
        }
        for process in strangers {
            let _ = kill(pid(process), Signal::SIGKILL);
            let _ = waitpid(pid(process), Some(WaitPidFlag::WNOHANG));
        }
        drop(running);
        thread::sleep(Duration::from_millis(1));
    }
}

/// The file that a command would start; an error if there is none.
fn find(program: &Path) -> io::Result<()> {
    let is_named = program.as_os_str().to_string_lossy().contains('/');
    let path = std::env::var_os("PATH").unwrap_or_else(|| "/bin:/usr/bin".into());
    let found = if is_named {
        program.is_file()
    } else {
        std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
    };
    if found { Ok(()) } else { Err(ErrorKind::NotFound.into()) }
}

/// The command that starts a program with limits.
fn supervised(command: &Command, limits: &Limits, time: Duration, binary: &Path) -> io::Result<Command> {
    find(Path::new(command.get_program()))?;
    let order = Order {
        parent: std::process::id(),
        grace: limits.grace.as_millis() as u64,
        cpu: Some(time.as_secs().saturating_add(2)),
        addresses: limits.addresses,
        file: limits.file,
        stack: limits.stack,
    };
    let mut wrapped = Command::new(binary);
    wrapped
        .arg0("wayproof")
        .arg(SUBCOMMAND)
        .arg(order.word())
        .arg(command.get_program())
        .args(command.get_args());
    surround(&mut wrapped, command);
    Ok(wrapped)
}

/// The command that starts a program in a group of its own.
fn plain(command: &Command) -> Command {
    let mut plain = Command::new(command.get_program());
    plain.args(command.get_args()).process_group(0);
    surround(&mut plain, command);
    plain
}

/// Gives a command the environment and the folder of another one.
fn surround(target: &mut Command, command: &Command) {
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => target.env(name, value),
            None => target.env_remove(name),
        };
    }
    if let Some(folder) = command.get_current_dir() {
        target.current_dir(folder);
    }
}

/// A process that was started and is ended when this goes.
struct Started {
    child: Child,
    is_supervised: bool,
    is_over: bool,
}

impl Started {
    fn new(command: &Command, limits: &Limits, time: Duration, stdin: Stdio) -> io::Result<Self> {
        let binary = SUPERVISOR.get();
        let wrapped = binary.map(|binary| supervised(command, limits, time, binary));
        let mut wrapped = wrapped.unwrap_or_else(|| Ok(plain(command)))?;
        wrapped.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut running = lock(&RUNNING);
        let child = wrapped.spawn()?;
        running.push(child.id());
        Ok(Self { child, is_supervised: binary.is_some(), is_over: false })
    }

    /// Ends the program and all that it has started, and waits for that.
    fn end(&mut self, halt: Halt, grace: Duration) {
        let process = self.child.id();
        if !self.is_supervised {
            let _ = killpg(pid(process), Signal::SIGKILL);
            return;
        }
        if matches!(halt, Halt::Memory | Halt::Processes) {
            // It may double its memory while it tidies up.
            kill_below(process);
        }
        let _ = kill(pid(process), Signal::SIGTERM);
        let start = Instant::now();
        let mut pause = Duration::from_micros(200);
        while !has_ended(process) {
            if start.elapsed() > grace + PATIENCE {
                // It was stopped, or it cannot get rid of what is below it.
                kill_below(process);
                let _ = kill(pid(process), Signal::SIGKILL);
                return;
            }
            thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(10));
        }
    }

    /// Waits for the process, and kills what it has left.
    fn wait(&mut self) -> io::Result<ExitStatus> {
        let process = self.child.id();
        if !self.is_supervised {
            // The leader was not waited for, so the group is still his.
            let _ = killpg(pid(process), Signal::SIGKILL);
        }
        // I3: the number goes before the process does.
        lock(&RUNNING).retain(|running| *running != process);
        self.is_over = true;
        let status = self.child.wait()?;
        if status.signal().is_some() {
            sweep();
        }
        Ok(status)
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        if !self.is_over {
            self.end(Halt::Processes, Duration::ZERO);
            let _ = self.wait();
        }
    }
}

/// What the loop of [`run`] is told by its threads.
enum Event {
    /// The process has ended and waits to be waited for.
    Ended,
    /// An output has come to its end.
    Closed,
    /// An output is larger than allowed.
    Overflow,
}

/// Runs a program to its end or to a limit. `halt` may end it for further reasons.
pub fn run(
    command: &Command,
    input: Option<&[u8]>,
    keep: [Keep; 2],
    limits: &Limits,
    halt: &dyn Fn() -> Option<Halt>,
) -> io::Result<Finished> {
    let left = lock(&ALL).as_ref().and_then(Budget::deadline);
    let left = left.map_or(Duration::MAX, |end| end.saturating_duration_since(Instant::now()));
    if let Some(stop) = stopped() {
        return Err(io::Error::new(ErrorKind::TimedOut, stop));
    }
    let stdin = if input.is_some() { Stdio::piped() } else { Stdio::null() };
    let mut started = Started::new(command, limits, limits.time.min(left), stdin)?;
    let (sender, events) = channel();
    let process = started.child.id();
    let [keep_output, errors] = keep;
    let output = capture(started.child.stdout.take(), keep_output, &sender);
    let errors = capture(started.child.stderr.take(), errors, &sender);
    let stdin = started.child.stdin.take();
    let text = input.map(<[u8]>::to_vec);
    thread::spawn(move || {
        // The program may stop reading early: its own message says why.
        let _ = stdin.zip(text).map(|(mut stdin, text)| stdin.write_all(&text));
    });
    thread::spawn(move || {
        let flags = WaitPidFlag::WEXITED | WaitPidFlag::WNOWAIT;
        // Whatever fails here: the process is not there any more.
        while waitid(Id::Pid(pid(process)), flags) == Err(nix::errno::Errno::EINTR) {}
        let _ = sender.send(Event::Ended);
    });
    let halted = watch(&mut started, limits, &events, halt);
    let status = started.wait()?;
    let is_whole = matches!(keep_output, Keep::Whole(_)) && halted.is_none();
    drain(&events, if is_whole { WHOLE_OUTPUT } else { LAST_OUTPUT });
    if is_whole && !output.is_complete() {
        return Err(io::Error::new(ErrorKind::TimedOut, "its output could not be read to the end"));
    }
    let end = match (halted, status.code()) {
        (Some(halt), _) => End::Halted(halt),
        (None, Some(code)) => End::Code(code),
        (None, None) => End::Signal(status.signal().unwrap_or(0)),
    };
    Ok(Finished { end, status, output: output.take(), errors: errors.take() })
}

fn capture<R: io::Read + Send + 'static>(
    stream: Option<R>,
    keep: Keep,
    sender: &Sender<Event>,
) -> Arc<Capture> {
    let capture = Arc::new(Capture::default());
    let (filled, sender) = (capture.clone(), sender.clone());
    thread::spawn(move || {
        if let Some(stream) = stream {
            filled.fill(stream, keep, || drop(sender.send(Event::Overflow)));
        }
        let _ = sender.send(Event::Closed);
    });
    capture
}

/// Waits for the end of the process, or brings it about.
fn watch(
    started: &mut Started,
    limits: &Limits,
    events: &Receiver<Event>,
    halt: &dyn Fn() -> Option<Halt>,
) -> Option<Halt> {
    let start = Instant::now();
    let process = started.child.id();
    let memory = memory_left(limits.memory);
    loop {
        let halt = match events.recv_timeout(INTERVAL) {
            Ok(Event::Ended) | Err(RecvTimeoutError::Disconnected) => return None,
            Ok(Event::Closed) => continue,
            Ok(Event::Overflow) => Some(Halt::Output),
            Err(RecvTimeoutError::Timeout) => {
                let stop = stopped().map(Halt::All).or_else(halt);
                let late = (start.elapsed() > limits.time).then_some(Halt::Time);
                stop.or(late).or_else(|| crowd(process, memory))
            }
        };
        if let Some(halt) = halt {
            started.end(halt, limits.grace);
            return Some(halt);
        }
    }
}

/// Whether those below a process are too many or too large.
fn crowd(process: u32, memory: Option<u64>) -> Option<Halt> {
    let all = descendants(process);
    if all.len() > MAX_PROCESSES {
        return Some(Halt::Processes);
    }
    let used: u64 = all.iter().map(|process| resident(*process)).sum();
    memory.is_some_and(|limit| used > limit).then_some(Halt::Memory)
}

/// I1: waits for the rest of the outputs, but not for long.
fn drain(events: &Receiver<Event>, most: Duration) {
    let end = Instant::now() + most;
    loop {
        match events.recv_timeout(end.saturating_duration_since(Instant::now())) {
            Ok(_) => {}
            Err(RecvTimeoutError::Disconnected | RecvTimeoutError::Timeout) => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, limits: &Limits) -> Finished {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        run(&command, Some(b"abc"), [Keep::Whole(1 << 20), Keep::Ends(8)], limits, &|| None).unwrap()
    }

    #[test]
    fn a_program_is_run_with_its_streams() {
        let finished =
            shell("cat; echo 0123456789012345678 >&2; exit 3", &Limits::time(Duration::from_secs(60)));
        assert_eq!(finished.end, End::Code(3));
        assert_eq!(finished.output, b"abc");
        assert_eq!(finished.errors, b"012345672345678\n");
    }

    #[test]
    fn a_program_that_hangs_is_ended_even_if_its_output_is_held_open() {
        let start = Instant::now();
        let finished = shell("sleep 60 & sleep 60", &Limits::time(Duration::from_millis(50)));
        assert_eq!(finished.end, End::Halted(Halt::Time));
        assert!(start.elapsed() < Duration::from_secs(30));
    }

    #[test]
    fn an_output_without_end_is_cut() {
        let finished = shell("yes", &Limits::time(Duration::from_secs(60)));
        assert_eq!(finished.end, End::Halted(Halt::Output));
    }

    #[test]
    fn a_program_that_is_not_there_is_not_found() {
        let limits = Limits::time(Duration::from_secs(1));
        let command = Command::new("/no/such/program");
        let error = run(&command, None, [Keep::Ends(1), Keep::Ends(1)], &limits, &|| None).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotFound);
        assert_eq!(find(Path::new("no-such-program-here")).unwrap_err().kind(), ErrorKind::NotFound);
        assert!(find(Path::new("sh")).is_ok());
    }
}
