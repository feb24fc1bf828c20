//! `wayproof check` on many tasks: each is checked by itself, by a process of its own.
//!
//! Processes, not threads: a task that crashes, hangs or needs too much memory ends alone. The children run this same
//! binary with `--format json`, so that a task of a list and a task checked alone cannot have different verdicts.
//!
//! # Invariants
//! * I1: a task that has ended is in the table of `--csv` within a second, and before the command ends, however it ends.
//! * I2: an option of `check` is passed to every child, or is refused: [`options::forward`] names every field.
//! * I3: rows are in the order of the tasks, whatever the order in which they end.
//! * I4: the exit code rests on verdicts that this run has certified. Those of an earlier table (`--resume`) are kept if program and options
//!   are the same, and are marked.

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

use crate::args::{CheckArgs, Format};
use crate::artifact;
use crate::console::Console;
use crate::exit::ExitStatus;
use crate::failure::Failure;
use crate::output::Output;
use crate::recognise::Kind;
use crate::stale::{self, Wanted};
use child::{Job, Watch};
pub(crate) use options::options_of;
pub(crate) use rows::is_table;
use rows::{Row, Verdict};
use table::{Progress, Shown};

/// The limit of a task if nothing else is said, in seconds: a list that never ends is of no use.
const DEFAULT_TIMEOUT: f64 = 60.0;
/// Tells a task of a list how many bytes of memory it may have together with the programs that it starts.
pub(crate) const MEMORY_VARIABLE: &str = "WAYPROOF_TASK_MEMORY";
/// How long the table of `--csv` may be behind.
const SAVE_INTERVAL: Duration = Duration::from_secs(1);

/// Whether a command line is about a list of tasks.
pub(crate) fn is_wanted(args: &CheckArgs) -> bool {
    let list = &args.list;
    let has_option = list.csv.is_some()
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
    let logs = args.list.logs.as_deref().map(|folder| child::logs(folder, &tasks)).transpose()?;
    protect(args, &tasks, logs.as_deref())?;
    let earlier = args.list.since.as_deref().map(rows::verdicts).transpose()?;
    let resume = args.list.resume.as_deref();
    let before = resume.map(|path| rows::restore(path, &tasks, &forwarded.label)).transpose()?;
    let before = before.unwrap_or_else(|| tasks.iter().map(|_| None).collect());
    let mut rows: Vec<Option<Row>> = tasks.iter().map(|_| None).collect();
    // Whether the table can be written is found out before the work, not after it.
    let mut book = Book { file: table_file, label: &forwarded.label, before: &before, saved: start };
    book.save(&rows)?;
    let watch = Watch::start(args.list.memory);
    let jobs: Vec<Job<'_>> = tasks
        .iter()
        .enumerate()
        .map(|(index, task)| Job {
            index,
            task,
            options: &forwarded,
            timeout: limit(args, task),
            log: logs.as_ref().map(|logs| logs[index].as_path()),
            earlier: before[index].as_ref().filter(|row| !row.key.is_empty()),
        })
        .collect();
    for log in jobs.iter().filter(|job| job.earlier.is_none()).filter_map(|job| job.log) {
        child::forget(log);
    }
    let count = args.list.jobs.map_or_else(processors, NonZero::get).min(jobs.len()).max(1);
    let progress = (!args.display.quiet).then(|| Progress::new(tasks.len()));
    let outcome = work(&jobs, count, &watch, progress.as_ref(), &mut rows, &mut book);
    let is_interrupted = watch.is_interrupted();
    drop(watch);
    let saved = book.save(&rows);
    progress.iter().for_each(Progress::end);
    let (shown, rows) = show(args, &tasks, rows, earlier.as_ref(), start.elapsed(), console);
    Output::new().write(&shown)?;
    outcome?;
    saved?;
    if is_interrupted {
        let help = match table_file {
            Some(file) => format!("continue with --resume {}", file.display()),
            None => "with --csv FILE, the next run could continue from here with --resume FILE".to_owned(),
        };
        console.warn(format!("interrupted: not all tasks were checked\n{help}"));
    }
    if rows.iter().flatten().any(Row::is_uncertified) {
        console.warn(
            "verdicts of an earlier run are not certified by this one and count as unknown for the exit code\n\
             with --cache FOLDER in both runs their evidence is kept and checked again",
        );
    }
    Ok(status(&rows))
}

/// The table for people, and the rows that it and the exit code are about.
fn show(
    args: &CheckArgs,
    tasks: &[tasks::Task],
    rows: Vec<Option<Row>>,
    earlier: Option<&BTreeMap<String, Verdict>>,
    time: Duration,
    console: Console,
) -> (String, Vec<Option<Row>>) {
    let lines = if args.display.quiet { Shown::Counts } else { Shown::Lines };
    let render = |tasks: &[tasks::Task], rows: &[Option<Row>]| {
        table::render(rows, tasks, lines, console.color_stdout, time)
    };
    let Some(earlier) = earlier else { return (render(tasks, &rows), rows) };
    let (changed_tasks, changed_rows) = changed(tasks, &rows, earlier);
    let mut text = render(&changed_tasks, &changed_rows);
    let _ = writeln!(text, "{} of {} tasks changed their verdict", changed_rows.len(), tasks.len());
    (text, changed_rows)
}

/// Nothing is written over that is read, or that is no result of a list.
fn protect(args: &CheckArgs, tasks: &[tasks::Task], logs: Option<&[PathBuf]>) -> Result<(), Failure> {
    let mut wanted = Vec::new();
    let tables = [("--csv", &args.list.csv), ("--resume", &args.list.resume)];
    for (option, path) in tables {
        wanted.extend(path.clone().map(|path| Wanted { option, path, kind: Kind::Table }));
    }
    for log in logs.unwrap_or_default() {
        let kinds =
            [("log", Kind::Log), ("json", Kind::Report(Format::Json)), ("txt", Kind::Report(Format::Human))];
        for (extension, kind) in kinds {
            wanted.push(Wanted { option: "--logs", path: child::extended(log, extension), kind });
        }
    }
    let mut inputs = Vec::new();
    // What is not there yet is no input.
    if wanted.iter().any(|file| file.path.exists()) {
        inputs.extend(stale::given(args));
        inputs.extend(args.list.since.iter().cloned());
        inputs.extend(args.paths.iter().filter_map(|path| tasks::list_file(path)));
        inputs.extend(tasks.iter().flat_map(|task| stale::files_of(&task.path)));
    }
    stale::protect(&wanted, &inputs)
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
        // What this run has not certified is no verdict of its own (I4).
        if row.as_ref().is_some_and(|row| !row.is_uncertified() && Some(&row.verdict) == before) {
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
    progress: Option<&Progress>,
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
            if let Some(progress) = progress {
                progress.finished(&row);
            }
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
    /// The rows of the table that is gone on with.
    before: &'a [Option<Row>],
    saved: Instant,
}

impl Book<'_> {
    fn save(&mut self, rows: &[Option<Row>]) -> Result<(), Failure> {
        self.saved = Instant::now();
        let Some(file) = self.file else { return Ok(()) };
        // What this run did not get to is not lost.
        let known = rows.iter().zip(self.before).filter_map(|(row, before)| row.as_ref().or(before.as_ref()));
        artifact::write(file, &rows::text(known, self.label))
    }
}

/// The time of one task: what the command line says, or the settings of its folder.
fn limit(args: &CheckArgs, task: &tasks::Task) -> f64 {
    let stated = args.search.timeout.or_else(|| {
        let settings = args.settings.lookup().find(&task.path).ok().flatten();
        settings.and_then(|settings| settings.timeout)
    });
    stated.unwrap_or(DEFAULT_TIMEOUT)
}

fn processors() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get)
}

/// A violation is certain whatever else happened; after it the worst comes first.
fn status(rows: &[Option<Row>]) -> ExitStatus {
    // I4
    let is_certain = |row: &&Row| !row.is_uncertified();
    let has = |verdict: Verdict| rows.iter().flatten().filter(is_certain).any(|row| row.verdict == verdict);
    if has(Verdict::Unsafe) {
        ExitStatus::Violated
    } else if has(Verdict::Crashed) {
        ExitStatus::Internal
    } else if has(Verdict::Error) {
        ExitStatus::FrontEnd
    } else if has(Verdict::Unknown)
        || !rows.iter().all(|row| row.as_ref().is_some_and(|row| !row.is_uncertified()))
    {
        ExitStatus::Unknown
    } else {
        ExitStatus::Success
    }
}

#[cfg(test)]
mod tests {
    use super::rows::Run;
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
        // What an earlier run has said is neither safe nor unsafe (I4).
        for verdict in [Safe, Unsafe] {
            let row = Row { run: Run::Earlier, ..Row::sample("a.c", verdict) };
            assert_eq!(status(&[Some(row)]), ExitStatus::Unknown);
        }
    }
}
