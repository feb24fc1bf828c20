//! Messages on standard error, drawn as rustc draws them.
//!
//! # Invariants
//! * I1: a message is at most a screen: long lines are cut, long stretches are folded, many messages are counted.
//! * I2: any bytes may occur in a source text; what is printed is UTF-8 without control characters.

use std::fmt::Write as _;
use std::io::{IsTerminal, Write};
use std::ops::Range;

use annotate_snippets::{Annotation, AnnotationKind, Element, Group, Level, Origin, Renderer, Snippet};
use base::{Diagnostic, Label, Severity, SourceFile, SourceMap, Span};
use report::{Color, printable};

use crate::args::ColorChoice;

/// At most this many messages are printed in full.
const MAX_MESSAGES: usize = 12;
/// A line with more bytes than this before the marked place is not drawn.
const MAX_LINE: usize = 4096;
/// A place that covers more lines than this is cut to its first line.
const MAX_LINES: u32 = 6;
/// Bytes shown on each side of a place in a line that is too long to draw.
const EXCERPT: usize = 40;

/// How to draw on the two output streams.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Console {
    /// Whether standard error takes colours.
    color: Color,
    /// Whether standard output takes colours.
    pub(crate) color_stdout: Color,
}

impl Console {
    /// Follows the user's choice, NO_COLOR and the kind of the streams.
    pub(crate) fn new(choice: ColorChoice) -> Self {
        let wanted = |is_terminal: bool| match choice {
            ColorChoice::Always => Color::Ansi,
            ColorChoice::Auto if is_terminal && environment_allows_color() => Color::Ansi,
            ColorChoice::Never | ColorChoice::Auto => Color::Plain,
        };
        Self {
            color: wanted(std::io::stderr().is_terminal()),
            color_stdout: wanted(std::io::stdout().is_terminal()),
        }
    }

    /// Prints messages. Errors of writing are ignored: there is no other channel.
    pub(crate) fn print(self, diagnostics: &[Diagnostic], sources: &SourceMap) {
        let renderer = match self.color {
            Color::Ansi => Renderer::styled(),
            Color::Plain => Renderer::plain(),
        };
        let mut text = String::new();
        for diagnostic in diagnostics.iter().take(MAX_MESSAGES) {
            text += &render(&renderer, diagnostic, sources);
            text += "\n\n";
        }
        if diagnostics.len() > MAX_MESSAGES {
            let _ = writeln!(text, "{} more messages are not shown", diagnostics.len() - MAX_MESSAGES);
        }
        let _ = std::io::stderr().lock().write_all(text.trim_end_matches('\n').as_bytes());
        let _ = std::io::stderr().lock().write_all(b"\n");
    }

    /// Prints one warning about no place.
    pub(crate) fn warn(self, message: impl Into<String>) {
        let diagnostic = Diagnostic { severity: Severity::Warning, ..Diagnostic::global(message) };
        self.print(&[diagnostic], &SourceMap::new());
    }
}

/// Prints one line as it is on standard error. Errors of writing are ignored: there is no other channel.
pub(crate) fn note(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

/// The convention of no-color.org, and terminals that cannot.
fn environment_allows_color() -> bool {
    std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
        && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// One message as text, without a line break at its end.
fn render(renderer: &Renderer, diagnostic: &Diagnostic, sources: &SourceMap) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let mut group = Group::with_title(level.primary_title(printable(&diagnostic.message)));
    let places = diagnostic.primary.iter().map(|label| (label, AnnotationKind::Primary));
    let places = places.chain(diagnostic.secondary.iter().map(|label| (label, AnnotationKind::Context)));
    let mut drawn: Vec<Place<'_>> = Vec::new();
    for (label, kind) in places {
        let Some(file) = sources.get(label.span.file) else { continue };
        // Places of one file share a snippet if they are near each other.
        match drawn.iter_mut().find(|place| place.accepts(label.span)) {
            Some(place) => place.labels.push((label, kind)),
            None => drawn.push(Place { file, labels: vec![(label, kind)] }),
        }
    }
    for place in &drawn {
        group = group.elements(place.elements());
    }
    if let Some(help) = &diagnostic.help {
        group = group.element(Level::HELP.message(printable(help)));
    }
    renderer.render(&[group])
}

/// Labels that are drawn in one snippet.
struct Place<'a> {
    file: &'a SourceFile,
    labels: Vec<(&'a Label, AnnotationKind)>,
}

impl<'a> Place<'a> {
    /// Whether a span is close enough to be drawn here.
    fn accepts(&self, span: Span) -> bool {
        self.labels.iter().all(|(label, _)| {
            label.span.file == span.file
                && self.file.line_of(label.span.lo).abs_diff(self.file.line_of(span.lo)) <= 4 * MAX_LINES
        })
    }

    fn elements(&self) -> Vec<Element<'a>> {
        let first = self.labels.iter().map(|(label, _)| self.file.line_of(label.span.lo)).min().unwrap_or(1);
        let ranges: Vec<Range<usize>> = self.labels.iter().map(|(label, _)| self.range(label.span)).collect();
        let last = ranges.iter().map(|range| self.file.line_of(range.end as u32)).max().unwrap_or(first);
        let drawable = (first..=last).all(|line| self.file.line_text(line).len() <= MAX_LINE);
        if !drawable {
            return self.excerpts();
        }
        let start = self.file.line_start(first) as usize;
        let mut text = LossyText::default();
        for line in first..=last {
            text.push(self.file.line_text(line));
        }
        let annotations = self.labels.iter().zip(ranges).map(|((label, kind), range)| {
            let shift = |at: usize| text.position(self.file, first, start, at);
            let annotation: Annotation<'a> = kind.span(shift(range.start)..shift(range.end));
            if label.text.is_empty() { annotation } else { annotation.label(printable(&label.text)) }
        });
        let annotations: Vec<_> = annotations.collect();
        let snippet = Snippet::source(text.text)
            .path(printable(&self.file.name).into_owned())
            .line_start(first as usize)
            .annotations(annotations);
        vec![snippet.into()]
    }

    /// The bytes to mark, on at most [`MAX_LINES`] lines.
    fn range(&self, span: Span) -> Range<usize> {
        let length = self.file.text.len() as u32;
        let lo = span.lo.min(length);
        let mut hi = span.hi.clamp(lo, length);
        let line = self.file.line_of(lo);
        if self.file.line_of(hi).saturating_sub(line) > MAX_LINES {
            hi = self.file.line_start(line) + self.file.line_text(line).len() as u32;
        }
        lo as usize..hi.max(lo) as usize
    }

    /// The places as positions with a few words around them.
    fn excerpts(&self) -> Vec<Element<'a>> {
        let mut elements: Vec<Element<'a>> = Vec::new();
        for (label, _) in &self.labels {
            let at = (label.span.lo as usize).min(self.file.text.len());
            let (line, column) = self.file.line_column(at as u32);
            let origin = Origin::path(printable(&self.file.name).into_owned());
            elements.push(origin.line(line as usize).char_column(column as usize).into());
            let line_start = self.file.line_start(line) as usize;
            let line_end = line_start + self.file.line_text(line).len();
            let from = at.saturating_sub(EXCERPT).max(line_start);
            let to = (at + EXCERPT).min(line_end).max(at);
            let excerpt = String::from_utf8_lossy(&self.file.text[from..to]).into_owned();
            let mut note = format!("in the long line `...{}...`", printable(&excerpt));
            if !label.text.is_empty() {
                note = format!("{}: {note}", printable(&label.text));
            }
            elements.push(Level::NOTE.message(note).into());
        }
        elements
    }
}

/// Lines decoded for drawing, with the means to find a byte of the file again.
#[derive(Default)]
struct LossyText {
    text: String,
    /// Start of each line in `text`.
    starts: Vec<usize>,
}

impl LossyText {
    fn push(&mut self, line: &[u8]) {
        self.starts.push(self.text.len());
        self.text += &String::from_utf8_lossy(line);
        self.text.push('\n');
    }
    /// Where byte `at` of the file is drawn. `first` is the first line, `start` its first byte.
    fn position(&self, file: &SourceFile, first: u32, start: usize, at: usize) -> usize {
        let line = file.line_of(at.max(start) as u32);
        let Some(drawn_start) = self.starts.get((line - first) as usize) else { return self.text.len() };
        let text = file.line_text(line);
        let within = at.saturating_sub(file.line_start(line) as usize).min(text.len());
        let mut position = drawn_start + String::from_utf8_lossy(&text[..within]).len();
        // A byte in the middle of a character is decoded differently alone: move back to a character's start.
        position = position.min(self.text.len());
        while !self.text.is_char_boundary(position) {
            position -= 1;
        }
        position
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn check(text: &[u8], spans: &[(u32, u32, &str)], expected: &Expect) {
        let mut sources = SourceMap::new();
        let file = sources.add(SourceFile::new("a.c", text));
        let span = |(lo, hi, _): &(u32, u32, &str)| Span { file, lo: *lo, hi: *hi };
        let mut diagnostic =
            Diagnostic::error("it is wrong", span(&spans[0])).with_label(spans[0].2).with_help("mend it");
        for other in &spans[1..] {
            diagnostic = diagnostic.with_secondary(span(other), other.2);
        }
        expected.assert_eq(&(render(&Renderer::plain(), &diagnostic, &sources) + "\n"));
    }

    #[test]
    fn a_place_is_drawn_under_its_line() {
        check(
            b"int x;\nint main() {\n\treturn y;\n}\n",
            &[(28, 29, "not declared"), (4, 5, "did you mean this?")],
            &expect![[r#"
                error: it is wrong
                 --> a.c:3:9
                  |
                1 | int x;
                  |     - did you mean this?
                2 | int main() {
                3 |     return y;
                  |            ^ not declared
                  |
                  = help: mend it
            "#]],
        );
    }

    #[test]
    fn bytes_that_are_no_text_are_drawn_too() {
        check(
            b"int \xff\xfe\0 x\xc3\xa9 = y;\r\n",
            &[(14, 15, "here")],
            &expect![[r#"
                error: it is wrong
                 --> a.c:1:14
                  |
                1 | int ��␀ xé = y;
                  |              ^ here
                  |
                  = help: mend it
            "#]],
        );
    }

    #[test]
    fn the_end_of_the_text_is_a_place() {
        check(
            b"/* never closed\n\n",
            &[(17, 17, "")],
            &expect![[r#"
                error: it is wrong
                 --> a.c:3:1
                  |
                3 |
                  | ^
                  |
                  = help: mend it
            "#]],
        );
        check(
            b"",
            &[(0, 0, "")],
            &expect![[r#"
                error: it is wrong
                 --> a.c:1:1
                  |
                1 |
                  | ^
                  |
                  = help: mend it
            "#]],
        );
    }

    #[test]
    fn very_long_lines_are_cut() {
        let mut text = vec![b' '; 1_000_000];
        text[500_000] = b'@';
        check(
            &text,
            &[(500_000, 500_001, "stray")],
            &expect![[r#"
                error: it is wrong
                --> a.c:1:500001
                 = note: stray: in the long line `...                                        @                                       ...`
                 = help: mend it
            "#]],
        );
    }

    #[test]
    fn places_of_several_files_are_drawn_apart() {
        let mut sources = SourceMap::new();
        let one = sources.add(SourceFile::new("one.c", &b"int main() { return 0; }\n"[..]));
        let two = sources.add(SourceFile::new("two.c", &b"\nint main() { return 1; }\n"[..]));
        let diagnostic = Diagnostic::error("`main` is defined twice", Span { file: two, lo: 5, hi: 9 })
            .with_secondary(Span { file: one, lo: 4, hi: 8 }, "first here");
        expect![[r#"
            error: `main` is defined twice
             --> two.c:2:5
              |
            2 | int main() { return 1; }
              |     ^^^^
              |
             ::: one.c:1:5
              |
            1 | int main() { return 0; }
              |     ---- first here
        "#]]
        .assert_eq(&(render(&Renderer::plain(), &diagnostic, &sources) + "\n"));
    }

    #[test]
    fn a_long_stretch_is_cut_to_its_first_line() {
        check(
            b"void f() {\n;\n;\n;\n;\n;\n;\n;\n;\n}\n",
            &[(0, 28, "this function")],
            &expect![[r#"
                error: it is wrong
                 --> a.c:1:1
                  |
                1 | void f() {
                  | ^^^^^^^^^^ this function
                  |
                  = help: mend it
            "#]],
        );
    }
}
