//! Tokens of the preprocessed text, placed where the user wrote them.
//!
//! The output is cut into groups: all tokens that the line markers attribute to one line of one file. The tokens of
//! that line, and of the following ones if a use of a macro goes on there, are aligned with the group ([`align`]).
//! A plain token gets its own place, a token from a macro that of the whole use, and if no alignment exists, equal
//! tokens in order get their place and others the line.
//!
//! # Invariants
//! * I1: `cursor` of a file is the first token that no group of this visit of the file has taken.
//! * I2: the macros in `macros` are those defined where the current group starts in the output.

use std::path::Path;

use base::{Diagnostic, FileId, SourceFile, SourceMap, Span};
use rustc_hash::FxHashMap;
use system::file;

use super::align::{Balance, Piece, Rest, align};
use crate::lex::{Definition, Interner, Lexer, Name, Notes, Policy, Shape, Token, TokenKind, literal};

/// A token reduced to what makes two tokens equal.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Key {
    Word(Name),
    Punctuator(TokenKind),
    Literal(Vec<u8>),
}

impl Balance for Key {
    fn balance(&self) -> i32 {
        match self {
            Self::Punctuator(TokenKind::LeftParen | TokenKind::LeftBrace | TokenKind::LeftBracket) => 1,
            Self::Punctuator(TokenKind::RightParen | TokenKind::RightBrace | TokenKind::RightBracket) => -1,
            Self::Punctuator(_) | Self::Word(_) | Self::Literal(_) => 0,
        }
    }
}

fn key(token: Token, text: &[u8]) -> Key {
    match token.kind {
        kind if kind.is_word() => Key::Word(Name(token.payload)),
        kind if kind.is_literal() => Key::Literal(literal::spelling(text, token.payload as usize, kind)),
        kind => Key::Punctuator(kind),
    }
}

/// A file that the line markers name.
struct RealFile {
    id: FileId,
    tokens: Vec<Token>,
    /// The line of each token.
    lines: Vec<u32>,
    cursor: usize,
}

/// Lexes a preprocessed text of the map; the tokens' places are in the files from which it came. `input` is the
/// file that was preprocessed.
pub(crate) fn tokens(
    output: FileId,
    input: FileId,
    sources: &mut SourceMap,
    interner: &mut Interner,
) -> Result<(Vec<Token>, Notes), Diagnostic> {
    let text = sources.file(output).text.clone();
    crate::parse::check_bytes(output, &text)?;
    let mut lexer = Lexer::new(output, text.clone()).with_policy(Policy::Note);
    let mut tokens = Vec::new();
    let mut failure = None;
    loop {
        match lexer.next_token(interner) {
            Ok(token) => {
                tokens.push(token);
                if token.kind == TokenKind::EndOfFile {
                    break;
                }
            }
            Err(error) => {
                failure = Some(error);
                break;
            }
        }
    }
    let mut notes = lexer.into_notes();
    notes.record_markers(sources.file_mut(output));
    notes.open_mp = notes.open_mp.map(|span| source_line(span, sources));
    if let Some(failure) = failure {
        return Err(locate(*failure, sources));
    }
    let mut mapper = Mapper::new(input, &text, sources, interner);
    if let Some((end, rest)) = tokens.split_last_mut() {
        mapper.map_all(rest, &notes, output);
        // What is missing at the end is missing in the file that was asked for.
        let length = sources.file(input).text.len() as u32;
        end.span = Span { file: input, lo: length, hi: length };
    }
    Ok((tokens, notes))
}

/// An error in the output, told at the line of the file from which it came.
fn locate(mut failure: Diagnostic, sources: &SourceMap) -> Diagnostic {
    let Some(primary) = &mut failure.primary else { return failure };
    primary.span = source_line(primary.span, sources);
    failure
}

/// The line of the file from which a place of the output came, if that is known.
fn source_line(span: Span, sources: &SourceMap) -> Span {
    let line = sources.file(span.file).line_of(span.lo);
    let Some((name, line)) = sources.file(span.file).presumed(line) else { return span };
    let found = sources.iter().find(|(_, file)| file.name == name);
    found.and_then(|(file, source)| line_span(file, source, line)).unwrap_or(span)
}

/// A line without the blanks around it; `None` if there is no such line or nothing in it.
pub(super) fn line_span(file: FileId, source: &SourceFile, line: u32) -> Option<Span> {
    if line == 0 || line > source.line_count() {
        return None;
    }
    let text = source.line_text(line);
    let length = text.trim_ascii_end().len() as u32;
    let blanks = (text.len() - text.trim_ascii_start().len()) as u32;
    let lo = source.line_start(line);
    (blanks < length).then_some(Span { file, lo: lo + blanks, hi: lo + length })
}

struct Mapper<'a> {
    input: FileId,
    text: &'a [u8],
    sources: &'a mut SourceMap,
    interner: &'a mut Interner,
    macros: FxHashMap<Name, Shape>,
    /// `None`: cannot be read.
    files: FxHashMap<String, Option<RealFile>>,
}

/// Macros that no directive defines.
const DYNAMIC_MACROS: [&str; 8] = [
    "__LINE__",
    "__FILE__",
    "__DATE__",
    "__TIME__",
    "__TIMESTAMP__",
    "__COUNTER__",
    "__BASE_FILE__",
    "__INCLUDE_LEVEL__",
];

impl<'a> Mapper<'a> {
    fn new(input: FileId, text: &'a [u8], sources: &'a mut SourceMap, interner: &'a mut Interner) -> Self {
        let constant = Shape { takes_arguments: false, is_empty: false };
        let mut macros: FxHashMap<Name, Shape> =
            DYNAMIC_MACROS.map(|name| (interner.intern(name), constant)).into_iter().collect();
        macros.insert(interner.intern("_Pragma"), Shape { takes_arguments: true, is_empty: true });
        Self { input, text, sources, interner, macros, files: FxHashMap::default() }
    }

    fn map_all(&mut self, tokens: &mut [Token], notes: &Notes, output: FileId) {
        let lines: Vec<u32> = {
            let source = self.sources.file(output);
            tokens.iter().map(|token| source.line_of(token.span.lo)).collect()
        };
        let marker_lines: Vec<u32> = {
            let source = self.sources.file(output);
            notes.markers.iter().map(|marker| source.line_of(marker.end as u32) + 1).collect()
        };
        // Which marker rules over the current token, how many have been seen, and how many definitions.
        let mut markers_seen = 0;
        let mut definitions_seen = 0;
        let mut start = 0;
        while start < tokens.len() {
            while markers_seen < notes.markers.len() && marker_lines[markers_seen] <= lines[start] {
                let marker = &notes.markers[markers_seen];
                markers_seen += 1;
                if marker.enters
                    && let Some(Some(file)) = self.files.get_mut(&*marker.file)
                {
                    file.cursor = 0;
                }
            }
            while let Some(definition) = notes.definitions.get(definitions_seen)
                && definition.end <= tokens[start].span.lo as usize
            {
                self.define(definition);
                definitions_seen += 1;
            }
            let Some(current) = markers_seen.checked_sub(1) else {
                start += 1;
                continue;
            };
            let presumed =
                |marker: usize, line: u32| notes.markers[marker].line + (line - marker_lines[marker]);
            let line = presumed(current, lines[start]);
            let file = &notes.markers[current].file;
            // The group goes on through markers that only repeat the place (gcc marks text from system headers).
            let mut end = start + 1;
            let mut marker = current;
            while end < tokens.len() {
                while let Some(next) = notes.markers.get(marker + 1)
                    && marker_lines[marker + 1] <= lines[end]
                    && next.file == *file
                    && !next.enters
                {
                    marker += 1;
                }
                let other_file = marker + 1 < notes.markers.len() && marker_lines[marker + 1] <= lines[end];
                if other_file || presumed(marker, lines[end]) != line {
                    break;
                }
                end += 1;
            }
            self.map_group(&mut tokens[start..end], file, line);
            start = end;
        }
    }

    /// Follows a `#define` or `#undef`.
    fn define(&mut self, definition: &Definition) {
        let name = self.interner.intern(&definition.name);
        match definition.shape {
            Some(shape) => self.macros.insert(name, shape),
            None => self.macros.remove(&name),
        };
    }

    /// Maps the tokens that come from one line of a file. What cannot be placed keeps its place in the output.
    fn map_group(&mut self, group: &mut [Token], file: &str, line: u32) {
        if !self.files.contains_key(file) {
            let real = self.load(file);
            self.files.insert(file.to_owned(), real);
        }
        let Some(Some(real)) = self.files.get_mut(file) else { return };
        let source = self.sources.file(real.id);
        let Some(line_span) = line_span(real.id, source, line) else { return };
        let start = real.cursor.max(real.lines.partition_point(|other| *other < line));
        let output: Vec<Key> = group.iter().map(|token| key(*token, self.text)).collect();
        for absorb in [Absorb::Exactly, Absorb::Calls] {
            let pieces = Pieces::of(real, &source.text, start, line, &self.macros, absorb);
            if let Some(owners) = align(&pieces.content, &output, pieces.rest) {
                for (token, owner) in group.iter_mut().zip(&owners) {
                    token.span = pieces.span(real, *owner);
                }
                let taken = owners.last().map_or(start, |owner| pieces.ends[*owner]);
                real.cursor = real.cursor.max(taken);
                return;
            }
        }
        place_in_order(group, &output, real, &source.text, start, line_span);
    }

    fn load(&mut self, name: &str) -> Option<RealFile> {
        let id = if name == &*self.sources.file(self.input).name || name == "<stdin>" {
            self.input
        } else if name.starts_with('<') {
            return None;
        } else {
            // The name may come from a `#line`: anything may stand there.
            let text = file::read_regular(Path::new(name), file::MAX_BYTES).ok()?;
            self.sources.add(SourceFile::new(name, text))
        };
        let source = self.sources.file(id);
        let mut lexer = Lexer::new(id, source.text.clone()).with_policy(Policy::Skip);
        let mut tokens = Vec::new();
        loop {
            match lexer.next_token(self.interner) {
                Ok(token) if token.kind == TokenKind::EndOfFile => break,
                Ok(token) => tokens.push(token),
                // Text under a false `#if` need not be made of tokens.
                Err(_) => lexer.skip_line(),
            }
        }
        let lines = tokens.iter().map(|token| source.line_of(token.span.lo)).collect();
        Some(RealFile { id, tokens, lines, cursor: 0 })
    }
}

/// Which tokens belong to the use of a macro without parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Absorb {
    /// Its name.
    Exactly,
    /// Its name and parentheses after it: it may stand for a macro with parameters.
    Calls,
}

/// What the user wrote in a line, cut into pieces.
struct Pieces {
    content: Vec<Piece<Key>>,
    /// The first token of each piece.
    starts: Vec<usize>,
    /// One past the last token of each piece.
    ends: Vec<usize>,
    /// If a use of a macro goes on in later lines, the rest of its last line may belong to a later group.
    rest: Rest,
}

impl Pieces {
    fn of(
        real: &RealFile,
        text: &[u8],
        start: usize,
        line: u32,
        macros: &FxHashMap<Name, Shape>,
        absorb: Absorb,
    ) -> Self {
        let mut result =
            Self { content: Vec::new(), starts: Vec::new(), ends: Vec::new(), rest: Rest::Forbidden };
        let mut last_line = line;
        let mut at = start;
        while at < real.tokens.len() && real.lines[at] <= last_line {
            let token = real.tokens[at];
            let shape = if token.kind.is_word() { macros.get(&Name(token.payload)).copied() } else { None };
            let call = real.tokens.get(at + 1).is_some_and(|next| next.kind == TokenKind::LeftParen);
            let end = match shape {
                Some(shape) if call && (shape.takes_arguments || absorb == Absorb::Calls) => {
                    closing(&real.tokens, at + 1)
                }
                Some(shape) if !shape.takes_arguments => Some(at + 1),
                Some(_) | None => None,
            };
            let piece = match (end, shape) {
                (Some(_), Some(shape)) if shape.is_empty && absorb == Absorb::Exactly => None,
                (Some(_), _) => Some(Piece::Macro),
                (None, _) => Some(Piece::Plain(key(token, text))),
            };
            let start = at;
            at = end.unwrap_or(at + 1);
            if let Some(piece) = piece {
                result.content.push(piece);
                result.starts.push(start);
                result.ends.push(at);
            }
            let end_line = real.lines[at - 1];
            if end_line > last_line {
                result.rest = Rest::Allowed;
                last_line = end_line;
            }
        }
        result
    }
    fn span(&self, real: &RealFile, piece: usize) -> Span {
        real.tokens[self.starts[piece]].span.to(real.tokens[self.ends[piece] - 1].span)
    }
}

/// One past the parenthesis that closes the one at `open`.
fn closing(tokens: &[Token], open: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        match token.kind {
            TokenKind::LeftParen => depth += 1,
            TokenKind::RightParen => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at + 1);
        }
    }
    None
}

/// How far to look for the next equal token.
const SEARCH: usize = 64;

/// Places equal tokens in order; the others get the line.
fn place_in_order(
    group: &mut [Token],
    output: &[Key],
    real: &RealFile,
    text: &[u8],
    start: usize,
    line: Span,
) {
    let written = &real.tokens[start.min(real.tokens.len())..];
    let written: Vec<(Key, Span)> = written
        .iter()
        .take_while(|token| token.span.lo < line.hi)
        .map(|token| (key(*token, text), token.span))
        .collect();
    let mut next = 0;
    for (token, wanted) in group.iter_mut().zip(output) {
        token.span = line;
        let window = &written[next..written.len().min(next + SEARCH)];
        if let Some(found) = window.iter().position(|(key, _)| key == wanted) {
            token.span = window[found].1;
            next += found + 1;
        }
    }
}
