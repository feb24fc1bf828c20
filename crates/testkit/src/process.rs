//! Runs external programs with a time limit, in private folders.
//!
//! # Invariants
//! * I1: a program that exceeds its limit is killed together with the processes it started.
//! * I2: at most [`OUTPUT_LIMIT`] bytes of each stream are kept, so a runaway program costs no memory.

use std::fs;
use std::io::{self, Read};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// Bytes kept of an output stream.
pub const OUTPUT_LIMIT: u64 = 1 << 20;

/// What a program did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Execution {
    /// What it printed.
    pub stdout: String,
    /// What it printed to the error stream.
    pub stderr: String,
    /// How it ended.
    pub end: End,
}

/// How a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// By itself, with this code.
    Code(i32),
    /// By a signal.
    Signal,
    /// It was killed because its time was up.
    Timeout,
}

impl Execution {
    /// It ended by itself with code 0.
    pub fn succeeded(&self) -> bool {
        self.end == End::Code(0)
    }
}

/// Runs the command with a time limit and collects its output.
pub fn run(command: &mut Command, limit: Duration) -> io::Result<Execution> {
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()?;
    let (stdout, stderr) = (reader(child.stdout.take()), reader(child.stderr.take()));
    let start = Instant::now();
    let mut pause = Duration::from_micros(200);
    let end = loop {
        if let Some(status) = child.try_wait()? {
            break status.code().map_or(End::Signal, End::Code);
        }
        if start.elapsed() > limit {
            // The compiler driver starts processes of its own, so the whole group has to go (I1).
            let group = format!("-{}", child.id());
            let killed = Command::new("kill").args(["-9", "--", &group]).stderr(Stdio::null()).status();
            if !killed.is_ok_and(|status| status.success()) {
                child.kill()?;
            }
            child.wait()?;
            break End::Timeout;
        }
        thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(5));
    };
    let text = |reader: thread::JoinHandle<Vec<u8>>| {
        String::from_utf8_lossy(&reader.join().unwrap_or_default()).into_owned()
    };
    Ok(Execution { stdout: text(stdout), stderr: text(stderr), end })
}

/// Reads a stream to its end and keeps the beginning (I2).
fn reader(stream: Option<impl Read + Send + 'static>) -> thread::JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut kept = Vec::new();
        if let Some(mut stream) = stream {
            // A stream that breaks has ended: what was read so far is the output.
            let _ = stream.by_ref().take(OUTPUT_LIMIT).read_to_end(&mut kept);
            let _ = io::copy(&mut stream, &mut io::sink());
        }
        kept
    })
}

/// A folder of its own below the system's temporary folder, removed at the end.
#[derive(Debug)]
pub struct TemporaryFolder {
    path: PathBuf,
}

impl TemporaryFolder {
    /// Creates the folder.
    pub fn new() -> io::Result<TemporaryFolder> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        loop {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let name = format!("wayproof-testkit-{}-{number}", std::process::id());
            let path = std::env::temp_dir().join(name);
            match fs::create_dir(&path) {
                Ok(()) => return Ok(TemporaryFolder { path }),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes a file into the folder.
    pub fn write(&self, name: &str, contents: impl AsRef<[u8]>) -> io::Result<PathBuf> {
        let path = self.path.join(name);
        fs::write(&path, contents)?;
        Ok(path)
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        // A folder left behind in the temporary folder is no reason to fail.
        let _ = fs::remove_dir_all(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_and_code_are_collected() {
        let result =
            run(Command::new("sh").args(["-c", "echo out; echo err >&2; exit 7"]), Duration::from_secs(10));
        let expected =
            Execution { stdout: "out\n".to_owned(), stderr: "err\n".to_owned(), end: End::Code(7) };
        assert_eq!(result.unwrap(), expected);
    }

    #[test]
    fn time_limit_ends_the_program_and_its_children() {
        let start = Instant::now();
        let result = run(Command::new("sh").args(["-c", "sleep 30; echo late"]), Duration::from_millis(50));
        assert_eq!(result.unwrap().end, End::Timeout);
        assert!(start.elapsed() < Duration::from_secs(10));
    }

    #[test]
    fn temporary_folder_is_removed() {
        let folder = TemporaryFolder::new().unwrap();
        folder.write("file", "text").unwrap();
        let path = folder.path().to_owned();
        drop(folder);
        assert!(!path.exists());
    }
}
