//! Speed of lexing and parsing, in MB/s (10^6 bytes) of processor time (wall-clock time where the system does not tell),
//! mean of 50 runs.
//!
//! ```text
//! cargo bench -p cfront --bench parse -- path/to/large_file.i
//! ```
//! Without a path: `sv-ntdrivers/floppy2.i.cil.c` (0.75 MB) of the tasks in the folder that `WAYPROOF_BENCH` names, or in
//! `../shared/bench` beside the repository.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use base::{FileId, SourceFile, SourceMap};
use cfront::Interner;
use cfront::lex::{Lexer, TokenKind};

fn main() {
    let path = std::env::args()
        .skip(1)
        .find(|argument| !argument.starts_with('-'))
        .map_or_else(default_path, PathBuf::from);
    let text = match std::fs::read(&path) {
        Ok(text) => text,
        Err(error) => {
            eprintln!("skipped: {}: {error}", path.display());
            return;
        }
    };
    let megabytes = text.len() as f64 / 1e6;
    let report = |what: &str, time: Duration| {
        eprintln!(
            "{what:>10} {:8.2} ms {:8.1} MB/s",
            time.as_secs_f64() * 1e3,
            megabytes / time.as_secs_f64()
        );
    };
    report("lex", mean_of(|| lex(&text)));
    report("lex+parse", mean_of(|| parse(&text)));
}

fn default_path() -> PathBuf {
    let bench = std::env::var_os("WAYPROOF_BENCH").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/bench")),
        PathBuf::from,
    );
    bench.join("sv-ntdrivers/floppy2.i.cil.c")
}

fn mean_of(mut run: impl FnMut() -> usize) -> Duration {
    const RUNS: u32 = 50;
    let start = Instant::now();
    let processor = processor_time();
    for _ in 0..RUNS {
        std::hint::black_box(run());
    }
    let used = processor.zip(processor_time()).map(|(before, after)| after.saturating_sub(before));
    used.unwrap_or_else(|| start.elapsed()) / RUNS
}

/// Time that this thread has spent on a processor, so that other work on the machine does not count.
fn processor_time() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
}

/// Number of tokens.
fn lex(text: &[u8]) -> usize {
    let mut interner = Interner::new();
    let mut lexer = Lexer::new(FileId(0), text.into());
    let mut count = 0;
    while let Ok(token) = lexer.next_token(&mut interner) {
        if token.kind == TokenKind::EndOfFile {
            break;
        }
        count += 1;
    }
    count
}

/// Number of expressions.
fn parse(text: &[u8]) -> usize {
    let mut sources = SourceMap::new();
    let file = sources.add(SourceFile::new("bench", text));
    match cfront::parse::parse(file, &mut sources, &mut Interner::new()) {
        Ok(unit) => unit.exprs.len(),
        Err(diagnostic) => {
            eprintln!("does not parse: {}", diagnostic.message);
            0
        }
    }
}
