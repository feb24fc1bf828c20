//! The results of tasks as a table in CSV (RFC 4180), written and read back.
//!
//! # Invariants
//! * I1: a row that was read from a table is marked as one of an earlier run and stays so: this run has not checked it.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use base::{SourceFile, SourceMap, Span};

use super::tasks::Task;
use crate::failure::Failure;
use crate::input;

/// The columns, in order. A change makes older tables unusable for `--resume`, with a message.
const COLUMNS: [&str; 11] = [
    "task", "verdict", "expected", "agrees", "seconds", "reason", "message", "version", "options", "run",
    "key",
];
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What a child said, by its exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// The property holds.
    Safe,
    /// It is violated.
    Unsafe,
    /// No verdict.
    Unknown,
    /// The input cannot be used.
    Error,
    /// A defect of the tool.
    Crashed,
}

impl Verdict {
    /// All of them, in the order of the summary.
    pub(super) const ALL: [Self; 5] = [Self::Safe, Self::Unsafe, Self::Unknown, Self::Error, Self::Crashed];

    /// Its name for machines and people.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Safe => "safe",
            Self::Unsafe => "unsafe",
            Self::Unknown => "unknown",
            Self::Error => "error",
            Self::Crashed => "crashed",
        }
    }

    fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|verdict| verdict.name() == name)
    }
}

/// Who found a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Run {
    /// This run, which has certified it.
    This,
    /// An earlier one, whose evidence is not there any more.
    Earlier,
}

impl Run {
    fn name(self) -> &'static str {
        match self {
            Self::This => "this",
            Self::Earlier => "earlier",
        }
    }
}

/// One task that has ended.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Row {
    /// The name of the task.
    pub(super) task: String,
    /// What came out.
    pub(super) verdict: Verdict,
    /// Whether the property should hold, if the task says so.
    pub(super) expected: Option<bool>,
    /// Time by the clock.
    pub(super) seconds: f64,
    /// Why there is no verdict, in one word; empty if there is one.
    pub(super) reason: String,
    /// The same for people.
    pub(super) message: String,
    /// Whose verdict it is.
    pub(super) run: Run,
    /// The key of program and options; empty if it is not known.
    pub(super) key: String,
}

impl Row {
    /// Whether it says something that this run has not certified.
    pub(super) fn is_uncertified(&self) -> bool {
        self.run == Run::Earlier && matches!(self.verdict, Verdict::Safe | Verdict::Unsafe)
    }

    /// Whether the verdict contradicts the task definition.
    pub(super) fn is_wrong(&self) -> bool {
        matches!((self.verdict, self.expected), (Verdict::Safe, Some(false)) | (Verdict::Unsafe, Some(true)))
    }

    /// What the task definition expects; empty if it says nothing.
    pub(super) fn expectation(&self) -> &'static str {
        match self.expected {
            Some(true) => "safe",
            Some(false) => "unsafe",
            None => "",
        }
    }

    fn agrees(&self) -> &'static str {
        match (self.verdict, self.expected) {
            (Verdict::Safe | Verdict::Unsafe, Some(_)) if self.is_wrong() => "WRONG",
            (Verdict::Safe | Verdict::Unsafe, Some(_)) => "yes",
            _ => "",
        }
    }

    fn cells(&self, label: &str) -> [String; COLUMNS.len()] {
        [
            self.task.clone(),
            self.verdict.name().to_owned(),
            self.expectation().to_owned(),
            self.agrees().to_owned(),
            format!("{:.3}", self.seconds),
            self.reason.clone(),
            self.message.clone(),
            VERSION.to_owned(),
            label.to_owned(),
            self.run.name().to_owned(),
            self.key.clone(),
        ]
    }

    #[cfg(test)]
    pub(super) fn sample(task: &str, verdict: Verdict) -> Self {
        Self {
            task: task.to_owned(),
            verdict,
            expected: None,
            seconds: 0.5,
            reason: String::new(),
            message: String::new(),
            run: Run::This,
            key: String::new(),
        }
    }
}

/// The table of the rows.
pub(super) fn text<'a>(rows: impl Iterator<Item = &'a Row>, label: &str) -> String {
    let mut text = line(&COLUMNS.map(str::to_owned));
    for row in rows {
        text += &line(&row.cells(label));
    }
    text
}

fn line(cells: &[String]) -> String {
    let quoted: Vec<String> = cells.iter().map(|cell| quote(cell)).collect();
    quoted.join(",") + "\n"
}

fn quote(cell: &str) -> String {
    if cell.contains(['"', ',', '\n', '\r']) {
        format!("\"{}\"", cell.replace('"', "\"\""))
    } else {
        cell.to_owned()
    }
}

/// Whether a text is a table of this version or an older one.
pub(crate) fn is_table(text: &[u8]) -> bool {
    text.starts_with(COLUMNS[..9].join(",").as_bytes())
}

/// The rows of tasks that an earlier run finished, in the order of the tasks. A table that is not there has none.
pub(super) fn restore(path: &Path, tasks: &[Task], label: &str) -> Result<Vec<Option<Row>>, Failure> {
    if !path.exists() {
        return Ok(tasks.iter().map(|_| None).collect());
    }
    let bytes = input::read(path)?;
    let found = parse(&bytes, Some(label))
        .map_err(|problem| problem.into_failure(path, &bytes, "start a new table with --csv FILE"))?;
    let mut by_name: HashMap<String, Row> = found.into_iter().map(|row| (row.task.clone(), row)).collect();
    Ok(tasks.iter().map(|task| by_name.remove(&task.name)).collect())
}

/// The verdicts of an earlier table, of whatever version and options.
pub(super) fn verdicts(path: &Path) -> Result<BTreeMap<String, Verdict>, Failure> {
    let bytes = input::read(path)?;
    let rows = parse(&bytes, None).map_err(|problem| {
        problem.into_failure(path, &bytes, "--since takes a table that an earlier run wrote with --csv")
    })?;
    Ok(rows.into_iter().map(|row| (row.task, row.verdict)).collect())
}

/// Why a table cannot be used.
#[derive(Debug, PartialEq, Eq)]
struct Problem {
    line: u32,
    message: String,
}

impl Problem {
    fn into_failure(self, path: &Path, bytes: &[u8], help: &str) -> Failure {
        let mut sources = SourceMap::new();
        let file = sources.add(SourceFile::new(path.display().to_string(), bytes));
        let source = sources.file(file);
        let at = self.line.clamp(1, source.line_count());
        let lo = source.line_start(at);
        let span = Span { file, lo, hi: lo + source.line_text(at).trim_ascii_end().len() as u32 };
        Failure::usage_at(sources, span, &self.message, help)
    }
}

/// The rows of a table; if a label is given, all must have been made with these options, by this version.
fn parse(bytes: &[u8], label: Option<&str>) -> Result<Vec<Row>, Problem> {
    let text = String::from_utf8_lossy(bytes);
    let mut records = records(&text)?.into_iter();
    match records.next() {
        Some((_, cells)) if cells == COLUMNS => {}
        _ => {
            let message = "this is not a table of wayproof, or it was written by another version".to_owned();
            return Err(Problem { line: 1, message });
        }
    }
    records.map(|(line, cells)| row(&cells, label).map_err(|message| Problem { line, message })).collect()
}

fn row(cells: &[String], label: Option<&str>) -> Result<Row, String> {
    let [task, verdict, expected, _, seconds, reason, message, version, options, _, key] = cells else {
        return Err(format!("this row has {} cells, not {}", cells.len(), COLUMNS.len()));
    };
    if let Some(label) = label.filter(|label| options != label || version != VERSION) {
        return Err(format!(
            "this row was made by version {version} with the options `{options}`, not by {VERSION} with `{label}`"
        ));
    }
    Ok(Row {
        task: task.clone(),
        verdict: Verdict::from_name(verdict).ok_or_else(|| format!("`{verdict}` is not a verdict"))?,
        expected: match expected.as_str() {
            "" => None,
            "safe" => Some(true),
            "unsafe" => Some(false),
            other => {
                return Err(format!("`{other}` is not an expected verdict: `safe`, `unsafe` or nothing"));
            }
        },
        seconds: seconds.parse().map_err(|_| format!("`{seconds}` is not a number of seconds"))?,
        reason: reason.clone(),
        message: message.clone(),
        // I1: what the cell says was true when the table was written.
        run: Run::Earlier,
        key: key.clone(),
    })
}

/// The records with the lines where they start.
fn records(text: &str) -> Result<Vec<(u32, Vec<String>)>, Problem> {
    let mut records = Vec::new();
    let mut cells = Vec::new();
    let mut cell = String::new();
    let (mut line, mut start) = (1_u32, 1_u32);
    let mut is_quoted = false;
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        line += u32::from(character == '\n');
        match (character, is_quoted) {
            ('"', true) if characters.peek() == Some(&'"') => {
                characters.next();
                cell.push('"');
            }
            ('"', _) => is_quoted = !is_quoted,
            (',', false) => cells.push(std::mem::take(&mut cell)),
            ('\r', false) => {}
            ('\n', false) => {
                cells.push(std::mem::take(&mut cell));
                records.push((start, std::mem::take(&mut cells)));
                start = line;
            }
            (other, _) => cell.push(other),
        }
    }
    // Tables are written whole: a last line without end was not written by this program.
    if is_quoted || !cell.is_empty() || !cells.is_empty() {
        return Err(Problem { line: start, message: "the table ends in the middle of a row".to_owned() });
    }
    Ok(records)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows() -> Vec<Row> {
        let odd = Row {
            task: "a, \"b\"\nc.c".to_owned(),
            expected: Some(true),
            reason: "timeout".to_owned(),
            message: "out of time, \"sorry\"".to_owned(),
            ..Row::sample("", Verdict::Unsafe)
        };
        vec![Row::sample("x.c", Verdict::Safe), odd, Row::sample("y.c", Verdict::Crashed)]
    }

    #[test]
    fn what_is_written_is_read_back() {
        let rows = rows();
        let text = text(rows.iter(), "--engine=cra");
        let earlier: Vec<Row> = rows.into_iter().map(|row| Row { run: Run::Earlier, ..row }).collect();
        assert_eq!(parse(text.as_bytes(), Some("--engine=cra")), Ok(earlier));
        assert!(text.contains(",unsafe,safe,WRONG,0.500,timeout,"), "{text}");
    }

    #[test]
    fn rows_of_other_options_are_not_mixed_in() {
        let problem = parse(text(rows().iter(), "-DX").as_bytes(), Some("")).unwrap_err();
        assert_eq!(problem.line, 2);
        assert!(problem.message.contains("with the options `-DX`"), "{}", problem.message);
    }

    #[test]
    fn a_broken_table_is_refused_with_its_line() {
        let whole = text(rows().iter(), "");
        let broken = |text: &str| parse(text.as_bytes(), Some("")).unwrap_err();
        assert_eq!(broken("").line, 1);
        assert_eq!(broken("task,verdict\n").line, 1);
        assert_eq!(broken(whole.trim_end()).message, "the table ends in the middle of a row");
        assert_eq!(broken(&whole.replace("crashed", "fine")).message, "`fine` is not a verdict");
        assert_eq!(broken(&whole.replace("x.c,safe,,,0.500", "x.c,safe,0.500")).line, 2);
        assert_eq!(broken(&whole.replace("crashed", "fine")).line, 5);
    }

    #[test]
    fn only_tasks_of_this_run_are_taken() {
        let folder = std::env::temp_dir().join(format!("wayproof-rows-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("t.csv");
        std::fs::write(&path, text(rows().iter(), "")).unwrap();
        let task = |name: &str| Task { path: folder.join(name), name: name.to_owned() };
        let found = restore(&path, &[task("y.c"), task("z.c")], "").unwrap();
        std::fs::remove_dir_all(&folder).unwrap();
        let earlier = Row { run: Run::Earlier, ..Row::sample("y.c", Verdict::Crashed) };
        assert_eq!(found, [Some(earlier), None]);
        assert_eq!(restore(&path, &[task("y.c")], "").unwrap(), [None]);
    }
}
