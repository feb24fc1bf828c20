//! Whether a file is a result of this tool.
//!
//! # Invariants
//! * I1: a file counts as a result of the wanted kind only if that is certain. Any other file may be the user's work and is never overwritten.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use witness::{format, harness};

use crate::args::Format;
use crate::{batch, events};

/// More of a file is not looked at. Marks that stand at the end of larger files are not found, and the file stays.
const MAX_BYTES: u64 = 256 << 20;

/// What a file is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A report in a format.
    Report(Format),
    /// The web page.
    Page,
    /// The search tree.
    Tree,
    /// The timeline.
    Profile,
    /// Events of a run.
    Events,
    /// Horn clauses.
    Clauses,
    /// A witness.
    Witness,
    /// A harness.
    Harness,
    /// `metadata.xml` of a test case.
    Metadata,
    /// The test case beside it.
    TestCase,
    /// The table of a list.
    Table,
    /// What the process of a task said.
    Log,
}

/// What is found under the name of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// Nothing, or what keeps nothing: a pipe, a terminal.
    Nothing,
    /// An empty file: no loss, but it may be part of the program.
    Empty,
    /// A result of an earlier run.
    Result,
    /// Something else.
    Other,
}

impl Kind {
    /// What is there.
    pub(crate) fn find(self, path: &Path) -> Found {
        let Ok(data) = std::fs::metadata(path) else { return Found::Nothing };
        if !data.is_file() {
            // A folder cannot be replaced by a file, which is said when the file is written.
            return Found::Nothing;
        }
        let mut text = Vec::new();
        let read = File::open(path).and_then(|file| file.take(MAX_BYTES).read_to_end(&mut text));
        match read {
            Ok(0) => Found::Empty,
            Ok(_) if self.is_result(path, &text) => Found::Result,
            Ok(_) | Err(_) => Found::Other,
        }
    }

    /// Whether such a result is C text, which may be part of a program.
    pub(crate) fn is_c(self) -> bool {
        matches!(self, Self::Report(Format::Annotate) | Self::Harness)
    }

    /// What it is, for messages.
    fn noun(self) -> &'static str {
        match self {
            Self::Report(Format::Json) => "a JSON report of this tool",
            Self::Report(Format::Sarif) => "a SARIF report of this tool",
            Self::Report(_) => "a report of this tool in that format",
            Self::Page => "a page of this tool",
            Self::Tree => "a search tree of this tool",
            Self::Profile => "a timeline of this tool",
            Self::Events => "a stream of events of this tool",
            Self::Clauses => "a system of Horn clauses of this tool",
            Self::Witness => "a witness of this tool",
            Self::Harness => "a harness of this tool",
            Self::Metadata | Self::TestCase => "a test case of this tool",
            Self::Table => "a table of this tool",
            Self::Log => "a log of this tool",
        }
    }

    /// Why what is there stays.
    pub(crate) fn complaint(self, option: &str, path: &Path) -> String {
        format!("{option} would write over `{}`, which is not {}", path.display(), self.noun())
    }

    fn is_result(self, path: &Path, text: &[u8]) -> bool {
        let starts = |mark: &str| text.starts_with(mark.as_bytes());
        let has = |mark: &str| contains(text, mark.as_bytes());
        match self {
            Self::Report(Format::Human | Format::Svcomp) => {
                let is_verdict = (starts("SAFE: ") || starts("UNSAFE: ")) && has("\nthis rests on:\n");
                is_verdict || starts("UNKNOWN: ") || starts("RESULT: ")
            }
            Self::Report(Format::Json) => starts("{\n  \"schema\": \"wayproof-report\""),
            Self::Report(Format::Sarif) => starts("{\n  \"$schema\"") && has("\"name\": \"Wayproof\""),
            Self::Report(Format::Github) => {
                let first = text.split(|byte| *byte == b'\n').next().unwrap_or_default();
                starts("::") && contains(first, b"title=Wayproof::")
            }
            Self::Report(Format::Gitlab) => {
                text == b"[]\n" || (starts("[") && has("\"check_name\": \"wayproof/"))
            }
            Self::Report(Format::Junit) => starts("<?xml") && has("<testsuites name=\"Wayproof\""),
            Self::Report(Format::Annotate) => starts("// wayproof: "),
            Self::Page => starts("<!DOCTYPE html>") && has("<span class=\"brand\">Wayproof</span>"),
            Self::Tree => starts(engine::TREE_HEAD),
            Self::Profile => starts("{\"traceEvents\":") && has("\"tool\":\"wayproof "),
            Self::Events => starts(events::HEAD) && has("\"tool\":\"wayproof "),
            Self::Clauses => starts(engines::CLAUSES_HEAD),
            Self::Witness => format::is_witness(text) && has("Wayproof"),
            Self::Harness => harness::is_harness(text),
            Self::Metadata => has("<test-metadata>") && has("<producer>Wayproof "),
            // The test case does not name its maker, the metadata beside it do.
            Self::TestCase => {
                let metadata = Self::Metadata.find(&path.with_file_name("metadata.xml"));
                has("<testcase ") && metadata == Found::Result
            }
            Self::Table => batch::is_table(text),
            Self::Log => starts("wayproof check "),
        }
    }
}

fn contains(text: &[u8], mark: &[u8]) -> bool {
    text.windows(mark.len()).any(|window| window == mark)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_somebody_elses_is_not_ours() {
        let path = Path::new("somewhere/file");
        let foreign: [(Kind, &str); 13] = [
            (Kind::Report(Format::Human), "SAFE: the key is under the mat\n"),
            (Kind::Report(Format::Json), "{\"verdict\": \"safe\"}"),
            (Kind::Report(Format::Sarif), "{\n  \"$schema\": \"x\", \"name\": \"Other\"}"),
            (Kind::Report(Format::Github), "::notice title=Other::SAFE"),
            (Kind::Report(Format::Gitlab), "[\n  {\n    \"check_name\": \"other\"\n  }\n]"),
            (Kind::Report(Format::Junit), "<?xml version=\"1.0\"?><testsuites name=\"Other\">"),
            (Kind::Report(Format::Human), "int main(void) { return 0; }\n"),
            (Kind::Report(Format::Annotate), "// my program\n"),
            (Kind::Page, "<!DOCTYPE html>\n<p>Wayproof</p>"),
            (Kind::Witness, "- entry_type: violation_sequence\n  producer: Other\n"),
            (Kind::Harness, "int main(void) { return 0; }\n"),
            (Kind::Table, "task,verdict\n"),
            (Kind::TestCase, "<testcase coversError=\"true\">\n"),
        ];
        for (kind, text) in foreign {
            assert!(!kind.is_result(path, text.as_bytes()), "{kind:?}: {text}");
        }
        assert!(Kind::Report(Format::Annotate).is_result(path, b"// wayproof: SAFE: it holds\n"));
        assert!(Kind::Log.is_result(path, b"wayproof check --format=json -- a.c\n"));
    }
}
