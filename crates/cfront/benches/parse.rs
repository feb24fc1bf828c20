//! Speed of lexing and parsing, in MB/s (10^6 bytes), best of 20 runs.
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
    let report = |what: &str, best: Duration| {
        eprintln!(
            "{what:>10} {:8.2} ms {:8.1} MB/s",
            best.as_secs_f64() * 1e3,
            megabytes / best.as_secs_f64()
        );
    };
    report("lex", best_of(|| lex(&text)));
    report("lex+parse", best_of(|| parse(&text)));
}

fn default_path() -> PathBuf {
    let bench = std::env::var_os("WAYPROOF_BENCH").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/bench")),
        PathBuf::from,
    );
    bench.join("sv-ntdrivers/floppy2.i.cil.c")
}

fn best_of(mut run: impl FnMut() -> usize) -> Duration {
    (0..20)
        .map(|_| {
            let start = Instant::now();
            std::hint::black_box(run());
            start.elapsed()
        })
        .min()
        .unwrap_or_default()
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
