//! Source texts and positions in them.
//!
//! [`Span`] is what lexer and parser use: byte offsets in one loaded file. [`Region`] is what a program keeps:
//! line and column, meaningful without the text. [`SourceMap`] turns the first into the second.
//!
//! # Invariants
//! * I1: lines and columns are 1-based; a column counts characters, a tab is one character.
//! * I2: positions are physical: those of the loaded text. What `# n "file"` line markers say about a line is
//!   kept beside it, see [`SourceFile::presumed`].

use std::fmt;
use std::sync::Arc;

use crate::{IndexVec, newtype_index};

newtype_index!(
    /// A loaded file of a [`SourceMap`].
    FileId,
    "f"
);

/// A stretch of one file's text, in bytes: `lo` inclusive, `hi` exclusive.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// First byte.
    pub lo: u32,
    /// One past the last byte.
    pub hi: u32,
}

impl Span {
    /// From the start of `self` to the end of `other`, if both are in one file; otherwise `self`.
    #[must_use]
    pub fn to(self, other: Self) -> Self {
        if self.file == other.file {
            Self { file: self.file, lo: self.lo.min(other.lo), hi: self.hi.max(other.hi) }
        } else {
            self
        }
    }
}

impl fmt::Debug for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}..{}", self.file, self.lo, self.hi)
    }
}

/// A stretch of one file by lines and columns; `end_column` is exclusive. Line 0 means "nowhere".
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Region {
    /// The file.
    pub file: FileId,
    /// First line.
    pub line: u32,
    /// First column.
    pub column: u32,
    /// Last line.
    pub end_line: u32,
    /// One past the last column, on the last line.
    pub end_column: u32,
}

impl Region {
    /// The region of what has no place in any text.
    pub const NOWHERE: Self = Self { file: FileId(0), line: 0, column: 0, end_line: 0, end_column: 0 };

    /// Whether this is [`Region::NOWHERE`].
    pub fn is_nowhere(self) -> bool {
        self.line == 0
    }
    /// Whether `inner` lies within this region.
    pub fn contains(self, inner: Self) -> bool {
        self.file == inner.file
            && (self.line, self.column) <= (inner.line, inner.column)
            && (inner.end_line, inner.end_column) <= (self.end_line, self.end_column)
    }
}

impl fmt::Debug for Region {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}-{}:{}", self.file, self.line, self.column, self.end_line, self.end_column)
    }
}

/// Where a `# n "file"` marker takes effect and what it says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineMarker {
    /// The physical line after the marker.
    pub physical_line: u32,
    /// The line number that the marker gives to it.
    pub presumed_line: u32,
    /// The file name that the marker gives to it.
    pub presumed_file: Arc<str>,
}

/// Whose text it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Owner {
    /// The user's, included files too.
    #[default]
    User,
    /// A model of library functions.
    Model,
}

/// One loaded text.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// The name by which the user knows it.
    pub name: Arc<str>,
    /// Its bytes; not necessarily UTF-8.
    pub text: Arc<[u8]>,
    /// Whose it is.
    pub owner: Owner,
    line_starts: Vec<u32>,
    markers: Vec<LineMarker>,
}

impl SourceFile {
    /// A file with the given name and text.
    pub fn new(name: impl Into<Arc<str>>, text: impl Into<Arc<[u8]>>) -> Self {
        let text = text.into();
        let mut line_starts = vec![0];
        line_starts.extend(memchr::memchr_iter(b'\n', &text).map(|at| at as u32 + 1));
        Self { name: name.into(), text, owner: Owner::User, line_starts, markers: Vec::new() }
    }
    /// Records a line marker; markers come in ascending order of lines.
    pub fn add_marker(&mut self, marker: LineMarker) {
        debug_assert!(self.markers.last().is_none_or(|last| last.physical_line <= marker.physical_line));
        self.markers.push(marker);
    }
    /// The 1-based line of a byte offset.
    pub fn line_of(&self, offset: u32) -> u32 {
        self.line_starts.partition_point(|start| *start <= offset) as u32
    }
    /// Number of lines.
    pub fn line_count(&self) -> u32 {
        self.line_starts.len() as u32
    }
    /// Byte offset of the start of a 1-based line; the text's length if there is no such line.
    pub fn line_start(&self, line: u32) -> u32 {
        self.line_starts.get(line.saturating_sub(1) as usize).copied().unwrap_or(self.text.len() as u32)
    }
    /// The bytes of a 1-based line, without its line break.
    pub fn line_text(&self, line: u32) -> &[u8] {
        let text = &self.text[self.line_start(line) as usize..self.line_start(line + 1) as usize];
        let text = text.strip_suffix(b"\n").unwrap_or(text);
        text.strip_suffix(b"\r").unwrap_or(text)
    }
    /// The 1-based line and column of a byte offset.
    pub fn line_column(&self, offset: u32) -> (u32, u32) {
        let offset = offset.min(self.text.len() as u32);
        let line = self.line_of(offset);
        let before = &self.text[self.line_start(line) as usize..offset as usize];
        // Bytes 10xxxxxx continue a UTF-8 character.
        let column = before.iter().filter(|byte| **byte & 0xC0 != 0x80).count() as u32 + 1;
        (line, column)
    }
    /// What the line markers say about a physical line: file name and line; `None` before the first marker.
    pub fn presumed(&self, line: u32) -> Option<(Arc<str>, u32)> {
        let count = self.markers.partition_point(|marker| marker.physical_line <= line);
        let marker = self.markers.get(count.checked_sub(1)?)?;
        Some((marker.presumed_file.clone(), marker.presumed_line + (line - marker.physical_line)))
    }
}

/// All loaded texts.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    files: IndexVec<FileId, SourceFile>,
}

impl SourceMap {
    /// A map without files.
    pub fn new() -> Self {
        Self::default()
    }
    /// Adds a file.
    pub fn add(&mut self, file: SourceFile) -> FileId {
        self.files.push(file)
    }
    /// The file of an id, if it is loaded.
    pub fn get(&self, file: FileId) -> Option<&SourceFile> {
        self.files.get(file)
    }
    /// The file of an id of this map.
    pub fn file(&self, file: FileId) -> &SourceFile {
        &self.files[file]
    }
    /// The file of an id of this map, mutable.
    pub fn file_mut(&mut self, file: FileId) -> &mut SourceFile {
        &mut self.files[file]
    }
    /// All files in loading order.
    pub fn iter(&self) -> impl Iterator<Item = (FileId, &SourceFile)> {
        self.files.iter_enumerated()
    }
    /// Lines and columns of a span.
    pub fn region(&self, span: Span) -> Region {
        let file = self.file(span.file);
        let (line, column) = file.line_column(span.lo);
        let (end_line, end_column) = file.line_column(span.hi.max(span.lo));
        Region { file: span.file, line, column, end_line, end_column }
    }
    /// Whether a region is in the user's text.
    pub fn is_users(&self, region: Region) -> bool {
        !region.is_nowhere() && self.get(region.file).is_some_and(|file| file.owner == Owner::User)
    }
    /// `file:line:column`, or the empty string for nowhere.
    pub fn describe(&self, region: Region) -> String {
        match self.get(region.file) {
            Some(file) if !region.is_nowhere() => format!("{}:{}:{}", file.name, region.line, region.column),
            Some(_) | None => String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters() {
        let file = SourceFile::new("a.c", "int x;\n\té = 1;".as_bytes());
        assert_eq!(file.line_column(0), (1, 1));
        assert_eq!(file.line_column(7), (2, 1));
        assert_eq!(file.line_column(8), (2, 2));
        assert_eq!(file.line_column(10), (2, 3));
    }

    #[test]
    fn markers_renumber_lines() {
        let mut file = SourceFile::new("a.i", &b"# 7 \"a.c\"\nint x;\nint y;\n"[..]);
        file.add_marker(LineMarker { physical_line: 2, presumed_line: 7, presumed_file: "a.c".into() });
        assert_eq!(file.presumed(1), None);
        assert_eq!(file.presumed(3), Some(("a.c".into(), 8)));
    }
}
