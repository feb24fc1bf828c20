//! Console output for a list of tasks: a line for each task that ends, a line of progress, and the table at the end.

use std::fmt::Write as _;
use std::io::{IsTerminal, Write as _};
use std::sync::Mutex;
use std::time::Duration;

use report::{Color, printable};

use super::rows::{Row, Run, Verdict};
use super::tasks::Task;

/// Longer explanations are cut.
const MAX_MESSAGE: usize = 100;
/// The width of the bar.
const BAR: usize = 24;

/// The lines on standard error while tasks run.
pub(super) struct Progress {
    total: usize,
    is_terminal: bool,
    counts: Mutex<Counts>,
}

#[derive(Default)]
struct Counts {
    done: usize,
    verdicts: [usize; Verdict::ALL.len()],
    /// Those of an earlier run, which this one has not certified.
    uncertified: [usize; Verdict::ALL.len()],
    wrong: usize,
}

impl Counts {
    fn add(&mut self, row: &Row) {
        self.done += 1;
        self.wrong += usize::from(row.is_wrong());
        let counts = if row.is_uncertified() { &mut self.uncertified } else { &mut self.verdicts };
        if let Some(place) = Verdict::ALL.iter().position(|verdict| *verdict == row.verdict) {
            counts[place] += 1;
        }
    }

    /// `3 safe, 1 unsafe`: what there is none of is left out.
    fn list(&self) -> String {
        let mut parts = named(self.verdicts);
        let uncertified: usize = self.uncertified.iter().sum();
        if uncertified > 0 {
            parts.push(format!("{uncertified} not certified ({})", named(self.uncertified).join(", ")));
        }
        if self.wrong > 0 {
            parts.push(format!("{} WRONG", self.wrong));
        }
        parts.join(", ")
    }
}

/// What there is of each verdict.
fn named(counts: [usize; Verdict::ALL.len()]) -> Vec<String> {
    let counts = Verdict::ALL.iter().zip(counts).filter(|(_, count)| *count > 0);
    counts.map(|(verdict, count)| format!("{count} {}", verdict.name())).collect()
}

impl Progress {
    pub(super) fn new(total: usize) -> Self {
        Self { total, is_terminal: std::io::stderr().is_terminal(), counts: Mutex::default() }
    }

    /// A task has ended. Errors of writing are ignored: there is no other channel.
    pub(super) fn finished(&self, row: &Row) {
        let mut counts = self.counts.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        counts.add(row);
        let width = self.total.to_string().len();
        let mut text = if self.is_terminal { "\r\x1b[K".to_owned() } else { String::new() };
        let mark = match row.run {
            _ if row.is_wrong() => " WRONG",
            Run::Earlier => " (earlier run)",
            Run::This => "",
        };
        let _ = writeln!(
            text,
            "[{:>width$}/{}] {:<7} {:>7.2} s  {}{mark}",
            counts.done,
            self.total,
            row.verdict.name(),
            row.seconds,
            printable(&row.task)
        );
        if self.is_terminal {
            let filled = BAR * counts.done / self.total.max(1);
            let (full, rest) = ("#".repeat(filled), ".".repeat(BAR - filled));
            let _ =
                write!(text, "wayproof: [{full}{rest}] {} of {}: {}", counts.done, self.total, counts.list());
        }
        let _ = std::io::stderr().lock().write_all(text.as_bytes());
    }

    /// The line of progress vanishes.
    pub(super) fn end(&self) {
        if self.is_terminal {
            let _ = std::io::stderr().lock().write_all(b"\r\x1b[K");
        }
    }
}

/// How much of the table is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shown {
    /// A line for each task, and the line that counts.
    Lines,
    /// The line that counts.
    Counts,
}

/// The table; nothing if there are no tasks.
pub(super) fn render(
    rows: &[Option<Row>],
    tasks: &[Task],
    shown: Shown,
    color: Color,
    time: Duration,
) -> String {
    let mut text = String::new();
    if rows.is_empty() {
        return text;
    }
    let mut counts = Counts::default();
    let width = tasks.iter().map(|task| printable(&task.name).chars().count()).max().unwrap_or(4).max(4);
    if shown == Shown::Lines {
        let _ = writeln!(text, "{:<width$}  verdict  expected   seconds  why", "task");
    }
    for (task, row) in tasks.iter().zip(rows) {
        if let Some(row) = row {
            counts.add(row);
        }
        if shown == Shown::Lines {
            line(&mut text, task, row.as_ref(), width, color);
        }
    }
    let missing = rows.iter().filter(|row| row.is_none()).count();
    let mut parts = vec![counts.list()];
    if missing > 0 {
        parts.push(format!("{missing} not checked"));
    }
    parts.retain(|part| !part.is_empty());
    let resumed = rows.iter().flatten().filter(|row| row.run == Run::Earlier).count();
    let spent: f64 = rows.iter().flatten().map(|row| row.seconds).sum();
    let plural = if rows.len() == 1 { "" } else { "s" };
    let before = if resumed > 0 { format!(", {resumed} from an earlier run") } else { String::new() };
    let _ = writeln!(
        text,
        "{} task{plural}: {}; {:.1} s wall time, {spent:.1} s for all tasks{before}",
        rows.len(),
        parts.join(", "),
        time.as_secs_f64(),
    );
    text
}

fn line(text: &mut String, task: &Task, row: Option<&Row>, width: usize, color: Color) {
    let name = printable(&task.name);
    let Some(row) = row else {
        let _ = writeln!(text, "{name:<width$}  {:<7}  {:<8} {:>9}", "-", "", "");
        return;
    };
    let style = match row.verdict {
        _ if row.is_wrong() => "\x1b[1;35m",
        _ if row.is_uncertified() => "\x1b[1;33m",
        Verdict::Safe => "\x1b[1;32m",
        Verdict::Unsafe => "\x1b[1;31m",
        Verdict::Unknown => "\x1b[1;33m",
        Verdict::Error | Verdict::Crashed => "\x1b[1;35m",
    };
    let (on, off) = match color {
        Color::Ansi => (style, "\x1b[0m"),
        Color::Plain => ("", ""),
    };
    let expected = row.expectation();
    let mut why = String::new();
    if row.is_wrong() {
        why.push_str("WRONG");
    }
    let kept = if row.is_uncertified() {
        format!("{} in an earlier run, not certified by this one", row.verdict.name())
    } else {
        String::new()
    };
    for part in [&kept, &row.reason, &row.message] {
        if !part.is_empty() {
            why.push_str(if why.is_empty() { "" } else { ": " });
            why.push_str(&short(part));
        }
    }
    let written = format!(
        "{name:<width$}  {on}{:<7}{off}  {expected:<8} {:>9.2}  {}",
        if row.is_uncertified() { "earlier" } else { row.verdict.name() },
        row.seconds,
        printable(&why)
    );
    let _ = writeln!(text, "{}", written.trim_end());
}

/// One line of limited length.
fn short(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    if line.chars().count() <= MAX_MESSAGE {
        return line.to_owned();
    }
    let start: String = line.chars().take(MAX_MESSAGE).collect();
    start + "..."
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn the_table_has_a_line_for_each_task_and_flags_what_is_wrong() {
        let names = ["a.c", "folder/wrong.yml", "slow.c", "broken.c", "old.c", "later.c"];
        let tasks: Vec<Task> =
            names.map(|name| Task { path: name.into(), name: name.to_owned() }).into_iter().collect();
        let rows = [
            Some(Row { message: "violated at a.c:7".to_owned(), ..Row::sample("a.c", Verdict::Unsafe) }),
            Some(Row { expected: Some(false), ..Row::sample("folder/wrong.yml", Verdict::Safe) }),
            Some(Row { reason: "timeout".to_owned(), ..Row::sample("slow.c", Verdict::Unknown) }),
            Some(Row {
                reason: "input".to_owned(),
                message: "x".repeat(200),
                ..Row::sample("", Verdict::Error)
            }),
            Some(Row { run: Run::Earlier, ..Row::sample("old.c", Verdict::Safe) }),
            None,
        ];
        let text = render(&rows, &tasks, Shown::Lines, Color::Plain, Duration::from_millis(1500));
        expect![[r#"
            task              verdict  expected   seconds  why
            a.c               unsafe                 0.50  violated at a.c:7
            folder/wrong.yml  safe     unsafe        0.50  WRONG
            slow.c            unknown                0.50  timeout
            broken.c          error                  0.50  input: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...
            old.c             earlier                0.50  safe in an earlier run, not certified by this one
            later.c           -                          
            6 tasks: 1 safe, 1 unsafe, 1 unknown, 1 error, 1 not certified (1 safe), 1 WRONG, 1 not checked; 1.5 s wall time, 2.5 s for all tasks, 1 from an earlier run
        "#]].assert_eq(&text);
        let text = render(&rows, &tasks, Shown::Counts, Color::Plain, Duration::from_millis(1500));
        expect![[r#"
            6 tasks: 1 safe, 1 unsafe, 1 unknown, 1 error, 1 not certified (1 safe), 1 WRONG, 1 not checked; 1.5 s wall time, 2.5 s for all tasks, 1 from an earlier run
        "#]].assert_eq(&text);
    }
}
