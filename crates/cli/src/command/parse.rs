//! `wayproof parse`: what a file contains, and how long parsing takes.

use std::fmt::Write;
use std::time::Instant;

use base::{FileId, SourceMap};
use cfront::Interner;
use cfront::ast::TranslationUnit;
use cfront::lex::{Lexer, TokenKind};

use crate::args::ParseArgs;
use crate::console::Console;
use crate::exit::ExitStatus;
use crate::failure::Failure;
use crate::frontend;
use crate::output::Output;
use crate::resolve::Request;

/// Parses the files, preprocessing them if need be, and counts what it found.
pub(crate) fn parse(args: &ParseArgs, console: Console) -> Result<ExitStatus, Failure> {
    let request = Request::new(&args.file, &args.source, None, console)?;
    let mut sources = SourceMap::new();
    let mut interner = Interner::new();
    let mut counts = Counts::default();
    for (number, file) in request.files.iter().enumerate() {
        let options = frontend::preprocessing(&request, &args.source, number);
        let input = frontend::open(file)?;
        let start = Instant::now();
        let loaded = match cfront::load(&input, &options, &mut sources, &mut interner) {
            Ok(loaded) => loaded,
            Err(diagnostic) => return Err(frontend::refuse(diagnostic, sources)),
        };
        counts.seconds += start.elapsed().as_secs_f64();
        counts.preprocessed |= loaded.preprocessed.is_some();
        let parsed = sources.file(loaded.preprocessed.unwrap_or(loaded.file));
        counts.add(&loaded.unit, &parsed.text, &mut interner);
    }
    let time = if args.stats { counts.time() } else { String::new() };
    Output::new().write(&(counts.text() + &time))?;
    Ok(ExitStatus::Success)
}

/// What was found in all files.
#[derive(Default)]
struct Counts {
    bytes: usize,
    tokens: usize,
    functions: usize,
    declarations: usize,
    statements: usize,
    expressions: usize,
    seconds: f64,
    preprocessed: bool,
}

impl Counts {
    fn add(&mut self, unit: &TranslationUnit, text: &[u8], interner: &mut Interner) {
        self.bytes += text.len();
        self.tokens += count_tokens(text, interner);
        self.functions += unit.functions.len();
        self.declarations += unit.declarations.len();
        self.statements += unit.stmts.len();
        self.expressions += unit.exprs.len();
    }

    /// How long it took.
    fn time(&self) -> String {
        let speed = self.bytes as f64 / 1e6 / self.seconds;
        let what = if self.preprocessed { ", preprocessing included" } else { "" };
        format!("{:<13} {:.3} ms, {speed:.1} MB/s{what}\n", "time", self.seconds * 1e3)
    }

    fn text(&self) -> String {
        let mut text = String::new();
        let counts = [
            ("bytes", self.bytes),
            ("tokens", self.tokens),
            ("functions", self.functions),
            ("declarations", self.declarations),
            ("statements", self.statements),
            ("expressions", self.expressions),
        ];
        for (name, count) in counts {
            let _ = writeln!(text, "{name:<13} {count}");
        }
        text
    }
}

/// Number of tokens of a text that was parsed; directives are none.
fn count_tokens(text: &[u8], interner: &mut Interner) -> usize {
    let lines = text.split_inclusive(|byte| *byte == b'\n');
    let without_directives: Vec<u8> =
        lines.filter(|line| !line.starts_with(b"#")).flatten().copied().collect();
    let mut lexer = Lexer::new(FileId(0), without_directives.into());
    let mut tokens = 0;
    while let Ok(token) = lexer.next_token(interner)
        && token.kind != TokenKind::EndOfFile
    {
        tokens += 1;
    }
    tokens
}
