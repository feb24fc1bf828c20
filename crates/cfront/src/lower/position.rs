//! Lines and columns of spans, fast on long lines too.
//!
//! A column counts characters, so that finding one takes time in the length of its line; generated files have lines of megabytes.

use base::{FileId, Region, SourceFile, SourceMap, Span};
use rustc_hash::FxHashMap;

/// Bytes between two known columns of a long line.
const STRIDE: usize = 128;

/// Columns at regular distances in the long lines that were asked for.
#[derive(Debug, Default)]
pub(super) struct Columns {
    known: FxHashMap<(FileId, u32), Vec<u32>>,
}

impl Columns {
    /// As [`SourceMap::region`].
    pub(super) fn region(&mut self, sources: &SourceMap, span: Span) -> Region {
        let file = sources.file(span.file);
        let (line, column) = self.line_column(span.file, file, span.lo);
        let (end_line, end_column) = self.line_column(span.file, file, span.hi.max(span.lo));
        Region { file: span.file, line, column, end_line, end_column }
    }

    fn line_column(&mut self, id: FileId, file: &SourceFile, offset: u32) -> (u32, u32) {
        let offset = offset.min(file.text.len() as u32);
        let line = file.line_of(offset);
        let start = file.line_start(line) as usize;
        let before = &file.text[start..offset as usize];
        if before.len() < 2 * STRIDE {
            return (line, characters(before) + 1);
        }
        let known = self.known.entry((id, line)).or_insert_with(|| {
            let end = file.line_start(line + 1) as usize;
            let mut sum = 0;
            let mut columns = vec![0];
            for chunk in file.text[start..end].chunks(STRIDE) {
                sum += characters(chunk);
                columns.push(sum);
            }
            columns
        });
        let block = before.len() / STRIDE;
        (line, known[block] + characters(&before[block * STRIDE..]) + 1)
    }
}

/// Number of characters: bytes that do not continue one.
fn characters(text: &[u8]) -> u32 {
    text.iter().filter(|byte| **byte & 0xC0 != 0x80).count() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_have_the_same_columns() {
        let text = "é".repeat(3000) + "\nabc\n" + &"xyzé".repeat(2000);
        let mut sources = SourceMap::new();
        let file = sources.add(SourceFile::new("a.c", text.as_bytes()));
        let mut columns = Columns::default();
        for lo in (0..text.len() as u32).step_by(97) {
            let span = Span { file, lo, hi: (lo + 2000).min(text.len() as u32) };
            assert_eq!(columns.region(&sources, span), sources.region(span), "{span:?}");
        }
    }
}
