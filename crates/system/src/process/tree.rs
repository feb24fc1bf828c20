//! The descendants of a process, read from `/proc`. Where there is no `/proc`, none are found.

use std::fs;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

/// The processes that a process has started, or that were given to it when their own parent ended.
pub(super) fn children(process: u32) -> Vec<u32> {
    let Ok(threads) = fs::read_dir(format!("/proc/{process}/task")) else { return Vec::new() };
    let mut found = Vec::new();
    for thread in threads.flatten() {
        let Ok(text) = fs::read_to_string(thread.path().join("children")) else { continue };
        found.extend(text.split_whitespace().filter_map(|word| word.parse::<u32>().ok()));
    }
    found
}

/// All processes below a process.
pub(super) fn descendants(process: u32) -> Vec<u32> {
    let mut found = children(process);
    let mut next = 0;
    while next < found.len() {
        let below = children(found[next]);
        // A process that moves while we look must not make this endless.
        found.extend(below.into_iter().filter(|process| !found.contains(process)).collect::<Vec<_>>());
        next += 1;
    }
    found
}

/// Bytes of memory of a process. What it shares with others counts for each of them.
pub(super) fn resident(process: u32) -> u64 {
    let text = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let size = text.lines().find_map(|line| line.strip_prefix("VmRSS:")?.trim().strip_suffix(" kB"));
    size.and_then(|size| size.parse::<u64>().ok()).unwrap_or(0) << 10
}

/// Kills all processes below a process, but not itself.
pub(super) fn kill_below(process: u32) {
    for below in descendants(process) {
        // It may have ended by now.
        let _ = kill(pid(below), Signal::SIGKILL);
    }
}

/// A number of the standard library as the system's calls want it.
pub(super) fn pid(process: u32) -> Pid {
    Pid::from_raw(process.cast_signed())
}
