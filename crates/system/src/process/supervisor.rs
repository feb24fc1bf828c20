//! The process between us and a program that we start: our own binary, under a name that no user needs ([`SUBCOMMAND`]).
//!
//! It sets the limits, starts the program, and outlives it for as long as it takes to end everything that the program has left running. Being
//! the reaper of its descendants, it also gets those that have left the group and the session of the program.
//!
//! # Invariants
//! * I1: when it ends by itself, no descendant of it is left.
//! * I2: it ends as the program did: with the same code, or by the same signal.
//! * I3: if the process that started it ends in any way, the program is killed.
//! * I4: a number is signalled only while it stands for the program or its group: the program is reaped after its group was killed.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::sys::prctl;
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use nix::sys::signal::{Signal, kill, killpg, raise};
use nix::sys::wait::{Id, WaitPidFlag, WaitStatus, waitid, waitpid};
use nix::unistd::{Pid, getppid, setsid};

use super::tree::{children, kill_below, pid};

/// The first word of the command line of a supervisor.
pub const SUBCOMMAND: &str = "__child";
/// How it ends if the program cannot be started.
const NOT_STARTED: i32 = 126;
/// What cannot be killed within this time is left to whoever looks after us.
const PATIENCE: Duration = Duration::from_secs(2);

/// What a supervisor is told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Order {
    /// Who starts it.
    pub(super) parent: u32,
    /// Milliseconds between asking the program to end and killing it.
    pub(super) grace: u64,
    /// Seconds of processor time.
    pub(super) cpu: Option<u64>,
    /// Bytes of addresses.
    pub(super) addresses: Option<u64>,
    /// Bytes of a file that is written.
    pub(super) file: Option<u64>,
    /// Bytes of the stack.
    pub(super) stack: Option<u64>,
}

impl Order {
    /// It as a word of a command line.
    pub(super) fn word(&self) -> String {
        let Self { parent, grace, cpu, addresses, file, stack } = self;
        let limits = [cpu, addresses, file, stack];
        let limits = limits.map(|limit| limit.map_or_else(|| "-".to_owned(), |limit| limit.to_string()));
        format!("{parent},{grace},{}", limits.join(","))
    }

    fn parse(word: &str) -> Option<Self> {
        let mut parts = word.split(',');
        let mut number = || parts.next().map(|part| part.parse::<u64>().ok());
        let order = Self {
            parent: u32::try_from(number()??).ok()?,
            grace: number()??,
            cpu: number()?,
            addresses: number()?,
            file: number()?,
            stack: number()?,
        };
        parts.next().is_none().then_some(order)
    }

    fn limit(&self) {
        lower(Resource::RLIMIT_CORE, Some(0));
        lower(Resource::RLIMIT_CPU, self.cpu);
        lower(Resource::RLIMIT_AS, self.addresses);
        lower(Resource::RLIMIT_FSIZE, self.file);
        if let (Some(stack), Ok((_, most))) = (self.stack, getrlimit(Resource::RLIMIT_STACK)) {
            let _ = setrlimit(Resource::RLIMIT_STACK, stack.min(most), most);
        }
    }
}

/// Lowers a limit for good. One that is lower already stays.
fn lower(resource: Resource, wanted: Option<u64>) {
    let (Some(wanted), Ok((soft, hard))) = (wanted, getrlimit(resource)) else { return };
    // The processor's limit ends a program by a signal first, which it may ignore; a second later nothing helps it.
    let most = if resource == Resource::RLIMIT_CPU { wanted.saturating_add(1) } else { wanted };
    let _ = setrlimit(resource, wanted.min(soft), most.min(hard));
}

/// Runs the program of a command line (an order, a program, its arguments) and returns the code to exit with.
pub fn supervise(mut words: impl Iterator<Item = OsString>) -> i32 {
    let order = words.next().and_then(|word| Order::parse(&word.to_string_lossy()));
    let (Some(order), Some(program)) = (order, words.next()) else { return NOT_STARTED };
    let parent = pid(order.parent);
    // I3. A parent that has ended before this was set does not send the signal.
    let _ = prctl::set_pdeathsig(Signal::SIGTERM);
    let _ = prctl::set_child_subreaper(true);
    let _ = prctl::set_name(c"wayproof-child");
    if getppid() != parent {
        return NOT_STARTED;
    }
    // Away from the terminal, whose signals are for our parent.
    let _ = setsid();
    let running = Running::default();
    let told = running.clone();
    let grace = Duration::from_millis(order.grace);
    let heard = ctrlc::set_handler(move || {
        if grace > Duration::ZERO && getppid() == parent && told.ask_to_end() {
            thread::sleep(grace);
        }
        // The main thread collects what ends, and exits when nothing is left.
        loop {
            kill_below(std::process::id());
            thread::sleep(Duration::from_millis(1));
        }
    });
    if heard.is_err() {
        return NOT_STARTED;
    }
    order.limit();
    let started = Command::new(&program).args(words).process_group(0).spawn();
    let process = match started {
        Ok(child) => child.id(),
        Err(error) => {
            let _ = std::io::Write::write_all(
                &mut std::io::stderr(),
                format!("cannot start `{}`: {error}\n", program.to_string_lossy()).as_bytes(),
            );
            return NOT_STARTED;
        }
    };
    *running.program() = Some(pid(process));
    end_as(follow(pid(process), &running))
}

/// The program, from its start until it is reaped.
#[derive(Clone, Default)]
struct Running(Arc<Mutex<Option<Pid>>>);

impl Running {
    fn program(&self) -> MutexGuard<'_, Option<Pid>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks the program to end; false if it is not running.
    fn ask_to_end(&self) -> bool {
        // It is not reaped while the lock is held (I4).
        self.program().is_some_and(|program| kill(program, Signal::SIGTERM).is_ok())
    }
}

/// Waits for the program, then ends what it has left (I1).
fn follow(program: Pid, running: &Running) -> Option<WaitStatus> {
    wait_without_reaping(program);
    // In one step for those that have stayed where they were, so that they cannot multiply meanwhile.
    let _ = killpg(program, Signal::SIGKILL);
    *running.program() = None;
    let ended = waitpid(program, None).ok();
    let start = Instant::now();
    let mut pause = Duration::from_micros(50);
    loop {
        kill_below(std::process::id());
        loop {
            match waitpid(None, Some(WaitPidFlag::WNOHANG)) {
                Ok(WaitStatus::StillAlive) => break,
                Ok(_) | Err(Errno::EINTR | Errno::EINVAL) => {}
                Err(_) => return ended,
            }
        }
        if start.elapsed() > PATIENCE {
            return ended;
        }
        thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(2));
    }
}

/// Waits until the program has ended. Its number stays taken; what else ends is reaped.
fn wait_without_reaping(program: Pid) {
    let ended = WaitPidFlag::WEXITED | WaitPidFlag::WNOWAIT;
    loop {
        match waitid(Id::All, ended) {
            Ok(status) if status.pid() == Some(program) => return,
            Ok(status) => {
                let _ = waitpid(status.pid(), None);
            }
            Err(Errno::EINTR) => {}
            // Somebody was ended by a signal that has no name, and it is not said who.
            Err(Errno::EINVAL) => {
                let is_running = waitid(Id::Pid(program), ended | WaitPidFlag::WNOHANG);
                if is_running != Ok(WaitStatus::StillAlive) {
                    return;
                }
                let others = children(std::process::id()).into_iter().map(pid);
                for other in others.filter(|other| *other != program) {
                    let _ = waitpid(other, Some(WaitPidFlag::WNOHANG));
                }
            }
            Err(_) => return,
        }
    }
}

/// I2.
fn end_as(ended: Option<WaitStatus>) -> i32 {
    match ended {
        Some(WaitStatus::Exited(_, code)) => code,
        Some(WaitStatus::Signaled(_, signal, _)) => {
            if [Signal::SIGTERM, Signal::SIGINT, Signal::SIGHUP].contains(&signal) {
                // Those are caught here, so the shell's convention has to do.
                return 128 + signal as i32;
            }
            // The first one may meet the handler of the runtime, which looks for overflows of the stack and then removes itself.
            for _ in 0..2 {
                let _ = raise(signal);
            }
            128 + signal as i32
        }
        _ => NOT_STARTED,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_survives_the_command_line() {
        let order = Order { parent: 7, grace: 3000, cpu: Some(5), file: Some(0), ..Order::default() };
        assert_eq!(order.word(), "7,3000,5,-,0,-");
        assert_eq!(Order::parse(&order.word()), Some(order));
        assert_eq!(Order::parse("7,3000,5"), None);
        assert_eq!(Order::parse("7,3000,5,-,0,-,9"), None);
    }
}
