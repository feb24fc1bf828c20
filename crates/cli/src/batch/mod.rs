//! `wayproof check` on many tasks: each is checked by itself, by a process of its own.
//!
//! Processes, not threads: a task that crashes, hangs or needs too much memory ends alone. The children run this same
//! binary with `--format json`, so that a task of a list and a task checked alone cannot have different verdicts.
//!
//! # Invariants
//! * I1: a task that has ended is in the table of `--csv` within a second, and before the command ends, however it ends.
//! * I2: an option of `check` reaches every child, or is refused: [`options::forward`] names every field.
//! * I3: rows are in the order of the tasks, whatever the order in which they end.

mod child;
mod options;
mod rows;
mod table;
mod tasks;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::num::NonZero;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::args::CheckArgs;
use crate::artifact;
use crate::console::Console;
use crate::exit::ExitStatus;
use crate::failure::Failure;
use crate::output::Output;
use crate::settings;
use child::{Job, Watch};
use rows::{Row, Verdict};
use table::Progress;

/// The limit of a task if nothing else is said, in seconds: a list that never ends is of no use.
const DEFAULT_TIMEOUT: f64 = 60.0;
/// Tells a task of a list how many bytes of memory it may have together with the programs that it starts.
pub(crate) const MEMORY_VARIABLE: &str = "WAYPROOF_TASK_MEMORY";
/// How long the table of `--csv` may be behind.
const SAVE_INTERVAL: Duration = Duration::from_secs(1);

/// Whether a command line is about a list of tasks.
pub(crate) fn is_wanted(args: &CheckArgs) -> bool {
    let list = &args.list;
    let has_option = list.jobs.is_some()
        || list.csv.is_some()
        || list.resume.is_some()
        || list.since.is_some()
        || list.logs.is_some()
        || list.memory.is_some();
    let is_list = |path: &PathBuf| tasks::list_file(path).is_some() || path.is_dir();
    !args.program && (has_option || args.paths.len() > 1 || args.paths.iter().any(is_list))
}

/// Checks all tasks, each by itself.
pub(crate) fn check_all(args: &CheckArgs, console: Console) -> Result<ExitStatus, Failure> {
    let start = Instant::now();
    let forwarded = options::forward(args)?;
    let tasks = tasks::expand(&args.paths)?;
    let table_file = args.list.resume.as_ref().or(args.list.csv.as_ref());
    let earlier = args.list.since.as_deref().map(rows::verdicts).transpose()?;
    let mut rows: Vec<Option<Row>> = tasks.iter().map(|_| None).collect();
    if let Some(path) = &args.list.resume {
        rows::restore(path, &tasks, &forwarded.label, &mut rows)?;
    }
    let resumed = rows.iter().flatten().count();
    let logs = args.list.logs.as_deref().map(|folder| child::logs(folder, &tasks)).transpose()?;
    // Whether the table can be written is found out before the work, not after it.
    let mut book = Book { file: table_file, label: &forwarded.label, saved: start };
    book.save(&rows)?;
    let watch = Watch::start(args.list.memory);
    let pending: Vec<usize> = (0..tasks.len()).filter(|index| rows[*index].is_none()).collect();
    for index in &pending {
        if let Some(logs) = &logs {
            child::forget(&logs[*index]);
        }
    }
    let count = args.list.jobs.map_or_else(processors, NonZero::get).min(pending.len()).max(1);
    let jobs: Vec<Job<'_>> = pending
        .iter()
        .map(|index| Job {
            index: *index,
            task: &tasks[*index],
            options: &forwarded,
            timeout: limit(args, &tasks[*index]),
            log: logs.as_ref().map(|logs| logs[*index].as_path()),
        })
        .collect();
    let progress = Progress::new(tasks.len(), resumed, args.quiet);
    let outcome = work(&jobs, count, &watch, &progress, &mut rows, &mut book);
    let is_interrupted = watch.is_interrupted();
    drop(watch);
    let saved = book.save(&rows);
    progress.end();
    let count = tasks.len();
    let (tasks, rows) = match &earlier {
        Some(earlier) => changed(&tasks, &rows, earlier),
        None => (tasks, rows),
    };
    let mut text = table::render(&rows, &tasks, args.quiet, console.color_stdout, start.elapsed(), resumed);
    if earlier.is_some() {
        let _ = writeln!(text, "{} of {count} tasks have another verdict than before", rows.len());
    }
    Output::new().write(&text)?;
    outcome?;
    saved?;
    if is_interrupted {
        let help = match table_file {
            Some(file) => format!("go on with --resume {}", file.display()),
            None => "with --csv FILE, the next run could go on from here with --resume FILE".to_owned(),
        };
        console.warn(format!("interrupted: not all tasks were checked\n{help}"));
    }
    Ok(status(&rows))
}

/// The tasks whose verdict is another one than in an earlier table, or that were not in it or not checked.
fn changed(
    tasks: &[tasks::Task],
    rows: &[Option<Row>],
    earlier: &BTreeMap<String, Verdict>,
) -> (Vec<tasks::Task>, Vec<Option<Row>>) {
    let mut shown = (Vec::new(), Vec::new());
    for (task, row) in tasks.iter().zip(rows) {
        let before = earlier.get(&task.name);
        if row.as_ref().is_some_and(|row| Some(&row.verdict) == before) {
            continue;
        }
        let was = before.map_or("new".to_owned(), |verdict| format!("was {}", verdict.name()));
        let row = row.clone().map(|row| {
            let message = if row.message.is_empty() { was } else { format!("{was}; {}", row.message) };
            Row { message, ..row }
        });
        shown.0.push(task.clone());
        shown.1.push(row);
    }
    shown
}

/// Runs the jobs, `count` at a time. The main thread collects what comes out.
fn work(
    jobs: &[Job<'_>],
    count: usize,
    watch: &Watch,
    progress: &Progress,
    rows: &mut [Option<Row>],
    book: &mut Book<'_>,
) -> Result<(), Failure> {
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        let (sender, finished) = channel();
        for _ in 0..count {
            let (sender, next): (Sender<_>, _) = (sender.clone(), &next);
            scope.spawn(move || {
                while !watch.is_interrupted() {
                    let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) else { break };
                    // Nothing comes of a task that the user interrupted.
                    if let Some(row) = child::run(job, watch)
                        && sender.send((job.index, row)).is_err()
                    {
                        break;
                    }
                }
            });
        }
        drop(sender);
        let mut result = Ok(());
        for (index, row) in finished {
            progress.finished(&row);
            rows[index] = Some(row);
            if result.is_ok() && book.saved.elapsed() >= SAVE_INTERVAL {
                result = book.save(rows);
                if result.is_err() {
                    // What cannot be kept is not worth going on for.
                    watch.interrupt();
                }
            }
        }
        result
    })
}

/// The file of `--csv`.
struct Book<'a> {
    file: Option<&'a PathBuf>,
    label: &'a str,
    saved: Instant,
}

impl Book<'_> {
    fn save(&mut self, rows: &[Option<Row>]) -> Result<(), Failure> {
        self.saved = Instant::now();
        let Some(file) = self.file else { return Ok(()) };
        artifact::write(file, &rows::text(rows.iter().flatten(), self.label))
    }
}

/// The time of one task: what the command line says, or the settings of its folder.
fn limit(args: &CheckArgs, task: &tasks::Task) -> f64 {
    let stated = args.timeout.or_else(|| {
        let settings = if args.no_settings { None } else { settings::find(&task.path).ok().flatten() };
        settings.and_then(|settings| settings.timeout)
    });
    stated.unwrap_or(DEFAULT_TIMEOUT)
}

fn processors() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get)
}

/// A violation is certain whatever else happened; after it the worst comes first.
fn status(rows: &[Option<Row>]) -> ExitStatus {
    let has = |verdict: Verdict| rows.iter().flatten().any(|row| row.verdict == verdict);
    if has(Verdict::Unsafe) {
        ExitStatus::Violated
    } else if has(Verdict::Crashed) {
        ExitStatus::Internal
    } else if has(Verdict::Error) {
        ExitStatus::FrontEnd
    } else if has(Verdict::Unknown) || rows.iter().any(Option::is_none) {
        ExitStatus::Unknown
    } else {
        ExitStatus::Success
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(verdicts: &[Option<Verdict>]) -> ExitStatus {
        let rows: Vec<_> =
            verdicts.iter().map(|verdict| verdict.map(|verdict| Row::sample("a.c", verdict))).collect();
        status(&rows)
    }

    #[test]
    fn the_exit_code_is_that_of_the_gravest_task() {
        use Verdict::{Crashed, Error, Safe, Unknown, Unsafe};
        assert_eq!(of(&[Some(Safe), Some(Safe)]), ExitStatus::Success);
        assert_eq!(of(&[Some(Safe), Some(Unknown)]), ExitStatus::Unknown);
        assert_eq!(of(&[Some(Unknown), Some(Error)]), ExitStatus::FrontEnd);
        assert_eq!(of(&[Some(Error), Some(Crashed)]), ExitStatus::Internal);
        assert_eq!(of(&[Some(Crashed), Some(Unsafe)]), ExitStatus::Violated);
        // What was not checked is not safe.
        assert_eq!(of(&[Some(Safe), None]), ExitStatus::Unknown);
    }
}
