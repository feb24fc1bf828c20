//! Verdicts of earlier runs with their evidence, by program (`--cache`).
//!
//! A program is known by its automata without positions, so that layout, comments and functions that are never called do not matter, and by
//! the options that decide how it is searched. What is found is not trusted: the evidence is checked as if an engine had just made it,
//! and if the check fails, the engine works as usual.
//!
//! # Invariants
//! * I1: a verdict from the cache is certified by this run.
//! * I2: a file that cannot be used is reported once and replaced; a folder that cannot be used does not change the verdict.
//! * I3: the check of what is found has a limit of its own, so that evidence that was written by hand cannot use up the time of the search.
//! * I4: what is no file of a cache is left alone, and no link is followed to write: the folder may be part of a project.

mod contracts;
mod file;

use std::fmt::Write as _;
use std::path::Path;

use base::{Budget, Stop};
use certify::{Certified, Check, Execution, Exhaustion, MOST_VALUES};
use cfa::{Program, Source};
use interp::{Choice, Config, Inputs, Outcome, Uninitialised};
use passes::Prepared;
use verdict::{Annotation, Proof, Reason, Trace, Verdict};
use witness::judge;

use crate::args::{CheckArgs, SearchArgs};
use crate::console::Console;
use crate::frontend;
use crate::resolve::Request;
pub(crate) use contracts::Contracts;
use file::{CacheFile, VERSION};

/// The word before the evidence for several checks.
const SEVERAL: &str = "several";
/// Larger evidence is not kept.
const MAX_BYTES: usize = 64 << 20;
/// Upper bound on the ticks of an execution that is evidence: a second. Longer ones are not kept: to check them takes as long as to find them.
const MAX_EXECUTION_TICKS: u64 = 1 << 27;
/// Upper bound on the ticks of the check of a proof, mostly of the solver: some seconds. Proofs with a longer check are not kept.
const MAX_PROOF_TICKS: u64 = 1 << 14;

/// The place of one program in a cache.
pub(crate) struct Cache {
    file: CacheFile,
    console: Console,
}

impl Cache {
    /// The place of a program, if the command line wants a cache.
    pub(crate) fn new(args: &CheckArgs, program: &Program, console: Console) -> Option<Self> {
        let folder = args.search.cache.as_ref()?;
        let file = CacheFile::new(folder, &format!("{}.txt", key(args, program)), MAX_BYTES);
        Some(Self { file, console })
    }

    /// The evidence of an earlier run.
    fn read(&self) -> Option<String> {
        if !self.file.is_free() {
            self.console.warn(format!("`{}` is not a cache file and is ignored", self.file.path().display()));
            return None;
        }
        self.file.read().unwrap_or_else(|why| self.ignore(&why))
    }

    /// The verdict of an earlier run, checked again.
    pub(crate) fn find(&self, task: &Prepared<'_>, budget: &mut Budget) -> Option<Certified> {
        let body = &self.read()?;
        let mut allowance = budget.child(max_ticks(body));
        let found = verdict(body, task, &mut allowance)
            .map(|verdict| certify::certify(task, verdict, &mut allowance));
        budget.absorb(&allowance);
        let certified = match found {
            Ok(certified) => certified,
            Err(why) => return self.ignore(&why),
        };
        match certified.verdict() {
            // I3.
            Verdict::Unknown(Reason::Stopped(Stop::Ticks)) if !budget.is_spent() => self.ignore(TOO_LONG),
            // The time limit says nothing about the evidence, and the engine has no time left either.
            Verdict::Unknown(Reason::Stopped(_)) => Some(certified),
            Verdict::Unknown(reason) => self.ignore(&reason.to_string()),
            Verdict::Safe(_) | Verdict::Unsafe(_) => Some(certified),
        }
    }

    /// The parts of the evidence for several checks, of an earlier run.
    pub(crate) fn parts(&self) -> Vec<String> {
        let parts = self.read().map(|body| file::split(SEVERAL, &body));
        parts.map_or_else(Vec::new, |parts| parts.or_else(|| self.ignore(ANOTHER)).unwrap_or_default())
    }

    /// Keeps the evidence for several checks, if all of it is short.
    pub(crate) fn keep_parts(&self, certified: &[&Certified], ticks: u64) {
        let is_short = |certified: &&Certified| is_short(certified, ticks);
        if certified.is_empty() || !certified.iter().all(is_short) {
            return;
        }
        let Some(parts) =
            certified.iter().map(|certified| evidence(certified.verdict())).collect::<Option<Vec<_>>>()
        else {
            return;
        };
        self.write(&file::join(SEVERAL, parts));
    }

    /// I2.
    fn ignore<T>(&self, why: &str) -> Option<T> {
        self.console.warn(format!(
            "`{}` in the cache cannot be used and is replaced: {why}",
            self.file.path().display()
        ));
        None
    }

    /// Keeps a verdict. Its certification has taken a number of ticks.
    pub(crate) fn keep(&self, certified: &Certified, ticks: u64) {
        if let Some(body) = evidence(certified.verdict()).filter(|_| is_short(certified, ticks)) {
            self.write(&body);
        }
    }

    fn write(&self, body: &str) {
        if let Err(why) = self.file.write(body) {
            self.console.warn(format!("the cache cannot be written: {why}"));
        }
    }
}

/// Whether evidence is worth keeping: its check takes a part of the time of a search.
fn is_short(certified: &Certified, ticks: u64) -> bool {
    match certified.check() {
        Some(Check::Replayed { ticks } | Check::Reexecuted { ticks }) => ticks <= MAX_EXECUTION_TICKS,
        Some(Check::Proved { .. }) => ticks <= MAX_PROOF_TICKS,
        None => false,
    }
}

/// Evidence of an earlier run for several checks.
pub(crate) struct Parts {
    /// The texts, in order.
    pub(crate) texts: Vec<String>,
}

impl checks::Earlier for Parts {
    fn verdict(&mut self, number: usize, task: &Prepared<'_>, budget: &mut Budget) -> Option<Verdict> {
        let text = self.texts.get(number)?;
        let mut allowance = budget.child(max_ticks(text));
        let found = verdict(text, task, &mut allowance);
        budget.absorb(&allowance);
        found.ok()
    }
}

/// What two runs must have in common.
fn key(args: &CheckArgs, program: &Program) -> String {
    let text = options(args) + &cfa::text::print(&program.without_positions());
    witness::format::hash(text.as_bytes())
}

/// The options that decide how a program is searched.
fn options(args: &CheckArgs) -> String {
    let SearchArgs {
        no_gas, no_summaries, no_congruences, no_exchange, no_shrink, without_pass, logic, ..
    } = &args.search;
    let engine = args.search.engine();
    format!(
        "{engine} {no_gas} {no_summaries} {no_congruences} {no_exchange} {no_shrink} {without_pass:?} {logic:?}\n"
    )
}

/// What two runs must have in common so that the verdict of the one is that of the other: the program with its places, what is asked of it,
/// all options that may change the answer, and what makes the compiled program that has a veto.
pub(crate) fn task_key(args: &CheckArgs, request: &Request, program: &Program) -> String {
    let Request { property, entry, .. } = request;
    let mut text = format!("{VERSION} {entry} {property:?} {:?}\n", args.search.timeout);
    let _ = writeln!(text, "{:?} {:?}", args.files.no_exec, judge::compiler());
    for number in 0..request.files.len() {
        let _ = writeln!(text, "{:?}", frontend::preprocessing(request, &args.source, number));
    }
    let _ = writeln!(text, "{:?} {}", request.error_functions(), request.assert_is_error());
    text += &options(args);
    text += &cfa::text::print(program);
    witness::format::hash(text.as_bytes())
}

/// The text of a verdict's evidence; nothing if there is none, or none that can be written.
fn evidence(verdict: &Verdict) -> Option<String> {
    match verdict {
        Verdict::Unknown(_) => None,
        Verdict::Safe(Proof::Execution(_)) => Some("safe execution\n".to_owned()),
        Verdict::Safe(Proof::Executions(_)) => Some("safe executions\n".to_owned()),
        Verdict::Safe(Proof::UnwoundExecutions(_)) => Some("safe unwound executions\n".to_owned()),
        Verdict::Safe(Proof::Annotation(annotation)) => Some(format!("safe annotation\n{annotation}")),
        Verdict::Safe(Proof::Bounded(proof)) => Some(format!("safe bounded\n{proof}\n")),
        Verdict::Unsafe(trace) => {
            let chooses = trace.choices.iter().any(|chosen| chosen.source == Source::Uninitialised);
            let mut text = format!("unsafe {}\n", if chooses { "choose" } else { "report" });
            for chosen in &trace.choices {
                let _ = writeln!(text, "{:x}", chosen.value.bits);
            }
            Some(text)
        }
    }
}

/// Why evidence is not used: its check did not come to an end (I3).
const TOO_LONG: &str = "its check takes too long";
/// Why evidence is not used: it is none.
const ANOTHER: &str = "its evidence is not about this program";

/// What the check of a text may take: executions are carried out twice, first to find out where they end.
fn max_ticks(body: &str) -> u64 {
    if body.starts_with("safe annotation\n") || body.starts_with("safe bounded\n") {
        2 * MAX_PROOF_TICKS
    } else {
        2 * MAX_EXECUTION_TICKS + 1024
    }
}

/// The verdict of a text, as an engine would give it; otherwise why there is none.
fn verdict(body: &str, task: &Prepared<'_>, budget: &mut Budget) -> Result<Verdict, String> {
    let program = task.given();
    let (kind, rest) = body.split_once('\n').ok_or(ANOTHER)?;
    let verdict = match kind {
        "safe execution" => match certify::execute(program, budget) {
            Execution::Ended(end) => Some(Verdict::Safe(Proof::Execution(end))),
            Execution::Undecided(Reason::Stopped(stop)) => return Err(stopped(stop)),
            _ => None,
        },
        "safe executions" => match certify::exhaust(program, MOST_VALUES, budget) {
            Exhaustion::Safe { executions, .. } => Some(Verdict::Safe(Proof::Executions(executions))),
            Exhaustion::TooLong => return Err(TOO_LONG.to_owned()),
            _ => None,
        },
        "safe unwound executions" => {
            match task.unwound().map(|unwound| certify::exhaust(unwound, MOST_VALUES, budget)) {
                Some(Exhaustion::Safe { executions, .. }) => {
                    Some(Verdict::Safe(Proof::UnwoundExecutions(executions)))
                }
                Some(Exhaustion::TooLong) => return Err(TOO_LONG.to_owned()),
                _ => None,
            }
        }
        "safe annotation" => {
            let annotation: Option<Annotation> = rest.parse().ok();
            annotation.map(|annotation| Verdict::Safe(Proof::Annotation(annotation.into())))
        }
        "safe bounded" => rest.trim().parse().ok().map(|proof| Verdict::Safe(Proof::Bounded(proof))),
        "unsafe choose" => replay(rest, Uninitialised::Choose, program, budget)?,
        "unsafe report" => replay(rest, Uninitialised::Report, program, budget)?,
        _ => None,
    };
    verdict.ok_or_else(|| ANOTHER.to_owned())
}

fn stopped(stop: Stop) -> String {
    if stop == Stop::Ticks { TOO_LONG.to_owned() } else { stop.to_string() }
}

fn replay(
    list: &str,
    mode: Uninitialised,
    program: &Program,
    budget: &mut Budget,
) -> Result<Option<Verdict>, String> {
    let values = list.lines().map(|line| u128::from_str_radix(line, 16).ok().map(Choice::Bits));
    let Some(values) = values.collect::<Option<Vec<_>>>() else { return Ok(None) };
    let (config, mut inputs) = (Config::unobserved(), Inputs::new(values));
    let run = interp::run_with(program, mode, config, &mut inputs, &mut std::io::sink(), budget);
    match run.outcome {
        Outcome::Error { .. } => Ok(Trace::of(run).map(Verdict::Unsafe)),
        Outcome::Stopped(stop) => Err(stopped(stop)),
        _ => Ok(None),
    }
}

/// The folder of a cache must be one, or something that can become one.
pub(crate) fn check_folder(folder: &Path) -> Result<(), crate::failure::Failure> {
    if folder.exists() && !folder.is_dir() {
        let message = format!("`{}` is not a folder", folder.display());
        return Err(crate::failure::Failure::usage(
            message,
            "--cache takes a folder, which is created if necessary",
        ));
    }
    Ok(())
}
